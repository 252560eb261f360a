#pragma once
// How a file is stored, by its first bytes: names mislead.

#include <cstddef>
#include <string_view>

#include "common/base/codec.h"
#include "common/base/result.h"

namespace ontime::master {

inline constexpr std::size_t kTellingBytes = 512;  // so many first bytes tell

struct InputContent {
  Codec codec = Codec::Plain;
  std::string_view unreadable{};  // what it is instead, such as "a tar archive"; empty: it can be read
  std::string_view advice{};      // what to do about that
};
InputContent content_of(std::string_view first_bytes);

// How a file that begins with these bytes (kTellingBytes, or all) is compressed; BadInput if that cannot be read here.
Result<Codec> codec_of(std::string_view path, std::string_view first_bytes);

}  // namespace ontime::master
