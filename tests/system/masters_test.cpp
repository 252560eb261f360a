// Several masters on one journal in etcd: one leads, the others follow, and jobs outlive every one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/base/descriptor.h"
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
    etcd_.emplace(3, flags_of_etcd_);
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

  bool has_said(std::size_t i, const char* event) { return masters_[i].output().err.find(event) != std::string::npos; }
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
  Arguments flags_of_etcd_;
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

TEST_F(MastersWithALongLease, MembersOfEtcdMayDieHangAndBeCompactedWhileAJobRuns) {
  for (int i = 0; i < 2; ++i) cluster_.add_worker(2);
  const std::string job = submit_paced("out");
  const auto goes_on = [&] {
    const auto mapped = [&]() -> std::uint64_t {
      const nlohmann::json now = cluster_.job(job);
      return now.is_null() ? 0 : now["mapped_bytes"].get<std::uint64_t>();
    };
    const std::uint64_t before = mapped();
    return eventually([&] { return mapped() > before || !is_under_way(job); });
  };
  ASSERT_TRUE(eventually([&] { return has_begun(job); }));
  for (std::size_t i = 0; i < etcd_->size(); ++i) {
    etcd_->kill(i);
    EXPECT_TRUE(goes_on()) << "without member " << i;
    etcd_->start(i);
    etcd_->await(i);
    etcd_->pause(i);
    EXPECT_TRUE(goes_on()) << "while member " << i << " hangs";
    etcd_->go_on(i);
    etcd_->await(i);
    etcd_->forget_the_past();
  }
  expect_right_answer(job, "out");
}

class MastersWithALittleEtcd : public MastersWithALongLease {
 protected:
  MastersWithALittleEtcd() { flags_of_etcd_ = {"--quota-backend-bytes", std::to_string(16 << 20)}; }
};

TEST_F(MastersWithALittleEtcd, WaitWithASentenceWhileItIsFullAndGoOnAfterwards) {
  cluster_.add_worker(2);
  const std::string go = cluster_ / "go";
  const std::string job = cluster_.submit({"exec", novel_, "--output", cluster_ / "out", "--set",
                                           "command=while [ ! -e " + go + " ]; do sleep 0.01; done; grep -c ."});
  ASSERT_TRUE(eventually([&] { return cluster_.job(job)["attempts_running"] == 1; })) << cluster_.job(job).dump(1);
  const std::string much(100'000, 'x');
  for (int i = 0; etcd_->control({"put", "other/" + std::to_string(i), much}).status == 0; ++i)
    ASSERT_LT(i, 1000) << "it is never full";
  write_file(go, "");  // what the job has to store from now on does not fit
  Finished asked;
  EXPECT_TRUE(eventually([&] {
    asked = cluster_.client({"nodes"});
    return asked.err.find("etcd has no space left") != std::string::npos;
  })) << asked.out
      << asked.err;
  // Its limit may be passed by as much as comes within 100 ms, and it erases nothing in a transaction then.
  EXPECT_EQ(etcd_->control({"del", "--prefix", "other/"}).status, 0);
  etcd_->forget_the_past();
  for (std::size_t i = 0; i < etcd_->size(); ++i) EXPECT_EQ(etcd_->control({"defrag"}, i).status, 0);
  EXPECT_EQ(etcd_->control({"alarm", "disarm"}).status, 0);
  EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
}

TEST(AMasterWithASocketOfItsParents, IsFollowedByTheAddressOfThat) {
  if (!EtcdCluster::is_there()) GTEST_SKIP() << kNoEtcd;
  const EtcdCluster etcd(1);
  const TemporaryDirectory directory;
  sockaddr_in address = loopback(0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  socklen_t size = sizeof address;
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(socket.get(), 8), 0);
  ASSERT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const Process master({kBin + "/ontime-master", "--journal", etcd.address(), "--listen-fd",
                        std::to_string(socket.get()), "--state-dir", directory / "state"},
                       directory / "master");
  const std::string named = "127.0.0.2:" + std::to_string(ntohs(address.sin_port)) + "\n";
  std::string leader;
  EXPECT_TRUE(eventually([&] {
    leader = etcd.control({"get", "ontime/leader", "--print-value-only"}).out;
    return leader == named;
  })) << leader;
}

}  // namespace
}  // namespace ontime::test
