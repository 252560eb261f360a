#include <algorithm>
#include <cmath>

#include "common/base/random.h"
#include "common/injection/draw.h"

namespace ontime::injection {
namespace {

double raw_quantile(const Distribution& distribution, double u) {
  switch (distribution.shape) {
    case Shape::Never:
      return 1;
    case Shape::Constant:
      return distribution.scale;
    case Shape::Pareto:
      return distribution.scale * std::pow(1 - u, -1 / distribution.spread);
    case Shape::Lognormal:
      return distribution.scale * std::exp(distribution.spread * normal_quantile(std::max(u, 0x1p-54)));
    case Shape::Trace: {
      const auto size = static_cast<double>(distribution.trace.size());
      return distribution.trace[std::min(static_cast<std::size_t>(u * size), distribution.trace.size() - 1)];
    }
  }
  return 1;
}

// A permutation of 2^(2*half) numbers: Feistel rounds.
std::uint64_t permuted(std::uint64_t value, unsigned half, std::uint64_t key) {
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t left = value >> half;
  std::uint64_t right = value & mask;
  for (std::uint64_t round = 0; round < 6; ++round) {
    const std::uint64_t next = left ^ (hash({key, round, right}) & mask);
    left = right;
    right = next;
  }
  return left << half | right;
}

}  // namespace

std::uint64_t hash(std::initializer_list<std::uint64_t> words) {
  std::uint64_t state = kGoldenGamma;
  for (const std::uint64_t word : words) state = mixed(state + kGoldenGamma + mixed(word + kGoldenGamma));
  return state;
}

std::uint64_t hash(std::string_view text) {
  std::uint64_t state = mixed(text.size() + kGoldenGamma);
  for (const char byte : text) state = mixed(state + kGoldenGamma + static_cast<unsigned char>(byte));
  return state;
}

double uniform(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

double quantile(const Distribution& distribution, double u) {
  const double value = std::clamp(raw_quantile(distribution, u), 0.0, kFactorMax);
  return std::round(value * 1e6) / 1e6;
}

// By halving: 60 steps of erfc are some microseconds, and there is one draw per attempt.
double normal_quantile(double u) {
  double low = -9;
  double high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const double below = std::erfc(-middle * std::sqrt(0.5)) / 2;
    (below < u ? low : high) = middle;
  }
  return (low + high) / 2;
}

// A permutation of a larger power of four, followed until it comes back below `count`. Of very few numbers it would not
// make all orders equally likely, so there are at least 256.
std::uint64_t shuffled(std::uint64_t index, std::uint64_t count, std::uint64_t key) {
  unsigned half = 4;
  while ((std::uint64_t{1} << (2 * half)) < count) ++half;
  do {
    index = permuted(index, half, key);
  } while (index >= count);
  return index;
}

}  // namespace ontime::injection
