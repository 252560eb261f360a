// Workers and masters that are told to end (SIGTERM), and nodes that are taken out, while a job runs: it loses nothing,
// and no record is mapped twice.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

// Time-outs that only a process that hangs reaches, however slow the machine is.
class Drain : public PacedJobs {
 protected:
  void SetUp() override {
    shell("for i in 1 2 3 4 5 6; do cat '" + novel_ + "'; done > '" + text_ + "'");
    cluster_.set_node_timeout("60s");
    cluster_.start_master({"--cut-timeout", "60s"});
  }
  // In each split several of the blocks between which an attempt looks for a cut; nine seconds on one slot.
  std::string submit(const std::string& output, const std::string& splits) {
    return cluster_.submit({"paced", text_, "--output", cluster_ / output, "--splits", splits, "--checkpoint", "0s",
                            "--set", "lines=6", "--app-dir", kApps});
  }
  void expect_right(const std::string& job, const std::string& output) {
    EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
    EXPECT_EQ(verified_answer(cluster_ / output), counted_by_coreutils(text_));
  }
  std::size_t add_worker(const std::string& drain_timeout = "100s") {
    return cluster_.add_worker(1, {"--drain-timeout", drain_timeout});
  }
  void end_worker(std::size_t index) {
    cluster_.worker(index).signal(SIGTERM);
    EXPECT_EQ(cluster_.worker(index).wait().status, 0) << cluster_.worker(index).output().err;
  }
  // Every worker, one after the other, and the master in between.
  void restart_all() {
    const std::size_t first = cluster_.workers() - 3;
    for (std::size_t old = first; old < first + 3; ++old) {
      end_worker(old);
      add_worker();
      ASSERT_TRUE(eventually([&] { return count_of("live") == 3; }));
      if (old != first + 1) continue;
      cluster_.master().signal(SIGTERM);
      EXPECT_EQ(cluster_.master().wait().status, 0);
      cluster_.start_master({"--cut-timeout", "60s"});
      ASSERT_TRUE(eventually([&] { return count_of("live") == 3; }));
    }
    ++rounds_;
  }
  std::ptrdiff_t count_of(const std::string& state) {
    const nlohmann::json all = cluster_.nodes();
    return std::count_if(all.begin(), all.end(), [&](const nlohmann::json& node) { return node["state"] == state; });
  }
  void expect_nothing_mapped_twice(const std::string& id) {
    const nlohmann::json job = cluster_.job(id);
    EXPECT_EQ(job["attempts_failed"], 0);
    EXPECT_EQ(job["account"]["bytes"]["duplicated"], 0) << job["account"].dump(1);
    EXPECT_EQ(job["account"]["bytes"]["dropped"], 0) << job["account"].dump(1);
    EXPECT_EQ(job["counters"]["paced"]["lines"], job["records"]);
  }

  const std::string text_ = cluster_ / "text";
  int rounds_ = 0;
};

// Until one was seen in which an attempt was handed over: on a slow machine a job may end before.
TEST_F(Drain, ARollingRestartOfEveryProcessLosesNothing) {
  for (int i = 0; i < 3; ++i) add_worker();
  bool was_handed_over = false;
  for (int round = 0; !was_handed_over; ++round) {
    ASSERT_LT(round, 20) << "jobs end before anything can be handed over";
    const std::string output = "out-" + std::to_string(round);
    const std::string job = submit(output, "3");
    ASSERT_TRUE(eventually([&] { return has_begun(job); }));
    restart_all();
    expect_right(job, output);
    expect_nothing_mapped_twice(job);
    was_handed_over = cluster_.job(job)["attempts_launched"] > 3;
  }
  EXPECT_EQ(count_of("left"), count_of("live") * rounds_);
  EXPECT_EQ(count_of("lost"), 0);
#ifdef ONTIME_TEST_HAS_LAB
  const Finished replayed = ontime({"replay", "--journal", cluster_ / "journal"});
  EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
#endif
}

TEST_F(Drain, ANodeThatIsTakenOutHandsOverAndMayComeBack) {
  add_worker();
  const std::string job = submit("out", "1");
  ASSERT_TRUE(eventually([&] { return has_begun(job); }));
  const Finished drained = cluster_.client({"drain", "node-1", "--wait"});
  EXPECT_EQ(drained.status, 0) << drained.err;
  EXPECT_NE(drained.out.find("is drained"), std::string::npos) << drained.out;
  EXPECT_EQ(count_of("drained"), 1);
  EXPECT_EQ(cluster_.client({"drain", "node-1", "--undo"}).status, 0);
  EXPECT_EQ(count_of("live"), 1);
  expect_right(job, "out");
  expect_nothing_mapped_twice(job);
}

// Its command does not read before it ends, so that the node stays busy.
TEST_F(Drain, WhoWaitsForItDoesNotUndoWhatAnotherOperatorDoes) {
  add_worker();
  const std::string job = cluster_.submit({"exec", text_, "--output", cluster_ / "out", "--splits", "1", "--set",
                                           "command=touch '" + (cluster_ / "begun") + "'; sleep 1000; cat"});
  // An attempt that has begun no record yet would give back all of them.
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(cluster_ / "begun"); }));
  Process waiting({kBin + "/ontime", "drain", "node-1", "--wait", "--master", cluster_.address()},
                  cluster_ / "waiting");
  ASSERT_TRUE(eventually([&] { return count_of("draining") == 1; }));
  cluster_.restart_master();  // which it waits for
  ASSERT_TRUE(eventually([&] { return count_of("draining") == 1; }))
      << cluster_.nodes().dump(1) << cluster_.job(job).dump(1);
  EXPECT_TRUE(waiting.is_running());
  EXPECT_EQ(cluster_.client({"drain", "node-1", "--undo"}).status, 0);
  const Finished ended = waiting.wait();
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("its drain was undone"), std::string::npos) << ended.err;
  EXPECT_EQ(count_of("live"), 1);
  cluster_.client({"kill", job});
}

TEST_F(Drain, AWorkerWithoutAMasterDoesNotWaitForEver) {
  const std::size_t idle = add_worker("200ms");
  const std::size_t busy = add_worker("200ms");
  ASSERT_TRUE(eventually([&] { return count_of("live") == 2; }));
  EXPECT_EQ(cluster_.client({"drain", "node-1"}).status, 0);
  submit("out", "1");
  ASSERT_TRUE(eventually([&] { return !cluster_.runners().empty(); }));
  cluster_.master().kill();
  end_worker(busy);
  end_worker(idle);
}

}  // namespace
}  // namespace ontime::test
