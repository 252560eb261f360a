// The journal in etcd when members and masters are killed, stopped and cut off.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "master/journal/etcd_journal.h"
#include "tests/journal/etcd_records.h"
#include "tests/support/etcd_cluster.h"
#include "tests/support/process.h"
#include "tests/support/random_seed.h"
#include "tests/support/temporary_directory.h"

namespace ontime::journal {
namespace {

using namespace std::chrono_literals;

class EtcdFaultsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::EtcdCluster::is_there()) GTEST_SKIP() << test::kNoEtcd;
    etcd_ = std::make_unique<test::EtcdCluster>(3);
  }

  void start_writer(const std::string& name, int lease_ms = 2000) {
    writers_[name] =
        test::Process({ONTIME_TEST_ETCD_WRITER, etcd_->address(), directory_.path(), name, std::to_string(lease_ms)},
                      directory_ / (name + "-" + std::to_string(++starts_)));
  }

  std::vector<Mark> acks() const {
    std::vector<Mark> marks;
    std::ifstream file(directory_ / "acks");
    for (Mark mark; file >> mark.leadership >> mark.number;) marks.push_back(mark);
    return marks;
  }
  // The latest that has stored something.
  std::string leader() const {
    std::uint32_t leadership = 0;
    std::string name;
    std::ifstream file(directory_ / "leaders");
    for (std::string other; file >> leadership >> other;) name = other;
    return name;
  }
  std::size_t leaderships() const {
    const std::string all = test::read_file(directory_ / "leaders");
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
  }

  // Writers that have given up come back as others would start them again.
  bool goes_on(std::size_t more = 20) {
    const std::size_t before = acks().size();
    return test::eventually([&] {
      for (auto& [name, writer] : writers_)
        if (!writer.is_running()) start_writer(name);
      return acks().size() >= before + more;
    });
  }

  // What was acknowledged is there, in order, each once; and nobody saw anything else.
  void check_all() {
    for (auto& [name, writer] : writers_) writer.kill();
    for (std::size_t i = 0; i < etcd_->size(); ++i) {
      etcd_->go_on(i);
      if (!etcd_->is_running(i)) etcd_->start(i);
    }
    auto opened = EtcdJournal::open(parse_etcd_address(etcd_->address()).value(), {});
    ASSERT_TRUE(opened) << opened.error().message;
    const Status leads = (*opened)->lead([](const std::string&) {});
    ASSERT_TRUE(leads) << leads.error().message;
    Status status;
    const std::vector<Mark> marks = marks_in(**opened, status);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_EQ(test::read_file(directory_ / "wrong"), "");
    Mark before{0, 0};
    for (const Mark& mark : marks) {
      const bool follows = mark.leadership == before.leadership
                               ? mark.number == before.number + 1
                               : mark.leadership > before.leadership && mark.number == 0;
      ASSERT_TRUE(follows) << mark.leadership << " " << mark.number << " follows " << before.leadership << " "
                           << before.number;
      before = mark;
    }
    for (const Mark& mark : acks())
      ASSERT_TRUE(std::binary_search(marks.begin(), marks.end(), mark))
          << mark.leadership << " " << mark.number << " is lost";
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<test::EtcdCluster> etcd_;
  std::map<std::string, test::Process> writers_;
  int starts_ = 0;
};

TEST_F(EtcdFaultsTest, ALeaderThatIsStoppedBeyondItsLeaseWritesNoMore) {
  start_writer("a");
  ASSERT_TRUE(goes_on());
  writers_["a"].signal(SIGSTOP);
  start_writer("b");
  ASSERT_TRUE(test::eventually([&] { return leader() == "b"; }));
  writers_["a"].signal(SIGCONT);
  const test::Finished a = writers_["a"].wait();
  EXPECT_EQ(a.status, 3);
  EXPECT_NE(a.err.find("leads no more"), std::string::npos) << a.err;
  ASSERT_TRUE(goes_on());
  check_all();
}

TEST_F(EtcdFaultsTest, AnotherMasterLeadsWhenTheLeaderIsKilled) {
  start_writer("a");
  ASSERT_TRUE(goes_on());
  start_writer("b");
  writers_["a"].kill();
  const auto killed = std::chrono::steady_clock::now();
  ASSERT_TRUE(test::eventually([&] { return leader() == "b"; }));
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - killed).count();
  std::printf("%.2f s from the kill of the leader to the next one's first batch\n", took);
  writers_.erase("a");
  ASSERT_TRUE(goes_on());
  check_all();
}

TEST_F(EtcdFaultsTest, AMemberThatDiesOrHangsTakesNoBatchAlong) {
  auto opened = EtcdJournal::open(parse_etcd_address(etcd_->address()).value(), {.lease = 60s});
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_TRUE((*opened)->lead([](const std::string&) {}));
  std::uint32_t number = 0;
  const auto append_some = [&] {
    for (const std::uint32_t end = number + 20; number < end; ++number) {
      const std::vector<scheduler::JournalRecord> batch{record_of({1, number})};
      Status status = (*opened)->append(batch);
      EXPECT_TRUE(status || test::eventually([&] { return bool(status = (*opened)->append_again(batch)); }))
          << status.error().message;
    }
  };
  append_some();
  for (std::size_t i = 0; i < etcd_->size(); ++i) {
    etcd_->kill(i);
    append_some();
    etcd_->start(i);
    etcd_->await(i);
    etcd_->pause(i);
    append_some();
    etcd_->go_on(i);
    etcd_->await(i);
  }
  Status status;
  EXPECT_EQ(marks_in(**opened, status).size(), number);
  opened->reset();
  check_all();
}

TEST_F(EtcdFaultsTest, WithoutAQuorumABatchWaitsAndIsStoredOnce) {
  auto opened = EtcdJournal::open(parse_etcd_address(etcd_->address()).value(), {.lease = 120s});
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_TRUE((*opened)->lead([](const std::string&) {}));
  etcd_->kill(0);
  etcd_->kill(1);
  const std::vector<scheduler::JournalRecord> batch{record_of({1, 0})};
  for (Status status = (*opened)->append(batch);; status = (*opened)->append_again(batch)) {
    ASSERT_FALSE(status);
    ASSERT_EQ(status.error().kind, ErrorKind::Unavailable) << status.error().message;
    if (status.error().message.find("is silent") != std::string::npos ||
        status.error().message.find("etcd says") != std::string::npos)
      break;
  }
  etcd_->start(0);
  Status status;
  EXPECT_TRUE(test::eventually([&] { return bool(status = (*opened)->append_again(batch)); }))
      << status.error().message;
  EXPECT_EQ(marks_in(**opened, status).size(), 1u);
  opened->reset();
  check_all();
}

TEST_F(EtcdFaultsTest, ALeaderThatIsCutOffKnowsBeforeAnotherLeads) {
  auto opened = EtcdJournal::open(parse_etcd_address(etcd_->address()).value(), {});
  ASSERT_TRUE(opened) << opened.error().message;
  std::atomic<int> lost{0};
  (*opened)->on_lost([&](const std::string&) { ++lost; });
  ASSERT_TRUE((*opened)->lead([](const std::string&) {}));
  const std::vector<scheduler::JournalRecord> batch{record_of({1, 0})};
  ASSERT_TRUE((*opened)->append(batch));
  for (std::size_t i = 0; i < etcd_->size(); ++i) etcd_->pause(i);
  ASSERT_TRUE(test::eventually([&] { return lost == 1; }));
  for (std::size_t i = 0; i < etcd_->size(); ++i) etcd_->go_on(i);
  const Status status = (*opened)->append(batch);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Failed);
  check_all();
  EXPECT_EQ(lost, 1);
}

// Two masters and three members, to whom something happens again and again.
TEST_F(EtcdFaultsTest, WhateverDiesOrHangsNothingAcknowledgedIsLostAndNothingIsWrittenByTwo) {
  std::mt19937 random(test::random_seed());
  const auto below = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  start_writer("a");
  start_writer("b");
  ASSERT_TRUE(goes_on());
  for (int step = 0; step < 12; ++step) {
    const std::size_t member = below(3), other = (member + 1) % 3, event = below(6);
    const auto some_time = std::chrono::milliseconds(below(3500));  // decides nothing but which history it is
    const std::string master = leader();
    SCOPED_TRACE("event " + std::to_string(event) + " in step " + std::to_string(step));
    if (event == 0) {
      etcd_->kill(member);
      ASSERT_TRUE(goes_on());
      etcd_->start(member);
    } else if (event == 1) {
      etcd_->pause(member);
      std::this_thread::sleep_for(some_time);
      etcd_->go_on(member);
    } else if (event == 2) {
      for (const std::size_t one : {member, other}) etcd_->pause(one);
      std::this_thread::sleep_for(some_time);
      for (const std::size_t one : {member, other}) etcd_->go_on(one);
    } else if (event == 3) {
      for (const std::size_t one : {member, other}) etcd_->kill(one);
      for (const std::size_t one : {member, other}) etcd_->start(one);
    } else if (event == 4) {
      writers_[master].kill();
    } else {
      const std::size_t before = leaderships();
      writers_[master].signal(SIGSTOP);
      ASSERT_TRUE(test::eventually([&] {
        for (auto& [name, writer] : writers_)
          if (name != master && !writer.is_running()) start_writer(name);
        return leaderships() > before;
      }));
      writers_[master].signal(SIGCONT);
    }
    ASSERT_TRUE(goes_on());
  }
  check_all();
}

}  // namespace
}  // namespace ontime::journal
