#include "master/journal/rocksdb_journal.h"

#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>
#include <variant>

#include "common/base/check.h"
#include "common/base/kill_point.h"
#include "common/base/wording.h"
#include "common/files/file_system.h"
#include "common/files/sync.h"
#include "master/journal/damage_log.h"
#include "master/journal/database_files.h"
#include "master/journal/directory.h"
#include "master/journal/entries.h"
#include "master/journal/journal_identity.h"
#include "master/journal/journal_reader.h"
#include "master/journal/log_order.h"
#include "master/journal/record_codec.h"

namespace ontime::journal {
namespace {

constexpr const char* kFormatKey = "mformat";
constexpr const char* kClusterKey = "mcluster";
constexpr const char* kChainKey = "mchain";
constexpr std::size_t kLogsMost = 8;  // one for each start, as long as there is little in them

// Small and quick to open: the journal is written in order, read once at start, and never looked up.
rocksdb::Options make_options(rocksdb::Env& files, std::shared_ptr<rocksdb::Logger> log) {
  rocksdb::Options options;
  options.env = &files;
  options.info_log = std::move(log);
  options.create_if_missing = true;
  options.write_buffer_size = 8u << 20;
  options.max_write_buffer_number = 2;
  options.max_background_jobs = 2;
  options.max_open_files = 64;
  options.max_file_opening_threads = 1;
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

// Something other than a journal lives there already.
bool holds_something_else(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path path(directory);
  if (fs::exists(path / DirectoryLock::kName, ignored) || fs::exists(path / "CURRENT", ignored)) return false;
  return fs::directory_iterator(path, ignored) != fs::directory_iterator();
}

}  // namespace

RocksdbJournal::RocksdbJournal(std::string directory, RocksdbSettings settings, std::unique_ptr<DirectoryLock> lock)
    : directory_(std::move(directory)),
      settings_(settings),
      lock_(std::move(lock)),
      files_(make_private_env(settings.sync)) {}

RocksdbJournal::~RocksdbJournal() {
  if (database_) static_cast<void>(database_->Close());
}

Error RocksdbJournal::error_about(const char* what, const std::string& reason) const {
  return failed(std::string("Cannot ") + what + " the journal in " + in_quotes(directory_) + ": " + reason + ".");
}

Error RocksdbJournal::damaged(const std::string& how) const {
  return error_about("read", how +
                                 "; it is damaged, and going on without its records could repeat or lose work: restore "
                                 "it from a copy or start with another --journal");
}

Error RocksdbJournal::write_error(const rocksdb::Status& status) const {
  if (!status.IsNoSpace()) return error_about("write", status.ToString());
  return unavailable(error_about("write", "the disk is full").message);
}

Result<std::unique_ptr<RocksdbJournal>> RocksdbJournal::open(const std::string& directory, RocksdbSettings settings) {
  const int problem = files::make_directories(directory);
  if (problem != 0)
    return failed("Cannot create the journal directory " + in_quotes(directory) + ": " + std::strerror(problem) + ".");
  std::error_code error;
  // Before anything is promised, the directory's own name must last.
  std::error_code ignored;
  if (settings.sync) files::sync_names_above(std::filesystem::absolute(directory, ignored).lexically_normal());
  if (holds_something_else(directory)) {
    return failed("The directory " + in_quotes(directory) +
                  " holds files that are not a journal; name an empty or new one with --journal.");
  }
  // What jobs read and write is nobody else's business.
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  if (error)
    return failed("Cannot keep others out of the journal directory " + in_quotes(directory) + ": " + error.message() +
                  ".");
  auto lock = DirectoryLock::take(directory);
  if (!lock) return lock.error();
  // A journal whose making was interrupted is recognised by the lock's name.
  if (settings.sync) static_cast<void>(files::sync_directory(directory));
  if (Status status = make_files_private(directory); !status) return status.error();
  auto journal = std::unique_ptr<RocksdbJournal>(new RocksdbJournal(directory, settings, std::move(*lock)));
  if (Status status = journal->open_database(For::Writing); !status) return status.error();
  if (Status status = journal->trim_logs(); !status) return status.error();
  return journal;
}

Result<std::unique_ptr<RocksdbJournal>> RocksdbJournal::open_to_read(const std::string& directory) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::path(directory) / "CURRENT", ignored)) {
    return failed("There is no journal in " + in_quotes(directory) + ": it has no file CURRENT.");
  }
  auto journal = std::unique_ptr<RocksdbJournal>(new RocksdbJournal(directory, {}, nullptr));
  if (Status status = journal->open_database(For::Reading); !status) return status.error();
  return journal;
}

Status RocksdbJournal::open_database(For purpose) {
  const std::optional<Chain> noted = DirectoryLock::noted_in(directory_);  // first: a master may be writing
  if (const std::string wrong = log_out_of_order(directory_); !wrong.empty())
    return damaged(in_quotes(wrong) + " holds batches twice, or in another order than they were written");
  const auto log = std::make_shared<DamageLog>();
  rocksdb::DB* database = nullptr;
  const rocksdb::Options options = make_options(*files_, log);
  const rocksdb::Status status = purpose == For::Writing ? rocksdb::DB::Open(options, directory_, &database)
                                                         : rocksdb::DB::OpenForReadOnly(options, directory_, &database);
  database_.reset(database);
  if (status.ok() && purpose == For::Writing) {
    if (Status synced = sync_logs(); !synced) return synced;
  }
  if (status.ok()) return read_metadata(purpose, noted);
  if (status.IsCorruption()) return damaged(log->place() + status.ToString());
  if (status.IsNoSpace()) return unavailable(error_about("open", "the disk is full; make room").message);
  return error_about("open", status.ToString());
}

Status RocksdbJournal::read_metadata(For purpose, const std::optional<Chain>& noted) {
  std::string format_text;
  const rocksdb::Status status = database_->Get({}, kFormatKey, &format_text);
  if (status.IsNotFound() && noted) return check_chain(*noted);
  if (status.IsNotFound() && purpose == For::Writing) return write_metadata();
  if (status.IsNotFound()) return error_about("read", "its format number is missing; its making was interrupted");
  if (!status.ok()) return error_about("read", status.ToString());
  if (const std::string wrong = wrong_format(format_text); !wrong.empty()) return error_about("read", wrong);
  const rocksdb::Status found = database_->Get({}, kClusterKey, &cluster_);
  if (!found.ok() || cluster_.empty()) return error_about("read", "the id of its cluster is missing");
  std::string chain;
  const bool is_there = database_->Get({}, kChainKey, &chain).ok();
  const std::optional<Chain> decoded = decode_chain(chain);
  if (!is_there || !decoded) return error_about("read", "the count of its batches is missing or damaged");
  chain_ = *decoded;
  return noted ? check_chain(*noted) : Status();
}

// What was noted was durable: it must be here.
Status RocksdbJournal::check_chain(const Chain& noted) const {
  if (chain_.batches > noted.batches || chain_ == noted) return {};
  const std::string what = chain_.batches == noted.batches
                               ? "its latest batch is not the one that was written last"
                               : "the last " + std::to_string(noted.batches - chain_.batches) + " of " +
                                     std::to_string(noted.batches) + " batches that were written are gone";
  return error_about("read", what +
                                 "; a log is damaged or missing, and going on without its records could repeat or lose "
                                 "work: restore it from a copy or start with another --journal");
}

// What the last master wrote and did not live to sync counts from now on, as it was read. A power cut must not take it
// away from below what this master writes into the next log, and RocksDB syncs only that.
Status RocksdbJournal::sync_logs() const {
  if (!settings_.sync) return {};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
    if (entry.path().extension() != ".log") continue;
    const int problem = files::sync_file(entry.path().string());
    if (problem != 0) return error_about("sync", entry.path().string() + ": " + std::strerror(problem));
  }
  return error ? Status(error_about("read", error.message())) : Status();
}

// RocksDB keeps the log of each start until so much was written that it goes into a table.
Status RocksdbJournal::trim_logs() {
  rocksdb::VectorLogPtr logs;
  if (!database_->GetSortedWalFiles(logs).ok() || logs.size() <= kLogsMost) return {};
  const rocksdb::Status status = database_->Flush({});
  return status.ok() ? Status() : Status(write_error(status));
}

// With what ties it to the batches before it.
Status RocksdbJournal::write(rocksdb::WriteBatch& batch) {
  if (!lock_->is_in_place()) {
    return error_about("write",
                       "the directory was removed or another one is in its place; start again with the "
                       "journal where it is now");
  }
  latest_ = chain_.with(batch.Data());
  static_cast<void>(batch.Put(kChainKey, encode_chain(latest_)));
  rocksdb::WriteOptions options;
  options.sync = settings_.sync;
  if (const rocksdb::Status status = database_->Write(options, &batch); !status.ok()) return write_error(status);
  chain_ = latest_;
  if (settings_.sync) lock_->note(chain_);
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
  pass_kill_point("journal-before-first-write");
  Status status = write(batch);
  if (status) pass_kill_point("journal-first-written");
  return status;
}

Status RocksdbJournal::append(std::span<const scheduler::JournalRecord> batch) {
  ONTIME_CHECK(positioned_, "the journal is read before it is written");
  rocksdb::WriteBatch writes;
  EntryMaker entries(next_sequence_, writes);
  for (const scheduler::JournalRecord& record : batch) entries.add(record);
  entries.finish();
  pass_kill_point("journal-before-write");
  Status status = write(writes);
  if (status) pass_kill_point("journal-written");
  return status;
}

// RocksDB writes no more after an error. Opened again it finds what is whole, as the next master would. A batch is
// stored whole or not at all.
Status RocksdbJournal::append_again(std::span<const scheduler::JournalRecord> batch) {
  database_.reset();
  if (Status status = open_database(For::Writing); !status) return status;
  if (Status status = read_all([](const scheduler::JournalRecord&) {}); !status) return status;
  return chain_ == latest_ ? Status() : append(batch);
}

Status RocksdbJournal::set_back(TimePoint latest) {
  constexpr std::size_t kBatchBytes = 1u << 20;
  const std::unique_ptr<rocksdb::Iterator> at(database_->NewIterator({}));  // of what is there now
  rocksdb::WriteBatch batch;
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    if (at->key()[0] == kMetadataPrefix) continue;
    const Result<std::string> changed = entry_set_back_to(latest, at->key().ToStringView(), at->value().ToStringView());
    if (!changed) return error_about("read", changed.error().message);
    if (changed->empty()) continue;
    static_cast<void>(batch.Put(at->key(), *changed));
    if (batch.GetDataSize() < kBatchBytes) continue;
    if (Status status = write(batch); !status) return status;
    batch.Clear();
  }
  if (!at->status().ok()) return error_about("read", at->status().ToString());
  return write(batch);
}

Status RocksdbJournal::read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) {
  return read_with_messages([&visit](const scheduler::JournalRecord& record, std::string_view) { visit(record); });
}

Status RocksdbJournal::read_with_messages(const VisitWithMessage& visit) {
  next_sequence_.clear();
  Status read = JournalReader(*database_, next_sequence_).read(visit);
  if (!read) return error_about("read", read.error().message);
  positioned_ = true;
  return {};
}

}  // namespace ontime::journal
