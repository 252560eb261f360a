#include "master/journal/journal_reader.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "master/journal/record_codec.h"
#include "master/journal/rocksdb_journal.h"
#include "master/journal/texts.h"
#include "tests/support/temporary_directory.h"

namespace ontime::journal {
namespace {

namespace fact = scheduler::fact;
using scheduler::JournalRecord;

constexpr int kMany = 5000;  // more than are read before a thread of its own reads ahead

constexpr std::size_t kInEntry = 100;

JournalRecord launch_number(int number) {
  const auto task = static_cast<std::uint32_t>(number);
  return {from_unix_ns(number), fact::AttemptLaunched{AttemptId{{JobId{1}, task}, 0}, NodeId{1}, {0, 10}, false}};
}

class JournalReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    auto journal = RocksdbJournal::open(path_, {.sync = false});
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_TRUE((*journal)->read_all([](const JournalRecord&) {}));
    std::vector<JournalRecord> facts;
    for (int number = 0; number < kMany; ++number) {
      facts.push_back(launch_number(number));
      if (facts.size() < kInEntry) continue;
      ASSERT_TRUE((*journal)->append(facts));
      facts.clear();
    }
  }

  void change(const std::function<void(rocksdb::DB&)>& how) const {
    rocksdb::DB* database = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, path_, &database).ok());
    const std::unique_ptr<rocksdb::DB> owner(database);
    how(*database);
  }

  // How many of the first facts are read, each with its message; why no more in `refusal_`.
  int read() {
    auto journal = RocksdbJournal::open(path_, {.sync = false});
    EXPECT_TRUE(journal);
    int count = 0;
    const Status status = (*journal)->read_with_messages([&](const JournalRecord& one, std::string_view message) {
      const std::string expected = encode_record(launch_number(count++));
      EXPECT_EQ(encode_record(one), expected);
      EXPECT_EQ(message, message_of(expected));
    });
    refusal_ = status ? "" : status.error().message;
    return count;
  }

  const test::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "journal";
  std::string refusal_;
};

TEST_F(JournalReaderTest, ReadsALargeJournalInOrderWithItsMessages) {
  EXPECT_EQ(read(), kMany);
  EXPECT_EQ(refusal_, "");
}

TEST_F(JournalReaderTest, StopsAtARecordThatIsDamaged) {
  change([](rocksdb::DB& database) {
    std::string entry;
    append_text(entry, encode_record(launch_number(4000)));
    append_text(entry, "no record");
    EXPECT_TRUE(database.Put({}, encode_key({JobId{1}, 4000}), entry).ok());
  });
  EXPECT_EQ(read(), 4001);
  EXPECT_NE(refusal_.find("record 4001 of job-1: "), std::string::npos) << refusal_;
}

TEST_F(JournalReaderTest, StopsInAnEntryThatIsCutShort) {
  change([](rocksdb::DB& database) {
    std::string entry;
    append_text(entry, encode_record(launch_number(4000)));
    append_text(entry, encode_record(launch_number(4001)));
    entry.pop_back();
    EXPECT_TRUE(database.Put({}, encode_key({JobId{1}, 4000}), entry).ok());
  });
  EXPECT_EQ(read(), 4001);
  EXPECT_NE(refusal_.find("record 4001 of job-1 is cut short"), std::string::npos) << refusal_;
}

TEST_F(JournalReaderTest, StopsAtAnEntryWithoutRecords) {
  change([](rocksdb::DB& database) { EXPECT_TRUE(database.Put({}, encode_key({JobId{1}, 4000}), "").ok()); });
  EXPECT_EQ(read(), 4000);
  EXPECT_NE(refusal_.find("an entry of job-1 without records"), std::string::npos) << refusal_;
}

TEST_F(JournalReaderTest, StopsAtAnEntryWithinAnother) {
  change([](rocksdb::DB& database) { EXPECT_TRUE(database.Put({}, encode_key({JobId{1}, 3950}), "").ok()); });
  EXPECT_EQ(read(), 4000);
  EXPECT_NE(refusal_.find("record 3950 of job-1 is there twice"), std::string::npos) << refusal_;
}

TEST_F(JournalReaderTest, StopsWhereAnEntryIsMissing) {
  change([](rocksdb::DB& database) { EXPECT_TRUE(database.Delete({}, encode_key({JobId{1}, 3900})).ok()); });
  EXPECT_EQ(read(), 3900);
  EXPECT_NE(refusal_.find("records before record 4000 of job-1 are missing"), std::string::npos) << refusal_;
}

}  // namespace
}  // namespace ontime::journal
