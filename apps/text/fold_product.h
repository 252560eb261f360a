#pragma once
// The building block of the hashes here.

#include <cstdint>

namespace ontime::apps {

inline constexpr std::uint64_t kFirstKey = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kSecondKey = 0xd6e8feb86659fd93;

// Folds a full 64 by 64 bit product: every bit of both factors reaches the middle and the ends of the result.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace ontime::apps
