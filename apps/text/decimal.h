#pragma once
// Numbers as decimal text.

#include <charconv>
#include <cstdint>

namespace ontime::apps {

inline constexpr std::size_t kMaxDecimal = 20;  // digits of 2^64 - 1

// Writes `number` to `to`, which has room for kMaxDecimal bytes; returns the end.
inline char* write_decimal(char* to, std::uint64_t number) {
  if (number < 10) {
    *to = static_cast<char>('0' + number);
    return to + 1;
  }
  return std::to_chars(to, to + kMaxDecimal, number).ptr;
}

}  // namespace ontime::apps
