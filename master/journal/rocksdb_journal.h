#pragma once
// The journal on disk: one RocksDB database in a directory of its own. See journal_key.h for what it holds.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "master/journal/journal.h"

namespace rocksdb {
class DB;
}

namespace ontime::journal {

struct RocksdbSettings {
  bool sync = true;  // false: appended records survive the death of the process but not of the machine
};

class RocksdbJournal : public Journal {
 public:
  // Creates the directory if it is missing. Refuses, with one sentence that names it, a directory that another master
  // has open, one that holds something else, a newer format, and a damaged journal.
  static Result<std::unique_ptr<RocksdbJournal>> open(const std::string& directory, RocksdbSettings settings);
  ~RocksdbJournal() override;

  const std::string& cluster() const override { return cluster_; }
  // REQUIRES: read_all() has succeeded once; it learns where each job's records end.
  Status append(std::span<const scheduler::Record> batch) override;
  Status read_all(const std::function<void(const scheduler::Record&)>& visit) override;

 private:
  class DirectoryLock;
  RocksdbJournal(std::string directory, RocksdbSettings settings, std::unique_ptr<DirectoryLock> lock);
  Status open_database();
  Status read_metadata();
  Status write_metadata();
  Error error_about(const char* what, const std::string& reason) const;

  const std::string directory_;
  const RocksdbSettings settings_;
  const std::unique_ptr<DirectoryLock> lock_;  // outlives database_
  std::unique_ptr<rocksdb::DB> database_;
  std::string cluster_;
  bool positioned_ = false;                       // read_all() has run
  std::map<JobId, std::uint64_t> next_sequence_;  // of jobs that have records
};

}  // namespace ontime::journal
