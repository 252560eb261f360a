#include "master/journal/rocksdb_journal.h"

#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <system_error>
#include <utility>
#include <variant>

#include "common/base/check.h"
#include "master/journal/journal_key.h"
#include "master/journal/record_codec.h"

namespace ontime::journal {
namespace {

constexpr const char* kLockName = "ontime-journal.lock";
constexpr const char* kFormatKey = "mformat";
constexpr const char* kClusterKey = "mcluster";

std::string quoted(const std::string& path) { return "'" + path + "'"; }

// Names the journal, not a secret.
std::string make_cluster_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", random());
    id += digits;
  }
  return id;
}

// Small and quick to open: the journal is written in order, read once at start, and never looked up.
rocksdb::Options make_options() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 8u << 20;
  options.max_write_buffer_number = 2;
  options.max_background_jobs = 2;
  options.max_open_files = 64;
  options.max_file_opening_threads = 1;
  options.keep_log_file_num = 1;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.skip_stats_update_on_db_open = true;
  // A torn last write is what a crash leaves and was never acknowledged; damage anywhere else is refused.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.avoid_flush_during_recovery = true;
  options.avoid_flush_during_shutdown = true;
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::string advice_for(const rocksdb::Status& status) {
  if (status.IsNoSpace()) return "; the disk is full: make room and start again";
  return "";
}

// Something other than a journal lives there already.
bool holds_something_else(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path path(directory);
  if (fs::exists(path / kLockName, ignored) || fs::exists(path / "CURRENT", ignored)) return false;
  return fs::directory_iterator(path, ignored) != fs::directory_iterator();
}

}  // namespace

// Held as long as the journal is open; the kernel releases it however the process ends.
class RocksdbJournal::DirectoryLock {
 public:
  static Result<std::unique_ptr<DirectoryLock>> take(const std::string& directory) {
    const std::string path = directory + "/" + kLockName;
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return failed("Cannot create " + quoted(path) + ": " + std::strerror(errno) + ".");
    auto lock = std::unique_ptr<DirectoryLock>(new DirectoryLock(descriptor));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) return failed("Cannot lock " + quoted(path) + ": " + std::strerror(errno) + ".");
    return failed("The journal in " + quoted(directory) +
                  " is in use by another ontime-master; stop it or name another directory with --journal.");
  }
  ~DirectoryLock() { ::close(descriptor_); }
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}
  const int descriptor_;
};

RocksdbJournal::RocksdbJournal(std::string directory, RocksdbSettings settings, std::unique_ptr<DirectoryLock> lock)
    : directory_(std::move(directory)), settings_(settings), lock_(std::move(lock)) {}

RocksdbJournal::~RocksdbJournal() {
  if (database_) static_cast<void>(database_->Close());
}

Error RocksdbJournal::error_about(const char* what, const std::string& reason) const {
  return failed(std::string("Cannot ") + what + " the journal in " + quoted(directory_) + ": " + reason + ".");
}

Result<std::unique_ptr<RocksdbJournal>> RocksdbJournal::open(const std::string& directory, RocksdbSettings settings) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return failed("Cannot create the journal directory " + quoted(directory) + ": " + error.message() + ".");
  if (holds_something_else(directory)) {
    return failed("The directory " + quoted(directory) +
                  " holds files that are not a journal; name an empty or new one with --journal.");
  }
  auto lock = DirectoryLock::take(directory);
  if (!lock) return lock.error();
  auto journal = std::unique_ptr<RocksdbJournal>(new RocksdbJournal(directory, settings, std::move(*lock)));
  if (Status status = journal->open_database(); !status) return status.error();
  if (Status status = journal->read_metadata(); !status) return status.error();
  return journal;
}

Status RocksdbJournal::open_database() {
  rocksdb::DB* database = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(make_options(), directory_, &database);
  database_.reset(database);
  if (status.ok()) return {};
  if (status.IsCorruption()) {
    return error_about("read", status.ToString() +
                                   "; it is damaged, and going on without its records could repeat or "
                                   "lose work: restore it from a copy or start with another --journal");
  }
  return error_about("open", status.ToString() + advice_for(status));
}

Status RocksdbJournal::read_metadata() {
  std::string format_text;
  const rocksdb::Status status = database_->Get({}, kFormatKey, &format_text);
  if (status.IsNotFound()) return write_metadata();
  if (!status.ok()) return error_about("read", status.ToString());
  std::uint32_t format = 0;
  const char* end = format_text.data() + format_text.size();
  const auto [stop, problem] = std::from_chars(format_text.data(), end, format);
  if (problem != std::errc() || stop != end || format == 0) return error_about("read", "its format number is damaged");
  if (format > kJournalFormat) {
    return error_about("read", "it has format " + format_text + " and this ontime-master knows formats up to " +
                                   std::to_string(kJournalFormat) + "; use the newer ontime-master that wrote it");
  }
  if (format < kJournalFormat) {  // what it holds reads the same
    const rocksdb::Status raised = database_->Put(rocksdb::WriteOptions(), kFormatKey, std::to_string(kJournalFormat));
    if (!raised.ok()) return error_about("write", raised.ToString() + advice_for(raised));
  }
  const rocksdb::Status found = database_->Get({}, kClusterKey, &cluster_);
  if (!found.ok() || cluster_.empty()) return error_about("read", "the id of its cluster is missing");
  return {};
}

// A new journal, or one whose making was interrupted.
Status RocksdbJournal::write_metadata() {
  const std::unique_ptr<rocksdb::Iterator> any(database_->NewIterator({}));
  any->SeekToFirst();
  if (any->Valid()) return error_about("read", "its format number is missing though it holds records");
  cluster_ = make_cluster_id();
  rocksdb::WriteBatch batch;
  static_cast<void>(batch.Put(kFormatKey, std::to_string(kJournalFormat)));
  static_cast<void>(batch.Put(kClusterKey, cluster_));
  rocksdb::WriteOptions options;
  options.sync = settings_.sync;
  const rocksdb::Status status = database_->Write(options, &batch);
  if (!status.ok()) return error_about("write", status.ToString() + advice_for(status));
  return {};
}

Status RocksdbJournal::append(std::span<const scheduler::Record> batch) {
  ONTIME_CHECK(positioned_, "the journal is read before it is written");
  rocksdb::WriteBatch writes;
  for (const scheduler::Record& record : batch) {
    const JobId job = scheduler::job_of(record.fact);
    if (std::holds_alternative<scheduler::record::JobForgotten>(record.fact)) {
      static_cast<void>(
          writes.DeleteRange(encode_key({job, 0}), encode_key({job, std::numeric_limits<std::uint64_t>::max()})));
      next_sequence_.erase(job);
    } else if (const auto* profile = std::get_if<scheduler::record::ProfileUpdated>(&record.fact)) {
      static_cast<void>(writes.Put(kProfilePrefix + profile->key, encode_record(record)));
    } else {
      static_cast<void>(writes.Put(encode_key({job, next_sequence_[job]++}), encode_record(record)));
    }
  }
  rocksdb::WriteOptions options;
  options.sync = settings_.sync;
  const rocksdb::Status status = database_->Write(options, &writes);
  if (!status.ok()) return error_about("write", status.ToString() + advice_for(status));
  return {};
}

Status RocksdbJournal::read_all(const std::function<void(const scheduler::Record&)>& visit) {
  next_sequence_.clear();
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> at(database_->NewIterator(options));
  at->Seek(rocksdb::Slice(&kProfilePrefix, 1));
  for (; at->Valid() && at->key().starts_with(rocksdb::Slice(&kProfilePrefix, 1)); at->Next()) {
    const Result<scheduler::Record> record = decode_record(at->value().ToStringView());
    if (!record) return error_about("read", "a profile: " + record.error().message);
    visit(*record);
  }
  for (; at->Valid(); at->Next()) {
    const std::optional<RecordKey> key = decode_key(at->key().ToStringView());
    if (!key) return error_about("read", "it holds a key that is not a record's; it is damaged");
    const std::string place = "record " + std::to_string(key->sequence) + " of " +
                              (key->job.value == 0 ? std::string("the cluster") : to_string(key->job));
    if (key->sequence != next_sequence_[key->job])
      return error_about("read", "records before " + place + " are missing");
    const Result<scheduler::Record> record = decode_record(at->value().ToStringView());
    if (!record) return error_about("read", place + ": " + record.error().message);
    if (scheduler::job_of(record->fact) != key->job) return error_about("read", place + " belongs to another job");
    ++next_sequence_[key->job];
    visit(*record);
  }
  if (!at->status().ok()) return error_about("read", at->status().ToString() + "; it is damaged");
  positioned_ = true;
  return {};
}

}  // namespace ontime::journal
