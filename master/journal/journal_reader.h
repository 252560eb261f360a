#pragma once
// Reads all records of a RocksdbJournal, and checks each and its place. A large journal is read and decoded by a thread
// of its own, ahead of the caller, who gets record after record. Not for several threads at a time.

#include <rocksdb/db.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "master/journal/record_codec.h"
#include "scheduler/core/record.h"

namespace ontime::journal {

class JournalReader {
 public:
  // `next_sequence`: is filled with where each job's records end. Both outlive this.
  JournalReader(rocksdb::DB& database, std::map<JobId, std::uint64_t>& next_sequence);

  // To be called once; visits throw nothing. The message of a record lives as long as the visit. The error is the rest
  // of a sentence.
  using Visit = std::function<void(const scheduler::JournalRecord& record, std::string_view message)>;
  Status read(const Visit& visit);

 private:
  struct Block {  // of records of entries that lie one behind another
    std::vector<scheduler::JournalRecord> records;
    std::vector<std::size_t> ends;  // of their messages
    std::string messages;
    bool is_last = false;
  };
  static void visit_all(const Block& block, const Visit& visit);
  void fill(Block& block);
  Status read_entry(Block& block);
  Status read_one(std::string_view value, Block& block);
  std::string check_key(std::string_view key);
  Status read_ahead(const Visit& visit);

  const std::unique_ptr<rocksdb::Iterator> at_;
  RecordDecoder decoder_;
  std::map<JobId, std::uint64_t>& next_sequence_;
  JobId job_;
  std::uint64_t* next_ = nullptr;  // sequence of that job
  Status status_;
};

}  // namespace ontime::journal
