// Logs that RocksDB would abort on.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "master/journal/rocksdb_journal.h"
#include "tests/support/temporary_directory.h"

namespace ontime::journal {
namespace {

namespace fs = std::filesystem;
namespace fact = scheduler::fact;

class LogOrder : public testing::Test {
 protected:
  // A closed journal with as many logs.
  void make_journal(int logs) {
    for (int log = 0; log < logs; ++log) {
      auto journal = RocksdbJournal::open(path_, {});
      ASSERT_TRUE(journal) << journal.error().message;
      ASSERT_TRUE((*journal)->read_all([](const scheduler::JournalRecord&) {}));
      for (int i = 0; i < 1000; ++i) {  // more than one block of a log holds
        const scheduler::JournalRecord one{from_unix_ns(i), fact::MasterStarted{static_cast<std::uint64_t>(i)}};
        ASSERT_TRUE((*journal)->append({&one, 1}));
      }
    }
  }
  // In their order.
  std::vector<fs::path> logs() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path_))
      if (entry.path().extension() == ".log" && entry.file_size() > 0) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }
  void expect_refusal(const std::string& name) const {
    const auto to_write = RocksdbJournal::open(path_, {});
    const auto to_read = RocksdbJournal::open_to_read(path_);  // --check-journal, --backup-journal
    ASSERT_TRUE(!to_write && !to_read);
    for (const std::string& why : {to_write.error().message, to_read.error().message}) {
      EXPECT_NE(why.find("'" + name + "' holds batches twice"), std::string::npos) << why;
      EXPECT_NE(why.find("restore it from a copy"), std::string::npos) << why;
    }
  }

  const test::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "journal";
};

TEST_F(LogOrder, OfAWholeJournalIsRight) {
  make_journal(3);
  ASSERT_GE(logs().size(), 3u);
  EXPECT_TRUE(RocksdbJournal::open_to_read(path_));
  EXPECT_TRUE(RocksdbJournal::open(path_, {}));
}

TEST_F(LogOrder, ALogThatHoldsItsRecordsTwiceIsRefusedAndNamed) {
  make_journal(1);
  const fs::path log = logs().front();
  const std::string once = test::read_file(log);
  test::write_file(log, once + once);
  expect_refusal(log.filename());
}

TEST_F(LogOrder, ALogThatIsThereTwiceIsRefusedAndNamed) {
  make_journal(2);
  fs::copy_file(logs().front(), fs::path(path_) / "000999.log");
  expect_refusal("000999.log");
}

}  // namespace
}  // namespace ontime::journal
