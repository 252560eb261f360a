#include "master/input_content.h"

#include <array>
#include <utility>

namespace ontime::master {
namespace {

using scheduler::Codec;
using namespace std::string_view_literals;

constexpr std::array kReadable{
    std::pair{"\x1f\x8b\x08"sv, Codec::Gzip},
    std::pair{"\x28\xb5\x2f\xfd"sv, Codec::Zstd},
    std::pair{"\xfd"
              "7zXZ\0"sv,
              Codec::Xz},
};
// Long enough that no text begins so by chance.
constexpr std::array kUnreadable{
    std::pair{"7z\xbc\xaf\x27\x1c"sv, "7z"sv},
    std::pair{"\x04\x22\x4d\x18"sv, "lz4"sv},
    std::pair{"PK\x03\x04"sv, "zip"sv},
    std::pair{"\x1f\x9d"sv, "compress"sv},
    std::pair{"\xff\x06\0\0sNaPpY"sv, "snappy"sv},
};

// "BZh", the size of blocks, and the beginning of the first block or of the end.
bool is_bzip2(std::string_view bytes) {
  return bytes.size() >= 10 && bytes.starts_with("BZh") && bytes[3] >= '1' && bytes[3] <= '9' &&
         (bytes.substr(4, 6) == "1AY&SY"sv || bytes.substr(4, 6) == "\x17\x72\x45\x38\x50\x90"sv);
}

// Zstandard may begin with a frame that holds something else: 16 magic numbers.
bool is_skippable(std::string_view bytes) {
  return bytes.size() >= 4 && (bytes[0] & '\xf0') == '\x50' && bytes.substr(1, 3) == "\x2a\x4d\x18"sv;
}

}  // namespace

InputContent content_of(std::string_view first_bytes) {
  if (is_skippable(first_bytes)) return {Codec::Zstd};
  for (const auto& [magic, codec] : kReadable) {
    if (first_bytes.starts_with(magic)) return {codec};
  }
  if (is_bzip2(first_bytes)) return {Codec::Bzip2};
  for (const auto& [magic, name] : kUnreadable) {
    if (first_bytes.starts_with(magic)) return {Codec::Plain, name};
  }
  return {};
}

}  // namespace ontime::master
