#pragma once
// Places in an input file: a range of its bytes, and the points where reading of a compressed one may begin.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace ontime {

inline constexpr std::uint64_t kUnknownEnd = std::numeric_limits<std::uint64_t>::max();

// Half-open: [begin, end). In a compressed file the offsets count the uncompressed content. Until its length is known,
// the last range ends at kUnknownEnd.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }  // meaningless while the end is unknown
  bool is_open_ended() const { return end == kUnknownEnd; }
  bool contains(std::uint64_t offset) const { return begin <= offset && offset < end; }
  auto operator<=>(const ByteRange&) const = default;
};

using WindowHash = std::array<std::uint8_t, 16>;

inline constexpr std::uint64_t kInside = 8;  // of AccessPoint::state: what has begun before goes on there

// A place in a compressed file at which reading may begin.
struct AccessPoint {
  std::uint64_t content = 0;  // offset in what the file holds
  std::uint64_t stored = 0;   // offset in the file itself
  // What else the format's reader has to know to go on there; the lowest three bits: how many bits of the byte at
  // `stored` belong to what comes before. 0: a member, frame or stream begins there.
  std::uint64_t state = 0;
  // Inside a member of gzip: the beginning of the SHA-256 of its window, the content before. Zeros: it needs none.
  WindowHash window{};

  bool needs_window() const { return window != WindowHash{}; }
  bool operator==(const AccessPoint&) const = default;
};

// With the window, as Zstandard packs it.
struct StartPoint {
  AccessPoint point;
  std::string window{};
};

inline constexpr std::size_t kWindowBytes = 32u << 10;
inline constexpr std::size_t kPackedWindowBytesMax = kWindowBytes + 1024;

}  // namespace ontime
