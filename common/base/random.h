#pragma once
// SplitMix64: 64 well mixed bits from a counter. G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014. All repeatable chance begins here: the same seed gives the same numbers on every machine.
// Simulations draw from streams that it seeds (lab/scenario/random.h).

#include <cstdint>

namespace ontime {

// 2^64 over the golden ratio: the step of the counter.
inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

// The finaliser: a bijection of 64 bits in which every input bit moves every output bit.
constexpr std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return mixed(state_ += kGoldenGamma); }

  // From 0 to count - 1. Off the uniform by less than count / 2^64. REQUIRES: count > 0.
  std::uint64_t below(std::uint64_t count) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{next()} * count) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace ontime
