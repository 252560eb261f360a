#include "master/recording/block.h"

#include <zstd.h>

#include "common/base/check.h"
#include "common/base/crc32c.h"

namespace ontime::recording {
namespace {

constexpr int kLevel = 1;  // the records of a busy master must cost little
constexpr std::size_t kCheckedHeaderBytes = 12;

void put_number(std::uint32_t value, std::size_t at, std::string& to) {
  for (unsigned i = 0; i < 4; ++i) to[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

std::uint32_t checksum_of(std::string_view header, std::string_view data) {
  return crc32c(crc32c(header.substr(0, kCheckedHeaderBytes)), data.data(), data.size());
}

}  // namespace

std::string make_block(std::string_view content, std::uint32_t sequence) {
  ONTIME_CHECK(content.size() <= kBlockBytesMax, "a block of a recording is at most 1 MiB");
  std::string block(kBlockHeaderBytes + ZSTD_compressBound(content.size()), '\0');
  const std::size_t stored = ZSTD_compress(block.data() + kBlockHeaderBytes, block.size() - kBlockHeaderBytes,
                                           content.data(), content.size(), kLevel);
  ONTIME_CHECK(ZSTD_isError(stored) == 0, "there is room for a compressed block");
  block.resize(kBlockHeaderBytes + stored);
  put_number(static_cast<std::uint32_t>(content.size()), 0, block);
  put_number(static_cast<std::uint32_t>(stored), 4, block);
  put_number(sequence, 8, block);
  const std::string_view whole(block);
  put_number(checksum_of(whole, whole.substr(kBlockHeaderBytes)), 12, block);
  return block;
}

Result<BlockHeader> read_block_header(std::string_view bytes) {
  const BlockHeader header{number_at(bytes, 0), number_at(bytes, 4), number_at(bytes, 8), number_at(bytes, 12)};
  if (header.size > kBlockBytesMax || header.stored_size > ZSTD_compressBound(kBlockBytesMax)) {
    return failed("a block has a size that no block has");
  }
  return header;
}

Status unpack_block(const BlockHeader& header, std::string_view header_bytes, std::string_view data, std::string& to) {
  if (checksum_of(header_bytes, data) != header.checksum) return failed("the checksum of a block does not match");
  const std::size_t before = to.size();
  to.resize(before + header.size);
  const std::size_t size = ZSTD_decompress(to.data() + before, header.size, data.data(), data.size());
  if (ZSTD_isError(size) != 0 || size != header.size) return failed("a block cannot be unpacked");
  return {};
}

}  // namespace ontime::recording
