// How records lie in entries, and that a crash leaves whole batches of them.
#include "master/journal/entries.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "master/journal/record_codec.h"
#include "master/journal/rocksdb_journal.h"
#include "tests/support/temporary_directory.h"

namespace ontime::journal {
namespace {

namespace fs = std::filesystem;
namespace fact = scheduler::fact;
using scheduler::JournalRecord;
using Contents = std::vector<std::string>;

std::unique_ptr<RocksdbJournal> open(const std::string& path) {
  auto journal = RocksdbJournal::open(path, {.sync = false});
  EXPECT_TRUE(journal) << journal.error().message;
  return journal ? std::move(*journal) : nullptr;
}

Contents contents_of(Journal& journal) {
  Contents all;
  const Status status = journal.read_all([&](const JournalRecord& one) { all.push_back(encode_record(one)); });
  EXPECT_TRUE(status) << status.error().message;
  return all;
}

std::size_t entries_in(const std::string& path) {
  rocksdb::DB* database = nullptr;
  EXPECT_TRUE(rocksdb::DB::OpenForReadOnly({}, path, &database).ok());
  const std::unique_ptr<rocksdb::DB> owner(database);
  const std::unique_ptr<rocksdb::Iterator> at(database->NewIterator({}));
  std::size_t entries = 0;
  for (at->Seek(std::string(1, kRecordPrefix)); at->Valid(); at->Next()) ++entries;
  return entries;
}

// What a journal has to hold after each batch.
class Model {
 public:
  void apply(const std::vector<JournalRecord>& batch) {
    for (const JournalRecord& record : batch) {
      const JobId job = scheduler::job_of(record.fact);
      if (std::holds_alternative<fact::JobForgotten>(record.fact)) {
        jobs_.erase(job);
      } else {
        jobs_[job].push_back(record);
      }
    }
  }
  void set_back(TimePoint latest) {
    for (auto& [job, records] : jobs_) {
      for (JournalRecord& record : records) record.at = std::min(record.at, latest);
    }
  }
  Contents contents() const {
    Contents all;
    for (const auto& [job, records] : jobs_) {
      for (const JournalRecord& record : records) all.push_back(encode_record(record));
    }
    return all;
  }

 private:
  std::map<JobId, std::vector<JournalRecord>> jobs_;
};

std::vector<JournalRecord> any_batch() {
  std::vector<JournalRecord> batch;
  for (int left = *rc::gen::inRange(1, 6); left > 0; --left) {
    const JobId job{*rc::gen::inRange<std::uint32_t>(1, 4)};
    const TimePoint at = from_unix_ns(*rc::gen::inRange<std::int64_t>(1, 1000));
    if (*rc::gen::inRange(0, 40) == 0) {
      batch.push_back({at, fact::JobForgotten{job}});
      continue;
    }
    const bool is_large = *rc::gen::inRange(0, 15) == 0;
    const auto size = *rc::gen::inRange<std::size_t>(0, is_large ? 2 * kEntryBytesMost : 500);
    batch.push_back({at, fact::AttemptEnded{{{job, 1}, 0}, scheduler::AttemptEnd::Failed, std::string(size, 'x')}});
  }
  return batch;
}

// The log that was written last; empty if nothing was.
fs::path last_log(const std::string& path) {
  fs::path last;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".log" && entry.file_size() > 0) last = std::max(last, entry.path());
  }
  return last;
}

RC_GTEST_PROP(EntriesProperty, OfWhatMastersAppendedACrashLeavesWholeBatches, ()) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "journal";
  Model model;
  std::vector<Contents> possible;
  for (int masters = *rc::gen::inRange(1, 4); masters > 0; --masters) {
    auto journal = open(path);
    RC_ASSERT(contents_of(*journal) == model.contents());
    if (*rc::gen::arbitrary<bool>()) {
      const TimePoint latest = from_unix_ns(*rc::gen::inRange<std::int64_t>(1, 1000));
      RC_ASSERT(bool(journal->set_back(latest)));
      model.set_back(latest);
      journal.reset();
      journal = open(path);
      RC_ASSERT(contents_of(*journal) == model.contents());
    }
    possible = {model.contents()};
    for (int batches = *rc::gen::inRange(1, 60); batches > 0; --batches) {
      const std::vector<JournalRecord> batch = any_batch();
      RC_ASSERT(bool(journal->append(batch)));
      model.apply(batch);
      possible.push_back(model.contents());
    }
  }
  RC_ASSERT(contents_of(*open(path)) == model.contents());
  const fs::path log = last_log(path);
  if (log.empty()) return;
  fs::resize_file(log, *rc::gen::inRange<std::uintmax_t>(0, fs::file_size(log)));
  const Contents left = contents_of(*open(path));
  RC_ASSERT(std::find(possible.begin(), possible.end(), left) != possible.end());
}

TEST(Entries, OfABatchAreOneForEachJob) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "journal";
  {
    const auto journal = open(path);
    contents_of(*journal);
    std::vector<JournalRecord> batch;
    for (std::uint32_t i = 0; i < 300; ++i) batch.push_back({from_unix_ns(i), fact::CommitStarted{JobId{1 + i % 3}}});
    ASSERT_TRUE(journal->append(batch));
  }
  EXPECT_EQ(entries_in(path), 3u);
}

TEST(Entries, GrowToALimitAndALargerRecordIsOneAlone) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "journal";
  {
    const auto journal = open(path);
    contents_of(*journal);
    std::vector<JournalRecord> batch;
    for (const std::size_t kib : {20u, 20u, 20u, 20u, 100u}) {
      const fact::AttemptEnded ended{{{JobId{1}, 1}, 0}, scheduler::AttemptEnd::Failed, std::string(kib << 10, 'x')};
      batch.push_back({from_unix_ns(1), ended});
    }
    ASSERT_TRUE(journal->append(batch));
  }
  EXPECT_EQ(entries_in(path), 3u) << "60, 20 and 100 KiB";
}

}  // namespace
}  // namespace ontime::journal
