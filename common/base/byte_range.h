#pragma once
// A half-open range of bytes [begin, end) of one input file. For a compressed file the offsets count what it
// holds. Where its length is not known before it has been read, the last range ends at kUnknownEnd.

#include <compare>
#include <cstdint>
#include <limits>

namespace ontime {

inline constexpr std::uint64_t kUnknownEnd = std::numeric_limits<std::uint64_t>::max();

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }  // meaningless while the end is unknown
  bool is_open_ended() const { return end == kUnknownEnd; }
  bool contains(std::uint64_t offset) const { return begin <= offset && offset < end; }
  auto operator<=>(const ByteRange&) const = default;
};

}  // namespace ontime
