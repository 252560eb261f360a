#pragma once
// The records of a journal in memory, and the batches that change them. A batch is a sequence of operations:
//
//   batch     := operation*
//   operation := "j" job value          the next record of a job; job: 4 bytes
//              | "p" key value          what belongs to no job; key: its place (record_codec.h)
//              | "x" key key            removes the keys [first, second)
//              | "t" time               whatever is later is as of then; time: 8 bytes, nanoseconds since 1970
//   key, value := length bytes          length: 4 bytes
//
// Numbers are little endian, values as encode_record() makes them. All records that are held are a batch, too. Not for
// several threads at a time.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "scheduler/core/record.h"

namespace ontime::journal {

std::string encode_batch(std::span<const scheduler::JournalRecord> records);
std::string encode_set_back(TimePoint latest);

class RecordStore {
 public:
  // Carries out all operations that are whole; returns their bytes. An error if there is one of no known kind.
  Result<std::size_t> apply(std::string_view operations);

  // As Journal::read_all(); the error is the rest of a sentence.
  Status read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) const;

  // All that is held as one batch, in pieces; until one is not taken.
  void write(const std::function<bool(std::string_view piece)>& take) const;

  std::uint64_t bytes() const { return bytes_; }  // of what is held, as a batch

 private:
  // Each piece is of whole "value"s, and held apart so that none is moved as a job grows.
  struct JobRecords {
    std::vector<std::string> pieces;
    std::uint64_t bytes = 0;  // as operations
  };
  void add(JobId job, std::string_view value);
  void put(std::string_view key, std::string_view value);
  void remove(std::string_view first, std::string_view second);
  Status set_back(TimePoint latest);

  std::map<std::string, std::string, std::less<>> places_;
  std::map<JobId, JobRecords> jobs_;
  std::uint64_t bytes_ = 0;
};

}  // namespace ontime::journal
