#pragma once
// The movies that stand for clusters, ready to be compared with others: by user, who has rated which of them how.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/ratings/movie.h"

namespace ontime::apps {

struct Assignment {
  std::uint32_t cluster = 0;
  Overlap overlap;  // with the centroid of the cluster
};

class Centroids {
 public:
  static constexpr std::size_t kMost = 4096;

  // A file with a movie on each line; the first is cluster 0. Where a user has rated one of them twice, the first
  // rating counts. Throws std::invalid_argument with one sentence when the file cannot be used.
  explicit Centroids(const std::string& path);

  std::size_t size() const { return overlaps_.size(); }
  // The cluster whose centroid is most alike, the lowest of several; cluster 0 where none is alike at all.
  Assignment assign(const Movie& movie);

 private:
  // One user's rating of one centroid.
  struct Opinion {
    std::uint32_t user;
    std::uint32_t cluster;
    std::uint32_t rating;
  };
  struct Slot {
    std::uint32_t user = kNobody;
    std::uint32_t begin = 0;  // in opinions_
    std::uint32_t end = 0;
  };
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  void read(const std::string& path);
  void index();
  std::size_t slot_of(std::uint32_t user) const;

  std::vector<Opinion> opinions_;  // by user, then by cluster
  std::vector<Slot> slots_;        // a power of two, at most half full
  unsigned shift_ = 0;
  std::vector<Overlap> overlaps_;  // by cluster, of the movie that is looked at
};

}  // namespace ontime::apps
