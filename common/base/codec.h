#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "common/base/wording.h"

namespace ontime {

// How an input file is stored. Stream is plain, of a server that cannot send parts: it is read from its begin to its
// end. The numbers are those of wire::Codec.
enum class Codec : std::uint8_t { Plain, Gzip, Zstd, Stream, Xz, Bzip2 };

constexpr const char* name_of(Codec codec) {
  return name_at<Codec::Bzip2>(codec, "plain", "gzip", "zstd", "stream", "xz", "bzip2");
}

// By the first bytes, where these are enough to tell; else Plain.
constexpr Codec codec_by_magic(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x1f\x8b\x08"sv)) return Codec::Gzip;
  if (bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return Codec::Zstd;
  return bytes.starts_with("\xfd\x37zXZ\0"sv) ? Codec::Xz : Codec::Plain;
}

// What begins with these bytes is a tar archive.
constexpr bool is_tar(std::string_view bytes) {
  using namespace std::string_view_literals;
  const std::string_view mark = bytes.substr(std::min<std::size_t>(bytes.size(), 257), 8);
  return mark.starts_with("ustar\0"sv) || mark == "ustar  \0"sv;
}

}  // namespace ontime
