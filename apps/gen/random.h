#pragma once
// A stream of 64 well mixed bits (SplitMix64), and whole numbers drawn from it.

#include <cstdint>

namespace ontime::apps {

__extension__ using Uint128 = unsigned __int128;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  static std::uint64_t mix(std::uint64_t word) {
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
  }

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }

  // From 0 to count - 1. Off the uniform by less than count / 2^64. REQUIRES: count > 0.
  std::uint64_t below(std::uint64_t count) { return static_cast<std::uint64_t>((Uint128{next()} * count) >> 64); }

 private:
  std::uint64_t state_;
};

}  // namespace ontime::apps
