#pragma once
// Ranks of byte strings: their first eight bytes as a number, so that numbers compare as the strings do.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ontime::apps {

// A string that ends early counts as if zeros followed: it has the rank of some longer ones, never a higher one.
inline std::uint64_t rank_of_bytes(std::string_view bytes) {
  std::uint64_t word = 0;
  if (bytes.size() >= 8) {
    std::memcpy(&word, bytes.data(), 8);
  } else if (!bytes.empty()) {
    std::memcpy(&word, bytes.data(), bytes.size());
  }
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

// The place of a signed number among all of them.
inline std::uint64_t rank_of_number(std::int64_t number) {
  return static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63);
}

}  // namespace ontime::apps
