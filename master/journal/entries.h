#pragma once
// The entries of the journal in RocksDB, whose keys record_codec.h says. Of a job, the records of one batch lie
// together, as texts (texts.h), under the key of the first: there are fewer to write, and to read at the next start.

#include <rocksdb/write_batch.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "scheduler/core/record.h"

namespace ontime::journal {

inline constexpr std::size_t kEntryBytesMost = 64u << 10;  // but for a record that is larger

// Makes the writes of one batch. Both outlive this.
class EntryMaker {
 public:
  // `next_sequence`: of each job that has records; moves on with what is added.
  EntryMaker(std::map<JobId, std::uint64_t>& next_sequence, rocksdb::WriteBatch& writes)
      : next_sequence_(next_sequence), writes_(writes) {}

  void add(const scheduler::JournalRecord& record);
  void finish();  // to be called last

 private:
  struct Entry {
    std::uint64_t first = 0;  // sequence of its first record
    std::string texts;
  };
  void put(JobId job, const Entry& entry);

  std::map<JobId, std::uint64_t>& next_sequence_;
  rocksdb::WriteBatch& writes_;
  std::map<JobId, Entry> open_;
};

// The entry with all records that are later than that as of then; empty: there are none.
Result<std::string> entry_set_back_to(TimePoint latest, std::string_view key, std::string_view value);

}  // namespace ontime::journal
