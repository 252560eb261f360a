#pragma once
// A place in a compressed file at which reading may begin.

#include <array>
#include <cstdint>
#include <string>

namespace ontime {

using WindowHash = std::array<std::uint8_t, 16>;

inline constexpr std::uint64_t kInside = 8;  // of AccessPoint::state: what has begun before goes on there

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
