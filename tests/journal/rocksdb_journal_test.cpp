// The journal on disk: reopened, refused, damaged.
#include "master/journal/rocksdb_journal.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "master/journal/directory.h"
#include "master/journal/record_codec.h"
#include "master/journal/texts.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

namespace ontime::journal {
namespace {

namespace fs = std::filesystem;
namespace fact = scheduler::fact;
using scheduler::JournalRecord;

JournalRecord fact_number(int number) {
  const auto task = static_cast<std::uint32_t>(number);
  return {from_unix_ns(number), fact::AttemptLaunched{AttemptId{{JobId{1}, task}, 0}, NodeId{1}, {0, 10}, false}};
}

std::string entry_of(const std::vector<std::string>& texts) {
  std::string entry;
  for (const std::string& text : texts) append_text(entry, text);
  return entry;
}

class RocksdbJournalTest : public testing::Test {
 protected:
  Result<std::unique_ptr<RocksdbJournal>> open(bool sync = false) {
    return RocksdbJournal::open(path_, {.sync = sync});
  }

  // Numbers of the facts in the journal; nothing if it cannot be opened or read, with the reason in `refusal_`.
  std::optional<std::vector<int>> reopen() {
    auto journal = open();
    if (!journal) {
      refusal_ = journal.error().message;
      return std::nullopt;
    }
    std::vector<int> numbers;
    const Status status = (*journal)->read_all([&](const JournalRecord& one) {
      EXPECT_EQ(encode_record(one), encode_record(fact_number(static_cast<int>(numbers.size()))));
      numbers.push_back(static_cast<int>(to_unix_ns(one.at)));
    });
    if (status) return numbers;
    refusal_ = status.error().message;
    return std::nullopt;
  }

  // A closed journal that holds facts 0 to count - 1, each in a batch of its own.
  void make_journal(int count) {
    auto journal = open(true);
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_TRUE((*journal)->read_all([](const JournalRecord&) {}));
    for (int number = 0; number < count; ++number) {
      const JournalRecord one = fact_number(number);
      ASSERT_TRUE((*journal)->append({&one, 1}));
    }
  }

  fs::path log_file() const {
    for (const auto& entry : fs::directory_iterator(path_)) {
      if (entry.path().extension() == ".log" && entry.file_size() > 0) return entry.path();
    }
    return {};
  }

  // Writes one raw entry, as a damaged or newer journal might hold it.
  void put_raw(const std::string& key, const std::string& value) {
    rocksdb::DB* database = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, path_, &database).ok());
    EXPECT_TRUE(database->Put({}, key, value).ok());
    delete database;
  }

  std::string get_raw(const std::string& key) {
    rocksdb::DB* database = nullptr;
    std::string value;
    EXPECT_TRUE(rocksdb::DB::OpenForReadOnly({}, path_, &database).ok());
    EXPECT_TRUE(database->Get({}, key, &value).ok());
    delete database;
    return value;
  }

  test::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "journal";
  std::string refusal_;
};

std::vector<int> first(int count) {
  std::vector<int> numbers;
  for (int number = 0; number < count; ++number) numbers.push_back(number);
  return numbers;
}

TEST_F(RocksdbJournalTest, HoldsWhatWasAppendedAfterReopening) {
  make_journal(5);
  EXPECT_EQ(reopen(), first(5));
}

TEST_F(RocksdbJournalTest, GoesOnBehindWhatItHeld) {
  make_journal(2);
  {
    auto journal = open();
    ASSERT_TRUE(journal);
    ASSERT_TRUE((*journal)->read_all([](const JournalRecord&) {}));
    const std::vector<JournalRecord> more = {fact_number(2), fact_number(3)};
    ASSERT_TRUE((*journal)->append(more));
  }
  EXPECT_EQ(reopen(), first(4));
}

TEST_F(RocksdbJournalTest, StoresABatchOnceThoughItIsAppendedAgain) {
  auto journal = open();
  ASSERT_TRUE(journal);
  ASSERT_TRUE((*journal)->read_all([](const JournalRecord&) {}));
  const std::vector<JournalRecord> batch = {fact_number(0), fact_number(1)};
  ASSERT_TRUE((*journal)->append(batch));
  ASSERT_TRUE((*journal)->append_again(batch));
  const JournalRecord more = fact_number(2);
  ASSERT_TRUE((*journal)->append({&more, 1}));
  journal->reset();
  EXPECT_EQ(reopen(), first(3));
}

TEST_F(RocksdbJournalTest, IsReadWithoutBeingChangedWhileAnotherHasIt) {
  make_journal(3);
  const auto open_journal = open();
  ASSERT_TRUE(open_journal);
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(path_)) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  };
  const std::vector<std::string> before = names();
  auto journal = RocksdbJournal::open_to_read(path_);
  ASSERT_TRUE(journal) << journal.error().message;
  std::size_t count = 0;
  ASSERT_TRUE((*journal)->read_all([&](const JournalRecord&) { ++count; }));
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(names(), before);
  EXPECT_FALSE(RocksdbJournal::open_to_read(directory_ / "none"));
  EXPECT_FALSE(fs::exists(directory_ / "none"));
}

TEST_F(RocksdbJournalTest, KeepsItsClusterIdAndDiffersFromOthers) {
  std::string id;
  {
    auto journal = open();
    ASSERT_TRUE(journal);
    id = (*journal)->cluster();
  }
  auto again = open();
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->cluster(), id);
  auto other = RocksdbJournal::open(directory_ / "other", {.sync = true});
  ASSERT_TRUE(other);
  EXPECT_NE((*other)->cluster(), id);
}

TEST_F(RocksdbJournalTest, RefusesASecondMaster) {
  auto one = open();
  ASSERT_TRUE(one);
  auto two = open();
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().message, "The journal in '" + path_ +
                                     "' is in use by another ontime-master; stop it or name another directory with "
                                     "--journal.");
}

TEST_F(RocksdbJournalTest, RefusesADirectoryOfSomethingElse) {
  test::write_file(fs::path(path_) / "letter.txt", "dear reader");
  EXPECT_EQ(reopen(), std::nullopt);
  EXPECT_NE(refusal_.find("holds files that are not a journal"), std::string::npos) << refusal_;
  EXPECT_FALSE(fs::exists(fs::path(path_) / "CURRENT"));
}

TEST_F(RocksdbJournalTest, RefusesAPathThatCannotBeADirectory) {
  test::write_file(path_, "a file");
  EXPECT_EQ(reopen(), std::nullopt);
  EXPECT_NE(refusal_.find(path_), std::string::npos) << refusal_;
}

TEST_F(RocksdbJournalTest, RefusesANewerFormat) {
  make_journal(1);
  put_raw("mformat", std::to_string(kJournalFormat + 1));
  EXPECT_EQ(reopen(), std::nullopt);
  EXPECT_NE(refusal_.find("it has format 10 and this ontime-master knows formats up to 9"), std::string::npos)
      << refusal_;
}

TEST_F(RocksdbJournalTest, RefusesAnOlderFormat) {
  make_journal(1);
  put_raw("mformat", std::to_string(kJournalFormat - 1));
  EXPECT_EQ(reopen(), std::nullopt);
  EXPECT_NE(refusal_.find("let the ontime-master that wrote it finish its jobs"), std::string::npos) << refusal_;
}

TEST_F(RocksdbJournalTest, RefusesARecordThatDoesNotDecode) {
  make_journal(2);
  put_raw(encode_key({JobId{1}, 2}), entry_of({"garbage"}));
  EXPECT_EQ(reopen(), std::nullopt);
  EXPECT_NE(refusal_.find("record 2 of job-1: "), std::string::npos) << refusal_;
}

TEST_F(RocksdbJournalTest, RefusesAGapInAJobsRecords) {
  make_journal(2);
  put_raw(encode_key({JobId{1}, 3}), entry_of({encode_record(fact_number(3))}));
  EXPECT_EQ(reopen(), std::nullopt);
  EXPECT_NE(refusal_.find("records before record 3 of job-1 are missing"), std::string::npos) << refusal_;
}

TEST_F(RocksdbJournalTest, RefusesARecordUnderAnotherJobsKey) {
  make_journal(1);
  put_raw(encode_key({JobId{9}, 0}), entry_of({encode_record(fact_number(0))}));
  EXPECT_EQ(reopen(), std::nullopt);
  EXPECT_NE(refusal_.find("record 0 of job-9 belongs to another job"), std::string::npos) << refusal_;
}

TEST_F(RocksdbJournalTest, KnowsWhenItsDirectoryIsTakenAway) {
  auto journal = open();
  ASSERT_TRUE(journal);
  ASSERT_TRUE((*journal)->read_all([](const JournalRecord&) {}));
  fs::rename(path_, directory_ / "elsewhere");
  const JournalRecord one = fact_number(0);
  const Status gone = (*journal)->append({&one, 1});
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message.find("the directory was removed or another one is in its place"), std::string::npos);
  fs::create_directories(path_);
  const auto other = DirectoryLock::take(path_);  // nobody has that one
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_FALSE((*journal)->append({&one, 1}));
}

TEST_F(RocksdbJournalTest, IsNobodyElsesToRead) {
  fs::create_directories(path_);
  fs::permissions(path_, fs::perms(0755));
  make_journal(1);
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0700));
}

TEST_F(RocksdbJournalTest, EveryFileIsNobodyElsesToRead) {
  const mode_t before = ::umask(022);
  const auto expect_private_files = [this] {
    for (const auto& entry : fs::directory_iterator(path_)) {
      EXPECT_EQ(entry.status().permissions(), fs::perms(0600)) << entry.path();
    }
  };
  for (int start = 0; start < 20; ++start) make_journal(1);  // logs go into a table
  const auto is_table = [](const fs::directory_entry& entry) { return entry.path().extension() == ".sst"; };
  EXPECT_GT(std::count_if(fs::directory_iterator(path_), fs::directory_iterator(), is_table), 0);
  expect_private_files();
  for (const auto& entry : fs::directory_iterator(path_)) fs::permissions(entry.path(), fs::perms(0644));
  make_journal(1);
  expect_private_files();
  ::umask(before);
}

TEST_F(RocksdbJournalTest, KeepsFewLogsHoweverOftenItIsOpened) {
  for (int number = 0; number < 30; ++number) {
    auto journal = open();
    ASSERT_TRUE(journal);
    ASSERT_TRUE((*journal)->read_all([](const JournalRecord&) {}));
    const JournalRecord one = fact_number(number);
    ASSERT_TRUE((*journal)->append({&one, 1}));
  }
  const auto is_log = [](const fs::directory_entry& entry) { return entry.path().extension() == ".log"; };
  EXPECT_LE(std::count_if(fs::directory_iterator(path_), fs::directory_iterator(), is_log), 12);
  EXPECT_EQ(reopen(), first(30));
}

// What a crash or a bad disk can leave.
class DamageTest : public RocksdbJournalTest {
 protected:
  static constexpr int kFacts = 12;

  void SetUp() override {
    make_journal(kFacts);
    log_name_ = log_file().filename();
    log_ = test::read_file(log_file());
    fs::copy(path_, whole_);
    ASSERT_GT(log_.size(), 100u);
  }

  // A copy of the journal with that log.
  void put_log(const std::string& log) {
    fs::remove_all(path_);
    fs::copy(whole_, path_);
    test::write_file(fs::path(path_) / log_name_, log);
  }
  // A power cut may take the note of how much was written back to any earlier one.
  void forget_the_note() { fs::resize_file(fs::path(path_) / DirectoryLock::kName, 0); }

  void expect_refusal() {
    EXPECT_EQ(reopen(), std::nullopt);
    EXPECT_NE(refusal_.find(path_), std::string::npos) << refusal_;
    EXPECT_NE(refusal_.find("damaged"), std::string::npos) << refusal_;
  }

  const std::string whole_ = directory_ / "whole";
  std::string log_name_;
  std::string log_;
};

TEST_F(DamageTest, ALogCutAtAnyByteGivesAPrefix) {
  for (std::size_t length = 0; length < log_.size(); length += test::kIsSanitized ? 7 : 1) {
    SCOPED_TRACE("cut at byte " + std::to_string(length));
    put_log(log_.substr(0, length));
    forget_the_note();
    const std::optional<std::vector<int>> numbers = reopen();
    ASSERT_TRUE(numbers) << refusal_;
    EXPECT_LT(numbers->size(), static_cast<std::size_t>(kFacts));
    EXPECT_EQ(*numbers, first(static_cast<int>(numbers->size())));
  }
}

TEST_F(DamageTest, ALogThatLacksWhatWasDurableIsRefused) {
  for (std::size_t length = 0; length < log_.size(); length += 1 + log_.size() / 60) {
    SCOPED_TRACE("cut at byte " + std::to_string(length));
    put_log(log_.substr(0, length));
    expect_refusal();
  }
  put_log("");
  fs::remove(fs::path(path_) / log_name_);
  expect_refusal();
  EXPECT_NE(refusal_.find("the last 13 of 13 batches that were written are gone"), std::string::npos) << refusal_;
}

// In the length of a log's record above all: RocksDB takes the rest for a tail that a crash has cut.
TEST_F(DamageTest, AFlippedBitIsRefusedWhereverItIs) {
  const std::size_t header = 7;  // of a record in the log: checksum (4), length (2), kind (1)
  std::vector<std::size_t> places;
  for (std::size_t record = 0; record + header < log_.size();) {
    for (const std::size_t at : {0u, 4u, 5u, 6u, 20u}) places.push_back(record + at);
    const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(log_[at])); };
    record += header + byte(record + 4) + 256 * byte(record + 5);
  }
  ASSERT_GT(places.size(), 5u * kFacts);
  for (const std::size_t at : places) {
    for (const int bit : {0, 3, 7}) {
      SCOPED_TRACE("flip of bit " + std::to_string(bit) + " of byte " + std::to_string(at));
      std::string damaged = log_;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      put_log(damaged);
      expect_refusal();
    }
  }
}

TEST_F(DamageTest, OfTheNoteAloneIsNoReasonToDistrustAWholeJournal) {
  put_log(log_);
  const fs::path note = fs::path(path_) / DirectoryLock::kName;
  std::string bytes = test::read_file(note);
  ASSERT_EQ(bytes.size(), kChainBytes);
  bytes[2] = static_cast<char>(bytes[2] ^ 4);
  test::write_file(note, bytes);
  EXPECT_EQ(reopen(), first(kFacts));
}

TEST_F(DamageTest, AnotherJournalsLogIsRefused) {
  put_log(log_);
  const std::string path = directory_ / "other";
  {
    auto other = RocksdbJournal::open(path, {.sync = true});
    ASSERT_TRUE(other && (*other)->read_all([](const JournalRecord&) {}));
    for (int number = 0; number < kFacts; ++number) {
      const JournalRecord one = fact_number(number);
      ASSERT_TRUE((*other)->append({&one, 1}));
    }
  }
  test::write_file(fs::path(path_) / log_name_, test::read_file(fs::path(path) / log_name_));
  EXPECT_EQ(reopen(), std::nullopt);
  EXPECT_NE(refusal_.find("its latest batch is not the one that was written last"), std::string::npos) << refusal_;
}

TEST_F(DamageTest, AFlippedByteInTheMiddleIsRefusedAndNamed) {
  std::string damaged = log_;
  damaged[log_.size() / 2] = static_cast<char>(damaged[log_.size() / 2] ^ 0x41);
  put_log(damaged);
  expect_refusal();
  EXPECT_NE(refusal_.find("it is damaged"), std::string::npos) << refusal_;
  EXPECT_NE(refusal_.find(log_name_), std::string::npos) << refusal_;
}

}  // namespace
}  // namespace ontime::journal
