#pragma once
// Keys of the journal in RocksDB, in byte order:
//
//   "m" name                      metadata: "mcluster", "mformat"
//   "p" key                       the latest ProfileUpdated with that key
//   "r" job sequence              a record; both numbers big endian, 4 and 8 bytes
//
// so that the records of one job lie together in their order and one DeleteRange forgets it. `sequence` counts from 0
// within its job without gaps: a missing record shows.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/ids.h"

namespace ontime::journal {

inline constexpr char kMetadataPrefix = 'm';
inline constexpr char kProfilePrefix = 'p';
inline constexpr char kRecordPrefix = 'r';

struct RecordKey {
  JobId job;
  std::uint64_t sequence = 0;
  auto operator<=>(const RecordKey&) const = default;
};

std::string encode_key(const RecordKey& key);
std::optional<RecordKey> decode_key(std::string_view bytes);  // nothing unless it is exactly a record's key

}  // namespace ontime::journal
