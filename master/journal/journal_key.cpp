#include "master/journal/journal_key.h"

namespace ontime::journal {
namespace {

template <class Number>
void append_big_endian(std::string& to, Number value) {
  for (int shift = 8 * (static_cast<int>(sizeof value) - 1); shift >= 0; shift -= 8) {
    to.push_back(static_cast<char>(value >> shift & 0xff));
  }
}

template <class Number>
Number read_big_endian(std::string_view bytes) {
  Number value = 0;
  for (const char byte : bytes.substr(0, sizeof value)) {
    value = static_cast<Number>(value << 8 | static_cast<std::uint8_t>(byte));
  }
  return value;
}

}  // namespace

std::string encode_key(const RecordKey& key) {
  std::string bytes(1, kRecordPrefix);
  append_big_endian(bytes, key.job.value);
  append_big_endian(bytes, key.sequence);
  return bytes;
}

std::optional<RecordKey> decode_key(std::string_view bytes) {
  if (bytes.size() != 13 || bytes[0] != kRecordPrefix) return std::nullopt;
  return RecordKey{JobId{read_big_endian<std::uint32_t>(bytes.substr(1))},
                   read_big_endian<std::uint64_t>(bytes.substr(5))};
}

}  // namespace ontime::journal
