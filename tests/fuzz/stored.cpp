// What the master has stored: journals and recordings.
#include <string>

#include "common/base/check.h"
#include "common/base/crc32c.h"
#include "master/journal/record_codec.h"
#include "master/recording/block.h"
#include "master/recording/entry.h"
#include "tests/fuzz/targets.h"

namespace ontime::fuzz {
namespace {

// With the checksum that makes the decoder look at the rest.
std::string with_checksum(std::string_view content) {
  const char version = static_cast<char>(journal::kRecordVersion);
  const std::uint32_t checksum = crc32c(crc32c(0, &version, 1), content.data(), content.size());
  std::string value(1, version);
  for (int shift = 0; shift < 32; shift += 8) value += static_cast<char>(checksum >> shift);
  return value.append(content);
}

}  // namespace

void feed_journal(std::string_view bytes) {
  static_cast<void>(journal::decode_key(bytes));
  static_cast<void>(journal::decode_record(bytes));
  const auto record = journal::decode_record(with_checksum(bytes));
  if (!record) return;
  const std::string again = journal::encode_record(*record);
  const auto decoded = journal::decode_record(again);
  ONTIME_CHECK(decoded && journal::encode_record(*decoded) == again, "what decodes can be stored again");
}

void feed_recording(std::string_view bytes) {
  if (bytes.size() >= recording::kBlockHeaderBytes) {
    const std::string_view head = bytes.substr(0, recording::kBlockHeaderBytes);
    std::string unpacked;
    if (const auto header = recording::read_block_header(head)) {
      static_cast<void>(recording::BlockUnpacker().unpack(*header, head, bytes.substr(head.size()), unpacked));
    }
  }
  TimePoint at;
  for (;;) {
    const auto entry = recording::take_entry(bytes, at);
    if (!entry || !*entry) return;
  }
}

}  // namespace ontime::fuzz
