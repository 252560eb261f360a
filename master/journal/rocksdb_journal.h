#pragma once
// The journal on disk: one RocksDB database in a directory of its own. record_codec.h says what it holds.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "master/journal/directory.h"
#include "master/journal/journal.h"

namespace rocksdb {
class DB;
class Env;
class Status;
class WriteBatch;
}  // namespace rocksdb

namespace ontime::journal {

struct RocksdbSettings {
  bool sync = true;  // false: appended records survive the death of the process but not of the machine
};

class RocksdbJournal : public Journal {
 public:
  // Creates the directory if it is missing. Refuses, with one sentence that names it, a directory that another master
  // has open, one that holds something else, another format, and a journal that is damaged or lacks what was written.
  static Result<std::unique_ptr<RocksdbJournal>> open(const std::string& directory, RocksdbSettings settings);
  // To look at: changes nothing in the directory, and does not care whether a master has it open, whose latest records
  // may then be missing. REQUIRES: append() is never called.
  static Result<std::unique_ptr<RocksdbJournal>> open_to_read(const std::string& directory);
  ~RocksdbJournal() override;

  const std::string& cluster() const override { return cluster_; }
  // REQUIRES: read_all() has succeeded once; it learns where each job's records end.
  Status append(std::span<const scheduler::JournalRecord> batch) override;
  bool is_quick() const override { return !settings_.sync; }
  Status append_again(std::span<const scheduler::JournalRecord> batch) override;
  Status set_back(TimePoint latest) override;
  Status read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) override;
  Status read_with_messages(const VisitWithMessage& visit) override;

 private:
  enum class For { Writing, Reading };
  RocksdbJournal(std::string directory, RocksdbSettings settings, std::unique_ptr<DirectoryLock> lock);
  Status open_database(For purpose);
  Status read_metadata(For purpose, const std::optional<Chain>& noted);
  Status check_chain(const Chain& noted) const;
  Status write_metadata();
  Status sync_logs() const;
  Status trim_logs();
  Status write(rocksdb::WriteBatch& batch);
  Error damaged(const std::string& how) const;
  Error error_about(const char* what, const std::string& reason) const;
  Error write_error(const rocksdb::Status& status) const;

  const std::string directory_;
  const RocksdbSettings settings_;
  const std::unique_ptr<DirectoryLock> lock_;  // outlives database_; null if it is only read
  const std::unique_ptr<rocksdb::Env> files_;  // outlives database_
  std::unique_ptr<rocksdb::DB> database_;
  std::string cluster_;
  Chain chain_;                                   // of all batches that are stored
  Chain latest_;                                  // and of the latest, whether that is stored or not
  bool positioned_ = false;                       // read_all() has run
  std::map<JobId, std::uint64_t> next_sequence_;  // of jobs that have records
};

}  // namespace ontime::journal
