#include "master/inputs/input_content.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "common/base/check.h"
#include "common/base/little_endian.h"
#include "master/inputs/input_file.h"

namespace ontime::master {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kDecompress = "decompress it, or compress it with gzip, zstd, xz or bzip2";
constexpr std::string_view kUnpack = "unpack it into a directory, and name that";
constexpr std::string_view kConvert = "write it as text, such as JSON lines, and read that";

struct Format {
  std::string_view magic;
  std::string_view what;
  std::string_view advice;
};
// Long enough, or odd enough, that no text begins so.
constexpr std::array kUnreadable{
    Format{"\x04\x22\x4d\x18"sv, "compressed with lz4", kDecompress},
    Format{"\x02\x21\x4c\x18"sv, "compressed with lz4", kDecompress},
    Format{"\x1f\x9d"sv, "compressed with compress", kDecompress},
    Format{"\xff\x06\0\0sNaPpY"sv, "compressed with snappy", kDecompress},
    Format{"\x89LZO\0\r\n\x1a\n"sv, "compressed with lzop", kDecompress},
    Format{"LZIP\x01"sv, "compressed with lzip", kDecompress},
    Format{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", kUnpack},
    Format{"PK\x03\x04"sv, "a zip archive", kUnpack},
    Format{"PK\x05\x06"sv, "a zip archive", kUnpack},
    Format{"Rar!\x1a\x07"sv, "a rar archive", kUnpack},
    Format{"Obj\x01"sv, "an Avro file", kConvert},
    Format{"SEQ\x04"sv, "a SequenceFile", kConvert},
    Format{"SEQ\x05"sv, "a SequenceFile", kConvert},
    Format{"SEQ\x06"sv, "a SequenceFile", kConvert},
    Format{"ARROW1\0\0"sv, "an Arrow file", kConvert},
    // Behind the magic number comes the first field of a page's header, or of the file's.
    Format{"PAR1\x15"sv, "a Parquet file", "read it in Python with records=\"parquet\", or write it as text"},
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

// Text may begin so too, so what follows has to be what deflate can have written.
bool is_zlib(std::string_view bytes) {
  constexpr std::array kHeaders{"x\x01"sv, "x\x5e"sv, "x\x9c"sv, "x\xda"sv};
  const bool may_be =
      std::any_of(kHeaders.begin(), kHeaders.end(), [&](std::string_view header) { return bytes.starts_with(header); });
  if (!may_be) return false;
  z_stream stream{};
  ONTIME_CHECK(inflateInit(&stream) == Z_OK, "zlib starts");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // only read
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<Bytef, 4096> content;
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = content.data();
    stream.avail_out = content.size();
    code = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END || (code == Z_BUF_ERROR && bytes.size() >= kTellingBytes);
}

// .lzma has no magic number; the same is asked of its header as xz asks: a size of the dictionary that is a power of
// two or one and a half of it, a likely size of the content, and a first byte that is always 0.
bool is_lzma(std::string_view bytes) {
  constexpr std::size_t kHeaderBytes = 13;
  if (bytes.size() <= kHeaderBytes || static_cast<unsigned char>(bytes[0]) >= 225 || bytes[kHeaderBytes] != '\0')
    return false;
  const std::uint64_t dictionary = from_little_endian(bytes.substr(1, 4));
  const std::uint64_t content = from_little_endian(bytes.substr(5, 8));
  const bool is_size = std::has_single_bit(dictionary) || (dictionary % 3 == 0 && std::has_single_bit(dictionary / 3));
  return is_size && dictionary >= 4096 && (content == UINT64_MAX || content < std::uint64_t{1} << 38);
}

// Three letters are little; but no text has such bytes.
bool is_orc(std::string_view bytes) {
  return bytes.starts_with("ORC") && std::any_of(bytes.begin(), bytes.end(), [](unsigned char c) { return c < 8; });
}

}  // namespace

InputContent content_of(std::string_view first_bytes) {
  if (is_skippable(first_bytes)) return {Codec::Zstd};
  if (const Codec codec = codec_by_magic(first_bytes); codec != Codec::Plain) return {codec};
  if (is_bzip2(first_bytes)) return {Codec::Bzip2};
  for (const Format& format : kUnreadable) {
    if (first_bytes.starts_with(format.magic)) return {Codec::Plain, format.what, format.advice};
  }
  if (is_tar(first_bytes)) return {Codec::Plain, "a tar archive", kUnpack};
  if (is_orc(first_bytes)) return {Codec::Plain, "an ORC file", kConvert};
  first_bytes = first_bytes.substr(0, kTellingBytes);
  if (is_zlib(first_bytes)) return {Codec::Plain, "compressed with zlib", kDecompress};
  if (is_lzma(first_bytes)) return {Codec::Plain, "compressed with lzma", kDecompress};
  return {};
}

Result<Codec> codec_of(std::string_view path, std::string_view first_bytes) {
  const InputContent content = content_of(first_bytes);
  if (content.unreadable.empty()) return content.codec;
  return bad_input("The input " + shown(path) + " is " + std::string(content.unreadable) +
                   ", which Ontime cannot read; " + std::string(content.advice) + ".");
}

}  // namespace ontime::master
