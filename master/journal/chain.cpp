#include "master/journal/chain.h"

#include "common/base/crc32c.h"

namespace ontime::journal {
namespace {

constexpr std::size_t kCheckedBytes = 12;  // before the checksum of the encoding itself

void put(std::string& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

std::uint64_t get(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return number;
}

}  // namespace

Chain Chain::with(std::string_view batch) const {
  std::string before;
  put(before, checksum, 4);
  return {batches + 1, crc32c(crc32c(before), batch.data(), batch.size())};
}

std::string encode_chain(const Chain& chain) {
  std::string bytes;
  put(bytes, chain.batches, 8);
  put(bytes, chain.checksum, 4);
  put(bytes, crc32c(bytes), 4);
  return bytes;
}

std::optional<Chain> decode_chain(std::string_view bytes) {
  if (bytes.size() != kChainBytes || get(bytes.substr(kCheckedBytes)) != crc32c(bytes.substr(0, kCheckedBytes)))
    return std::nullopt;
  return Chain{get(bytes.substr(0, 8)), static_cast<std::uint32_t>(get(bytes.substr(8, 4)))};
}

}  // namespace ontime::journal
