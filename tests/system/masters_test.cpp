// Several masters on one journal in etcd: one leads, the others follow, and jobs outlive every one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/etcd_cluster.h"
#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

class SeveralMasters : public PacedJobs {
 protected:
  static constexpr std::size_t kMasters = 3;

  void SetUp() override {
    if (!EtcdCluster::is_there()) GTEST_SKIP() << kNoEtcd;
    etcd_.emplace(3);
    std::string all;
    for (std::size_t i = 0; i < kMasters; ++i) {
      addresses_.push_back("127.0.0.1:" + free_port());
      all += (i == 0 ? "" : ",") + addresses_[i];
    }
    masters_.resize(kMasters);
    for (std::size_t i = 0; i < kMasters; ++i) start(i);
    cluster_.set_masters(all);
  }

  void start(std::size_t i) {
    const std::string log = cluster_ / ("master-" + std::to_string(i) + "-" + std::to_string(++started_));
    masters_[i] = Process({kBin + "/ontime-master", "--journal", etcd_->address(), "--listen", addresses_[i],
                           "--state-dir", cluster_ / ("state-" + std::to_string(i)), "--node-timeout", "1s",
                           "--heartbeat", "50ms", "--journal-lease", lease_},
                          log);
  }

  bool has_said(std::size_t i, const char* event) {
    return masters_[i].output().err.find(event) != std::string::npos;
  }
  bool has_led(std::size_t i) { return has_said(i, "master_started"); }
  // By its log: one that follows sends clients on, so it answers them all the same.
  std::size_t leader() {
    std::optional<std::size_t> found;
    eventually([&] {
      for (std::size_t i = 0; i < kMasters; ++i) {
        if (masters_[i].is_running() && has_led(i)) found = i;
      }
      return found.has_value();
    });
    return found.value_or(0);
  }

  void expect_leader_to_end_when_it_stood_still() {
    const std::size_t old = leader();
    masters_[old].signal(SIGSTOP);
    EXPECT_TRUE(eventually([&] {
      for (std::size_t i = 0; i < kMasters; ++i) {
        if (i != old && has_led(i)) return true;
      }
      return false;
    }));
    masters_[old].signal(SIGCONT);
    const Finished ended = masters_[old].wait();
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(ended.err, HasSubstr("his master leads no more: "));  // whichever of its threads notices it first
  }

  std::string lease_ = "2s";
  std::optional<EtcdCluster> etcd_;
  std::vector<std::string> addresses_;
  std::vector<Process> masters_;
  int started_ = 0;
};

TEST_F(SeveralMasters, AJobOutlivesEachOfThem) {
  for (int i = 0; i < 2; ++i) cluster_.add_worker(2);
  const std::string job = submit_paced("out");
  for (std::size_t killed = 0; killed < kMasters; ++killed) {
    ASSERT_TRUE(eventually([&] { return has_begun(job); }));
    const std::size_t old = leader();
    masters_[old].kill();
    ASSERT_NE(leader(), old) << "another one leads";
    start(old);
  }
  expect_right_answer(job, "out");
}

TEST_F(SeveralMasters, WhoFollowsSendsClientsOn) {
  cluster_.add_worker(1);
  ASSERT_TRUE(eventually([&] { return !cluster_.nodes().empty(); }));
  for (const std::string& address : addresses_) {
    const Finished asked = ontime({"nodes", "--master", address});
    EXPECT_EQ(asked.status, 0) << asked.err;
    EXPECT_THAT(asked.out, HasSubstr("live"));
  }
}

TEST_F(SeveralMasters, ALeaderThatStoodStillEndsAndDisturbsNobody) {
  for (int i = 0; i < 2; ++i) cluster_.add_worker(2);
  const std::string job = submit_paced("out");
  ASSERT_TRUE(eventually([&] { return has_begun(job); }));
  expect_leader_to_end_when_it_stood_still();
  expect_right_answer(job, "out");
}

// It has nothing to write, which would be refused, but may be in the middle of a commit.
TEST_F(SeveralMasters, ALeaderThatStoodStillEndsAlsoIfItWritesNothing) { expect_leader_to_end_when_it_stood_still(); }

TEST_F(SeveralMasters, WithoutAQuorumJobsWaitAndGoOnAfterwards) {
  for (int i = 0; i < 2; ++i) cluster_.add_worker(2);
  const std::string job = submit_paced("out");
  ASSERT_TRUE(eventually([&] { return has_begun(job); }));
  const std::size_t old = leader();
  etcd_->pause(1);
  etcd_->pause(2);
  EXPECT_EQ(masters_[old].wait().status, 1) << "it cannot know that nobody else leads";
  etcd_->go_on(1);
  etcd_->go_on(2);
  start(old);
  expect_right_answer(job, "out");
}

// Without a word of the leader's, nobody else would lead before that ends.
class MastersWithALongLease : public SeveralMasters {
 protected:
  MastersWithALongLease() { lease_ = "1h"; }
};

TEST_F(MastersWithALongLease, EndInOrderAndLeaveTheLeadToAnother) {
  const std::size_t first = leader();
  for (std::size_t i = 0; i < kMasters; ++i) {
    if (i == first) continue;
    ASSERT_TRUE(eventually([&] { return has_said(i, "master_following"); })) << "before that, a signal kills it";
    masters_[i].signal(SIGTERM);
    EXPECT_EQ(masters_[i].wait().status, 0) << "a follower";
    start(i);
  }
  masters_[first].signal(SIGTERM);
  EXPECT_EQ(masters_[first].wait().status, 0) << masters_[first].output().err;
  EXPECT_NE(leader(), first);
}

}  // namespace
}  // namespace ontime::test
