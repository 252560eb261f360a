#pragma once
// One scheduler::JournalRecord as bytes:
//
//   value   := version checksum record
//   version := 1 byte, kRecordVersion
//   checksum:= 4 bytes, little endian, CRC-32C of everything behind it and of the version
//   record  := protobuf stored.Record (records.proto)
//
// What decodes is exactly what was encoded; anything else is an error, never a wrong record.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "scheduler/core/record.h"

namespace ontime::journal {

// Keys of the journal in RocksDB, in byte order:
//
//   "e"                           the latest MasterStarted
//   "m" name                      metadata: "mchain", "mcluster", "mformat"
//   "n" node kind                 a node: 4 bytes, big endian; kind "a" its NodeAdded, "d" its latest DutyChanged
//   "p" key                       the latest ProfileUpdated with that key
//   "r" job sequence              records of a job that were appended together (entries.h), by the sequence of the
//                                 first; both numbers big endian, 4 and 8 bytes
//
// so that the records of one job lie together in their order and one DeleteRange forgets it. `sequence` counts from 0
// within its job without gaps: a missing record shows. What belongs to no job replaces what was there: it does not grow
// with the number of starts, and one DeleteRange forgets a node or a profile.
inline constexpr char kEpochKey = 'e';
inline constexpr char kMetadataPrefix = 'm';
inline constexpr char kNodePrefix = 'n';
inline constexpr char kProfilePrefix = 'p';
inline constexpr char kRecordPrefix = 'r';

struct RecordKey {
  JobId job;
  std::uint64_t sequence = 0;
  auto operator<=>(const RecordKey&) const = default;
};

std::string encode_key(const RecordKey& key);
std::optional<RecordKey> decode_key(std::string_view bytes);  // nothing unless it is exactly a record's key

// The key of a record that belongs to no job; nothing for any other.
std::optional<std::string> place_of(const scheduler::Fact& fact);
// The keys [first, second) that a record removes; it is never stored itself. Nothing for one that is stored.
using KeyRange = std::pair<std::string, std::string>;
std::optional<KeyRange> removed_by(const scheduler::Fact& fact);

inline constexpr std::uint8_t kRecordVersion = 1;

std::string encode_record(const scheduler::JournalRecord& record);
Result<scheduler::JournalRecord> decode_record(std::string_view bytes);
// The record as of then if it is later than that; empty: it is not.
Result<std::string> set_back_to(TimePoint latest, std::string_view record);
std::string_view message_of(std::string_view value);  // that one holds which was decoded

// decode_record() for many: keeps the memory that messages are parsed into. Not for several threads at a time.
class RecordDecoder {
 public:
  RecordDecoder();
  ~RecordDecoder();
  Status decode(std::string_view bytes, scheduler::JournalRecord& to);  // after an error `to` is anything

 private:
  struct Memory;
  const std::unique_ptr<Memory> memory_;
};

}  // namespace ontime::journal
