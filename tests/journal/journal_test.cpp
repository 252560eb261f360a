// What every journal does, run against each.
#include "master/journal/journal.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "master/journal/etcd_journal.h"
#include "master/journal/record_codec.h"
#include "master/journal/rocksdb_journal.h"
#include "tests/support/etcd_cluster.h"
#include "tests/support/memory_journal.h"
#include "tests/support/temporary_directory.h"

namespace ontime::journal {
namespace {

using scheduler::JournalRecord;
namespace fact = scheduler::fact;

JournalRecord started(std::uint64_t epoch) { return {from_unix_ns(1), fact::MasterStarted{epoch}}; }
JournalRecord launched(std::uint32_t job, std::uint32_t task) {
  return {from_unix_ns(2), fact::AttemptLaunched{AttemptId{{JobId{job}, task}, 0}, NodeId{1}, {0, 10}, false}};
}
JournalRecord profile(const std::string& key, double duration) {
  fact::ProfileUpdated fact{key, {}};
  fact.sample.add_finished(duration);
  return {from_unix_ns(4), fact};
}
JournalRecord forgotten(std::uint32_t job) { return {from_unix_ns(3), fact::JobForgotten{JobId{job}}}; }

JournalRecord added(std::uint32_t node) {
  return {from_unix_ns(2), fact::NodeAdded{NodeId{node}, "incarnation-" + std::to_string(node), "n", "h", 2}};
}
JournalRecord duty(std::uint32_t node, scheduler::Duty duty) {
  return {from_unix_ns(3), fact::DutyChanged{NodeId{node}, duty}};
}

// EtcdShort: is made a snapshot of all the time.
enum class Kind { Memory, Rocksdb, Etcd, EtcdShort };
constexpr const char* kNames[] = {"Memory", "Rocksdb", "Etcd", "EtcdShort"};

class JournalTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::Memory) {
      journal_ = std::make_unique<MemoryJournal>();
    } else if (GetParam() == Kind::Rocksdb) {
      auto opened = RocksdbJournal::open(directory_ / "journal", {.sync = false});
      ASSERT_TRUE(opened) << opened.error().message;
      journal_ = std::move(*opened);
    } else {
      if (!test::EtcdCluster::is_there()) GTEST_SKIP() << test::kNoEtcd;
      etcd_ = std::make_unique<test::EtcdCluster>(1);
      journal_ = lead_etcd();
    }
    if (journal_) contents();
  }

  std::unique_ptr<EtcdJournal> lead_etcd() {
    EtcdSettings settings;
    if (GetParam() == Kind::EtcdShort) settings.log_bytes_min = 1;
    auto opened = EtcdJournal::open(parse_etcd_address(etcd_->address()).value(), settings);
    EXPECT_TRUE(opened) << opened.error().message;
    if (!opened) return nullptr;
    const Status leads = (*opened)->lead([](const std::string&) {});
    EXPECT_TRUE(leads) << leads.error().message;
    return std::move(*opened);
  }

  // Of a journal in etcd, what another master finds there has to be the same.
  void TearDown() override {
    if (!etcd_ || !journal_) return;
    const std::vector<std::string> before = contents();
    const std::string cluster = journal_->cluster();
    journal_.reset();
    journal_ = lead_etcd();
    if (!journal_) return;
    EXPECT_EQ(contents(), before);
    EXPECT_EQ(journal_->cluster(), cluster);
  }

  void append(const std::vector<JournalRecord>& batch) {
    const Status status = journal_->append(batch);
    ASSERT_TRUE(status) << status.error().message;
  }

  std::vector<std::string> contents() {
    std::vector<std::string> all;
    const Status status = journal_->read_all([&](const JournalRecord& one) { all.push_back(encode_record(one)); });
    EXPECT_TRUE(status);
    return all;
  }

  static std::vector<std::string> bytes_of(const std::vector<JournalRecord>& records) {
    std::vector<std::string> all;
    for (const JournalRecord& one : records) all.push_back(encode_record(one));
    return all;
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<test::EtcdCluster> etcd_;
  std::unique_ptr<Journal> journal_;
};

TEST_P(JournalTest, IsEmptyAtFirst) {
  EXPECT_TRUE(contents().empty());
  EXPECT_FALSE(journal_->cluster().empty());
}

TEST_P(JournalTest, KeepsTheOrderWithinEachJobAndTheClusterFirst) {
  append({launched(2, 0), started(1), launched(1, 0)});
  append({launched(2, 1), launched(1, 1), started(2)});
  EXPECT_EQ(contents(), bytes_of({started(2), launched(1, 0), launched(1, 1), launched(2, 0), launched(2, 1)}));
}

TEST_P(JournalTest, KeepsOfANodeWhoItIsAndItsLatestDutyUntilItIsForgotten) {
  append({added(1), added(2), duty(1, scheduler::Duty::Drains), added(256), duty(1, scheduler::Duty::Serves)});
  append({duty(2, scheduler::Duty::Left), launched(1, 0)});
  EXPECT_EQ(contents(), bytes_of({added(1), duty(1, scheduler::Duty::Serves), added(2), duty(2, scheduler::Duty::Left),
                                  added(256), launched(1, 0)}));
  append({{from_unix_ns(5), fact::NodeForgotten{NodeId{2}}}});
  EXPECT_EQ(contents(), bytes_of({added(1), duty(1, scheduler::Duty::Serves), added(256), launched(1, 0)}));
}

TEST_P(JournalTest, ForgetsOneProfileAndNotThoseWhoseKeysBeginAlike) {
  append({profile("a", 1), profile("a1", 2), profile(std::string("a\0", 2), 3), profile("", 4)});
  append({{from_unix_ns(5), fact::ProfileForgotten{"a"}}});
  EXPECT_EQ(contents(), bytes_of({profile("", 4), profile(std::string("a\0", 2), 3), profile("a1", 2)}));
}

TEST_P(JournalTest, StaysAsLargeAsItIsHoweverOftenMastersStartAndNodesComeAndGo) {
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    append({started(i), added(i), duty(i, scheduler::Duty::Drains), duty(i, scheduler::Duty::Serves)});
    if (i > 1) append({{from_unix_ns(5), fact::NodeForgotten{NodeId{i - 1}}}});
  }
  EXPECT_EQ(contents().size(), 3u);
}

TEST_P(JournalTest, ForgetsAJobWithAllItsRecords) {
  append({launched(1, 0), launched(2, 0), launched(3, 0)});
  append({launched(2, 1), forgotten(2), started(1)});
  EXPECT_EQ(contents(), bytes_of({started(1), launched(1, 0), launched(3, 0)}));
}

TEST_P(JournalTest, TellsJobsApartWhoseNumbersDifferInOneByte) {
  append({launched(0x0100, 0), launched(0x01, 0), launched(0x010000, 0)});
  append({forgotten(0x01)});
  EXPECT_EQ(contents(), bytes_of({launched(0x0100, 0), launched(0x010000, 0)}));
}

TEST_P(JournalTest, KeepsTheLatestProfileOfEachKeyWhateverIsForgotten) {
  append({profile("a", 1), launched(1, 0), profile("b", 2)});
  append({profile("a", 3), forgotten(1)});
  EXPECT_EQ(contents(), bytes_of({profile("a", 3), profile("b", 2)}));
}

TEST_P(JournalTest, SetsBackWhatIsLaterAndNothingElse) {
  std::vector<JournalRecord> all{started(1), added(7), profile("a", 3), launched(1, 0), launched(1, 1), launched(2, 0)};
  all[1].at = all[4].at = from_unix_ns(1'000'000);
  append(all);
  ASSERT_TRUE(journal_->set_back(from_unix_ns(100)));
  all[1].at = all[4].at = from_unix_ns(100);
  EXPECT_EQ(contents(), bytes_of(all));
  append({launched(1, 2)});
  EXPECT_EQ(contents().size(), 7u);
}

TEST_P(JournalTest, TakesAnEmptyBatch) {
  append({});
  EXPECT_TRUE(contents().empty());
}

INSTANTIATE_TEST_SUITE_P(Each, JournalTest, testing::Values(Kind::Memory, Kind::Rocksdb, Kind::Etcd, Kind::EtcdShort),
                         [](const auto& param) { return kNames[static_cast<int>(param.param)]; });

}  // namespace
}  // namespace ontime::journal
