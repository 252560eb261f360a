#pragma once
// How alike two movies are: the cosine of their ratings by the users who have rated both, as PUMA computes it. In whole
// numbers, so that no machine and no order of additions changes an answer.

#include <cstdint>

namespace ontime::apps {

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

}  // namespace ontime::apps
