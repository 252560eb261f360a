#pragma once
// All chance that can be repeated: the same seed gives the same numbers on every machine.

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace ontime {

// 2^64 over the golden ratio.
inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

// A bijection of 64 bits in which every input bit moves every output bit. With kGoldenGamma added for each step it is
// SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
constexpr std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

// From 64 random bits to 0 ... count - 1, off the uniform by less than count / 2^64. REQUIRES: count > 0.
constexpr std::uint64_t scaled(std::uint64_t word, std::uint64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{word} * count) >> 64);
}

// xoshiro256++ (D. Blackman and S. Vigna), whose state SplitMix64 fills. Each thing that is drawn can have a stream of
// its own, named by what it is for and by whom. Then one more draw of one thing changes no other: the first attempt of
// a task takes as long under one policy as under another, so that policies are compared on the same luck.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{} {
    for (std::uint64_t& word : state_) word = mixed(seed += kGoldenGamma);
  }
  // `purpose`: of an enumeration whose numbers never change.
  template <class Purpose>
    requires std::is_enum_v<Purpose>
  Random(std::uint64_t seed, Purpose purpose, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0)
      : Random(named(seed, {static_cast<std::uint64_t>(purpose), a, b, c})) {}

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Strictly between 0 and 1.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }

  // From 0 to count - 1. REQUIRES: count > 0.
  std::uint64_t below(std::uint64_t count) { return scaled(next(), count); }

 private:
  static std::uint64_t named(std::uint64_t seed, std::initializer_list<std::uint64_t> parts) {
    std::uint64_t name = mixed(seed + kGoldenGamma);
    for (const std::uint64_t part : parts) name = mixed((name ^ mixed(part + kGoldenGamma)) + kGoldenGamma);
    return name;
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace ontime
