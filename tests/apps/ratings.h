#pragma once
// Movies for tests, a file of centroids, and the plain way to compare movies.

#include <rapidcheck.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace ontime::apps::test {

struct PlainMovie {
  std::uint64_t id = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ratings;  // user, rating
};

inline std::string line_of(const PlainMovie& movie) {
  std::string line = std::to_string(movie.id) + ":";
  for (const auto& [user, rating] : movie.ratings)
    line += (line.back() == ':' ? "" : ",") + std::to_string(user) + "_" + std::to_string(rating);
  return line + "\n";
}

inline std::string text_of(const std::vector<PlainMovie>& movies) {
  std::string text;
  for (const PlainMovie& movie : movies) text += line_of(movie);
  return text;
}

// Few users, so that movies have some in common.
inline rc::Gen<PlainMovie> any_movie() {
  const auto rating = rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 30), rc::gen::inRange<std::uint32_t>(0, 6));
  return rc::gen::build<PlainMovie>(
      rc::gen::set(&PlainMovie::id, rc::gen::inRange<std::uint64_t>(0, 1000)),
      rc::gen::set(&PlainMovie::ratings, rc::gen::container<decltype(PlainMovie::ratings)>(rating)));
}

// Sums over the users who have rated both: products, squares of the movie's, squares of the centroid's ratings.
struct PlainSums {
  std::uint64_t products = 0, squares = 0, others = 0;
  long double cosine() const {
    return products == 0 ? 0
                         : static_cast<long double>(products) / std::sqrt(static_cast<long double>(squares * others));
  }
};

inline PlainSums compare(const PlainMovie& movie, const PlainMovie& centroid) {
  PlainSums sums;
  for (const auto& [user, rating] : movie.ratings)
    for (const auto& [other_user, other] : centroid.ratings) {
      if (user != other_user) continue;
      sums.products += rating * other;
      sums.squares += rating * rating;
      sums.others += other * other;
      break;  // the first rating of a centroid counts
    }
  return sums;
}

// The lowest cluster whose cosine is the highest. Small sums: squares of cosines are compared as fractions, exactly.
inline std::uint32_t cluster_of(const PlainMovie& movie, const std::vector<PlainMovie>& centroids) {
  std::uint32_t best = 0;
  PlainSums best_sums = compare(movie, centroids[0]);
  for (std::uint32_t i = 1; i < centroids.size(); ++i) {
    const PlainSums sums = compare(movie, centroids[i]);
    const bool is_better = best_sums.products == 0
                               ? sums.products > 0
                               : sums.products * sums.products * best_sums.squares * best_sums.others >
                                     best_sums.products * best_sums.products * sums.squares * sums.others;
    if (!is_better) continue;
    best = i;
    best_sums = sums;
  }
  return best;
}

// A file that goes with the test.
class CentroidFile {
 public:
  explicit CentroidFile(const std::string& text) {
    char path[] = "/tmp/ontime-centroids-XXXXXX";
    close(mkstemp(path));
    path_ = path;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~CentroidFile() { unlink(path_.c_str()); }
  CentroidFile(const CentroidFile&) = delete;
  CentroidFile& operator=(const CentroidFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ontime::apps::test
