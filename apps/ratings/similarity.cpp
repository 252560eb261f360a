#include "apps/ratings/similarity.h"

#include <cmath>

namespace ontime::apps {
namespace {

__extension__ using Uint128 = unsigned __int128;

}  // namespace

// p / sqrt(s o) > p' / sqrt(s' o') where all are positive: squares of both sides, multiplied out, are below 2^124.
bool is_more_alike(const Overlap& a, const Overlap& b) {
  if (a.products == 0 || b.products == 0) return a.products > b.products;
  return Uint128{a.products * a.products} * (b.squares * b.others) >
         Uint128{b.products * b.products} * (a.squares * a.others);
}

// The largest m with (m / 10^6)^2 <= p^2 / (s o): guessed, then put right.
std::uint32_t cosine_in_millionths(const Overlap& overlap) {
  if (overlap.products == 0) return 0;
  const std::uint64_t norm = overlap.squares * overlap.others;
  const Uint128 target = Uint128{overlap.products * overlap.products} * (std::uint64_t{kMillion} * kMillion);
  const auto fits = [&](std::uint64_t cosine) { return Uint128{cosine * cosine} * norm <= target; };
  auto cosine = static_cast<std::uint64_t>(static_cast<double>(overlap.products) /
                                           std::sqrt(static_cast<double>(norm)) * kMillion);
  while (!fits(cosine)) --cosine;
  while (fits(cosine + 1)) ++cosine;
  return static_cast<std::uint32_t>(cosine);
}

}  // namespace ontime::apps
