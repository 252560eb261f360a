// What lies between a worker and its master fails, without a word to either: connections are forgotten, broken off
// again and again, or so slow that hardly anything gets through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/system/cluster.h"
#include "tests/system/middlebox.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kPolicies{"none", "hadoop", "s-resume", "shed+", "split-resume", "auto"};

class ConnectionBetween : public testing::Test {
 protected:
  void start_master(const std::string& node_timeout, const Arguments& more = {}) {
    cluster_.set_node_timeout(node_timeout);
    cluster_.start_master(more);
    middlebox_ = std::make_unique<Middlebox>(cluster_.address());
  }
  // Its connection leads through the middlebox.
  void start_distant_worker(const std::string& slots, const Arguments& more = {}) {
    Arguments arguments{kBin + "/ontime-worker",
                        "--master",
                        middlebox_->address(),
                        "--name",
                        "distant",
                        "--slots",
                        slots,
                        "--app-dir",
                        kApps};
    arguments.insert(arguments.end(), more.begin(), more.end());
    distant_ = Process(arguments, cluster_ / "distant");
  }
  void start_workers(const std::string& distant_slots, std::uint32_t slots = 8) {
    start_distant_worker(distant_slots);
    for (int i = 0; i < 3; ++i) cluster_.add_worker(slots);
    ASSERT_TRUE(eventually([&] { return cluster_.nodes().size() == 4; }));
  }
  std::string distant_state() const {
    for (const auto& node : cluster_.nodes()) {
      if (node["name"] == "distant") return node["state"];
    }
    return "";
  }
  // Four tasks of about five seconds each.
  std::string submit(const std::string& policy, const std::string& output) {
    return cluster_.submit({"paced", kNovel, "--output", cluster_ / output, "--splits", "4", "--checkpoint", "1s",
                            "--deadline", "10s", "--policy", policy, "--set", "lines=10", "--set", "pause_us=25000",
                            "--app-dir", kApps});
  }
  // One job for each policy, under way. Some have attempts on the distant worker, which has the most slots; which ones
  // depends on how fast nodes have turned out to be.
  void submit_jobs() {
    for (const std::string& policy : kPolicies) jobs_.push_back(submit(policy, policy));
    ASSERT_TRUE(eventually([&] {
      return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& job) { return maps_on_distant_worker(job); });
    })) << cluster_.job(jobs_.front()).dump();
  }
  // An attempt there has moved on.
  bool maps_on_distant_worker(const std::string& job) const {
    const nlohmann::json description = cluster_.job(job);
    for (const auto& task : description.is_null() ? nlohmann::json::array() : description["task_list"]) {
      for (const auto& attempt : task["attempts"]) {
        if (attempt["node_name"] == "distant" && attempt["offset"] != attempt["start_offset"]) return true;
      }
    }
    return false;
  }
  void expect_right(const std::string& job, const std::string& output) {
    EXPECT_EQ(cluster_.wait(job), "succeeded") << output << cluster_.job(job).dump();
    EXPECT_EQ(verified_answer(cluster_ / output), expected_) << output;
  }
  void expect_jobs_to_be_right() {
    for (std::size_t i = 0; i < kPolicies.size(); ++i) expect_right(jobs_[i], kPolicies[i]);
  }
  // A healthy job beside them, of which no attempt is lost or launched again.
  void expect_healthy_job_to_run_once(const std::string& output) {
    const std::string job = submit("none", output);
    expect_right(job, output);
    EXPECT_EQ(cluster_.job(job)["attempts_launched"], 4) << cluster_.job(job).dump();
  }

  const std::string expected_ = counted_by_coreutils(kNovel);
  Cluster cluster_;
  std::unique_ptr<Middlebox> middlebox_;
  Process distant_;
  std::vector<std::string> jobs_;  // by kPolicies
};

// The master gives the worker up and closes; the worker hears of neither.
TEST_F(ConnectionBetween, AWorkerLeavesAConnectionThatWasCutOnTheWay) {
  start_master("1s");
  start_distant_worker("1");
  ASSERT_TRUE(eventually([&] { return distant_state() == "live"; }));
  middlebox_->forget_connections();
  EXPECT_TRUE(eventually([&] { return distant_state() == "lost"; }));
  const std::string job = cluster_.submit({"wordcount", kNovel, "--output", cluster_ / "out"});
  EXPECT_EQ(cluster_.wait(job), "succeeded");
  EXPECT_GE(middlebox_->connections(), 2u);
  EXPECT_THAT(distant_.output().err, HasSubstr("has been silent"));
}

// Attempts that stand still answer no cut, and the master asks again with each registration, more often than a worker
// once had room for: it left the connection then, each time anew.
TEST_F(ConnectionBetween, ThatBreaksAgainAndAgainWhileAttemptsStandStillMakesNoStorm) {
  constexpr std::size_t kBreaks = 20;
  start_master("20s", {"--cut-timeout", "15s"});  // so that the attempts stay for as long as that takes
  ASSERT_NO_FATAL_FAILURE(start_workers("14"));
  ASSERT_NO_FATAL_FAILURE(submit_jobs());
  const std::vector<pid_t> runners = runners_of(distant_);
  ASSERT_FALSE(runners.empty());
  for (const pid_t runner : runners) ::kill(runner, SIGSTOP);
  const auto registrations = [&] {
    const std::string log = distant_.output().err;
    std::size_t count = 0;
    for (std::size_t at = log.find("registered master="); at != log.npos; at = log.find("registered master=", at + 1)) {
      ++count;
    }
    return count;
  };
  for (std::size_t i = 0; i < kBreaks; ++i) {
    const std::size_t before = registrations();
    middlebox_->break_connections();
    ASSERT_TRUE(eventually([&] { return registrations() > before; }));
  }
  for (const pid_t runner : runners) ::kill(runner, SIGCONT);
  expect_healthy_job_to_run_once("healthy");
  expect_jobs_to_be_right();
  EXPECT_LE(middlebox_->connections(), 2 * kBreaks);
}

// They reach the worker one after another, and the first alone takes longer than a worker may be silent. Its heartbeats
// cannot be answered meanwhile.
TEST_F(ConnectionBetween, ThatIsSlowForTheSetUpsOfTwoJobsBringsBoth) {
  start_master("2s");
  middlebox_->limit_bytes_per_second(1'500'000);
  std::ofstream(cluster_ / "large") << std::string(4'000'000, 'x');
  for (const std::string output : {"one", "two"}) {
    jobs_.push_back(
        cluster_.submit({"wordcount", kNovel, "--output", cluster_ / output, "--file", cluster_ / "large"}));
  }
  start_distant_worker("2");
  expect_right(jobs_[0], "one");
  expect_right(jobs_[1], "two");
}

// At ten bytes a second heartbeats still come through, one in a few seconds; a report takes longer than a node may be
// silent, and so does a hello. Whatever the master believes to be there, it gives up as soon as it matters to a job.
class SlowConnection : public ConnectionBetween {
 protected:
  static constexpr std::uint32_t kSlow = 10;  // bytes a second

  void expect_distant_worker_to_be_lost() {
    EXPECT_TRUE(eventually([&] { return distant_state() == "lost"; })) << distant_state();
  }
};

TEST_F(SlowConnection, OfManyAttemptsHoldsUpNoJobUntilItIsWellAgain) {
  start_master("5s");
  ASSERT_NO_FATAL_FAILURE(start_workers("14"));
  ASSERT_NO_FATAL_FAILURE(submit_jobs());
  middlebox_->limit_bytes_per_second(kSlow);
  expect_distant_worker_to_be_lost();
  expect_healthy_job_to_run_once("healthy");
  expect_jobs_to_be_right();
  EXPECT_EQ(distant_state(), "lost");
  middlebox_->lift_limit();
  EXPECT_TRUE(eventually([&] { return distant_state() == "live"; }));
}

// Its heartbeats are small enough to come in time; what it has sealed is not.
TEST_F(SlowConnection, OfOneAttemptHoldsUpNoJob) {
  start_master("5s");
  start_workers("1", 1);
  const std::string job = submit("none", "out");
  ASSERT_TRUE(eventually([&] { return maps_on_distant_worker(job); }));
  middlebox_->limit_bytes_per_second(kSlow);
  expect_right(job, "out");
  expect_distant_worker_to_be_lost();
}

// As long as there is nothing to do nobody can tell; then the order to begin takes too long.
TEST_F(SlowConnection, OfAnIdleWorkerIsNoticedWhenThereIsWork) {
  start_master("5s");
  start_workers("14");
  middlebox_->limit_bytes_per_second(kSlow);
  const std::vector<std::string> policies{"none", "split-resume", "auto"};
  for (const std::string& policy : policies) jobs_.push_back(submit(policy, policy));
  for (std::size_t i = 0; i < policies.size(); ++i) expect_right(jobs_[i], policies[i]);
  expect_distant_worker_to_be_lost();
}

TEST_F(SlowConnection, FromTheStartLetsNoWorkerInAndItSaysSo) {
  start_master("5s");
  middlebox_->limit_bytes_per_second(kSlow);
  start_distant_worker("8", {"--connect-timeout", "2s"});
  cluster_.add_worker(4);
  expect_healthy_job_to_run_once("healthy");
  const Finished ended = distant_.wait();
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, HasSubstr("No master let this worker in"));
  EXPECT_EQ(distant_state(), "");
}

}  // namespace
}  // namespace ontime::test
