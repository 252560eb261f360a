#pragma once
// Movies as PUMA's benchmarks have them: `movie:user_rating,user_rating,...`, one on a line.

#include <cstdint>
#include <string_view>
#include <vector>

namespace ontime::apps {

// How alike two movies are: the cosine of their ratings by the users who have rated both, as PUMA computes it. In whole
// numbers, so that no machine and no order of additions changes an answer.
inline constexpr std::uint32_t kMillion = 1'000'000;

// Sums over the users who have rated both; each below 2^31.
struct Overlap {
  std::uint64_t products = 0;  // of the two ratings
  std::uint64_t squares = 0;   // of this movie's
  std::uint64_t others = 0;    // squares of the other one's

  void add(std::uint64_t rating, std::uint64_t other) {
    products += rating * other;
    squares += rating * rating;
    others += other * other;
  }
};

// Whether `a` has the greater cosine, compared exactly. It is 0 where nobody has rated both.
bool is_more_alike(const Overlap& a, const Overlap& b);

// The cosine in millionths, rounded down, exactly.
std::uint32_t cosine_in_millionths(const Overlap& overlap);

struct Rating {
  std::uint32_t user = 0;    // below 2^31
  std::uint32_t rating = 0;  // 0 to kRatingMost
};

inline constexpr std::uint32_t kRatingMost = 10;
// So that sums of products of two ratings stay below 2^31.
inline constexpr std::size_t kRatingsMost = std::size_t{1} << 24;

struct Movie {
  std::uint64_t id = 0;  // of at most 18 digits
  std::vector<Rating> ratings;
};

// False for a line that is no movie: one without a colon, or with nothing before it. Pairs may be empty (a comma at the
// end). Throws std::runtime_error for what is neither.
bool parse_movie(std::string_view line, Movie& movie);

}  // namespace ontime::apps
