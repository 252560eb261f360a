// Attempts that stop, nodes on which everything fails, jobs that take their workers down: every job ends, and none of
// the healthy ones is harmed. With the real programs, under every policy that is not told otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <utime.h>

#include <filesystem>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

// An attempt that stops -----------------------------------------------------------------------------------------------

class StoppedAttempt : public testing::TestWithParam<std::string> {
 protected:
  // Its original has not passed the place, at a fifth, where it was to stop. It may have sealed what it had: a cut just
  // there needs no answer of the mapper.
  static void expect_stopped(const nlohmann::json& task) {
    const nlohmann::json& original = task["attempts"][0];
    const std::uint64_t begin = task["begin"];
    const std::uint64_t size = task["end"].get<std::uint64_t>() - begin;
    EXPECT_LT(original["offset"].get<std::uint64_t>(), begin + size / 4) << task.dump(1);
  }
};

// One of ten attempts stops at a fifth of its work: a cut beyond that is never answered.
TEST_P(StoppedAttempt, DoesNotHoldItsJob) {
  const TemporaryDirectory directory;
  Arguments arguments{"run",
                      "wordcount",
                      kNovel,
                      "--output",
                      directory / "out",
                      "--workers",
                      "10",
                      "--slots",
                      "2",
                      "--splits",
                      "10",
                      "--deadline",
                      "14s",
                      "--inject",
                      "pace=4s",
                      "--inject",
                      "stall=task:3@20%",
                      "--checkpoint",
                      "1s",
                      "--seed",
                      "7",
                      "--quiet",
                      "--json",
                      "--tasks"};
  if (GetParam() != "default") arguments.insert(arguments.end(), {"--policy", GetParam()});
  // The others do not see it before the master does, which ends it as one that makes no progress.
  if (GetParam() != "default" && GetParam() != "hadoop" && GetParam() != "split-resume")
    arguments.insert(arguments.end(), {"--attempt-timeout", "6s"});
  const Finished finished = ontime(arguments);
  EXPECT_THAT(finished.status, testing::AnyOf(0, 3)) << finished.err;  // 3: done, but late
  EXPECT_EQ(verified_answer(directory / "out"), counted_by_coreutils(kNovel));
  const nlohmann::json job = nlohmann::json::parse(finished.out, nullptr, false);
  ASSERT_FALSE(job.is_discarded()) << finished.out;
  expect_stopped(job["task_list"][3]);
}

INSTANTIATE_TEST_SUITE_P(Policies, StoppedAttempt,
                         testing::Values("default", "none", "hadoop", "s-resume", "shed+", "split-resume"),
                         [](const auto& policy) {
                           std::string name = policy.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

class StoppedRunner : public PacedJobs {};

TEST_F(StoppedRunner, DoesNotHoldANodeThatDrains) {
  cluster_.start_master();
  cluster_.add_worker(1, {"--name", "first"});
  const std::string job = submit_paced("out", "1", "auto", {"--attempt-timeout", "5s"});
  ASSERT_TRUE(eventually([&] { return is_under_way(job); }));
  for (const pid_t runner : runners_of(cluster_.worker(0))) ::kill(runner, SIGSTOP);
  cluster_.add_worker();
  const Finished drained = cluster_.client({"drain", "first", "--wait"});
  EXPECT_EQ(drained.status, 0) << drained.err;
  expect_right_answer(job, "out");
}

// An application that speaks for its runner: its attempt fails, and the only worker goes on with the other job.
class LyingAttempt : public PacedJobs, public testing::WithParamInterface<std::string> {};

TEST_P(LyingAttempt, FailsItsOwnJobAndNothingElse) {
  cluster_.start_master();
  cluster_.add_worker(2, {"--name", "only"});
  const std::string honest = submit_paced("out", "1", "none");
  ASSERT_TRUE(eventually([&] { return is_under_way(honest); }));
  write_file(cluster_ / "lines", "BAD line\n");
  const std::string lying =
      cluster_.submit({"misbehaving", cluster_ / "lines", "--output", cluster_ / "lies", "--max-attempts", "1", "--set",
                       "how=" + GetParam(), "--set", "job=2", "--app-dir", kApps});
  EXPECT_EQ(lying, "job-2");
  EXPECT_EQ(cluster_.wait(lying), "failed");
  EXPECT_THAT(cluster_.job(lying)["message"].get<std::string>(), HasSubstr("broke the protocol"));
  expect_right_answer(honest, "out");
  EXPECT_EQ(cluster_.job(honest)["attempts_launched"], 1) << cluster_.job(honest).dump(1);
}

INSTANTIATE_TEST_SUITE_P(Ways, LyingAttempt, testing::Values("seal", "overtake"),
                         [](const auto& way) { return way.param; });

// Thirty lines a second: a block of them takes longer than anything may that shows no sign of life.
TEST(SlowRecords, AreNotTakenForAnAttemptThatHasStopped) {
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker(2);
  cluster.add_worker(2);
  shell("head -n 300 " + kNovel + " > " + (cluster / "lines"));
  const std::string job = cluster.submit({"exec", cluster / "lines", "--output", cluster / "out", "--splits", "1",
                                          "--checkpoint", "1s", "--attempt-timeout", "5s", "--policy", "none", "--set",
                                          "command=while IFS= read -r line; do echo \"$line\"; sleep 0.03; done"});
  EXPECT_EQ(cluster.wait(job), "succeeded") << cluster.job(job).dump(1);
  EXPECT_EQ(cluster.job(job)["attempts_launched"], 1) << cluster.job(job).dump(1);
  EXPECT_EQ(verified_answer(cluster / "out"), read_file(cluster / "lines"));
}

// Bad nodes -----------------------------------------------------------------------------------------------------------

// So that a test is none in which the bad node was never asked.
int failures_on(const Cluster& cluster, const std::string& name) {
  for (const auto& node : cluster.nodes()) {
    if (node["name"] == name) return node["attempts_failed"];
  }
  return 0;
}

class BadNode : public testing::TestWithParam<std::string> {
 protected:
  // Three healthy workers, and one with more slots and what makes it bad.
  void start(const Arguments& bad) {
    cluster_.start_master();
    Arguments arguments{kBin + "/ontime-worker", "--master", cluster_.address(), "--name", "bad", "--slots", "4"};
    arguments.insert(arguments.end(), bad.begin(), bad.end());
    bad_ = Process(arguments, cluster_ / "bad");
    for (int i = 0; i < 3; ++i) cluster_.add_worker();
    ASSERT_TRUE(eventually([&] { return cluster_.nodes().size() == 4; }));
  }
  std::string submit(int number) {
    return cluster_.submit({"paced", kNovel, "--output", cluster_ / ("out-" + std::to_string(number)), "--splits", "12",
                            "--set", "lines=20", "--deadline", "60s", "--policy", GetParam(), "--app-dir", kApps});
  }
  // Four jobs, all of which succeed.
  void expect_jobs_to_succeed() {
    std::vector<std::string> jobs;
    for (int i = 0; i < 4; ++i) jobs.push_back(submit(i));
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(cluster_.wait(jobs[static_cast<std::size_t>(i)]), "succeeded")
          << cluster_.job(jobs[static_cast<std::size_t>(i)]).dump(1);
      EXPECT_EQ(verified_answer(cluster_ / ("out-" + std::to_string(i))), counted_by_coreutils(kNovel));
    }
    EXPECT_GT(failures_on(cluster_, "bad"), 0);
  }
  Cluster cluster_;
  Process bad_;
};

TEST_P(BadNode, ThatCannotWriteItsOutputTakesNoJobWithIt) {
  const TemporaryDirectory elsewhere;
  start({"--app-dir", kApps, "--output-root", elsewhere / ""});
  expect_jobs_to_succeed();
}

TEST_P(BadNode, WithoutTheApplicationTakesNoJobWithIt) {
  const TemporaryDirectory empty;
  start({"--app-dir", empty / "", "--no-default-apps"});
  expect_jobs_to_succeed();
}

INSTANTIATE_TEST_SUITE_P(Policies, BadNode, testing::Values("auto", "none", "late", "hadoop", "shed+", "s-restart"),
                         [](const auto& policy) {
                           std::string name = policy.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

class BadJob : public testing::Test {
 protected:
  Cluster cluster_;
};

// The input of one worker is another version of the same file, as on a mount that lags behind.
TEST_F(BadJob, AStaleCopyOfTheInputOnOneNodeIsThatNodesFault) {
  if (run({"/usr/bin/unshare", "--mount", "/bin/true"}).status != 0) GTEST_SKIP() << "no mount namespaces here";
  const std::string input = cluster_ / "input.txt";
  const std::string stale = cluster_ / "stale.txt";
  std::filesystem::copy_file(kNovel, input);
  std::filesystem::copy_file(kNovel, stale);
  const utimbuf long_ago{1'000'000'000, 1'000'000'000};
  ASSERT_EQ(::utime(stale.c_str(), &long_ago), 0);
  cluster_.start_master();
  const Process lagging({"/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c",
                         "mount --bind " + stale + " " + input + " && exec " + kBin + "/ontime-worker --master " +
                             cluster_.address() + " --slots 4 --name lagging"},
                        cluster_ / "lagging");
  cluster_.add_worker();
  cluster_.add_worker();
  ASSERT_TRUE(eventually([&] { return cluster_.nodes().size() == 3; }));
  for (int i = 0; i < 3; ++i) {
    const std::string output = cluster_ / ("out-" + std::to_string(i));
    const std::string job = cluster_.submit({"wordcount", input, "--output", output, "--splits", "10"});
    EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
    EXPECT_EQ(verified_answer(output), counted_by_coreutils(kNovel));
  }
  EXPECT_GT(failures_on(cluster_, "lagging"), 0);
}

// Each attempt kills the worker that runs it, as one does that uses up its container's memory.
TEST_F(BadJob, ThatTakesItsWorkersDownFails) {
  cluster_.set_node_timeout("5s");  // so that no other worker is lost on a busy machine
  cluster_.start_master();
  for (int i = 0; i < 2; ++i) cluster_.add_worker();
  const std::string deadly =
      cluster_.submit({"exec", kNovel, "--output", cluster_ / "deadly", "--splits", "1", "--set",
                       "command=launcher=$(ps -o ppid= -p $PPID); kill -9 $(ps -o ppid= -p $launcher); sleep 60"});
  std::string state = "running";
  std::size_t replaced = 0;
  ASSERT_TRUE(eventually([&] {
    for (std::size_t worker = 0; worker < cluster_.workers(); ++worker) {
      if (cluster_.worker(worker).is_running()) continue;
      cluster_.replace_worker(worker);
      ++replaced;
    }
    const nlohmann::json job = cluster_.job(deadly);
    if (!job.is_null()) state = job["state"];
    return state != "queued" && state != "running";
  }));
  EXPECT_EQ(state, "failed");
  EXPECT_LE(replaced, 10u);
  EXPECT_THAT(cluster_.job(deadly)["message"].get<std::string>(), HasSubstr("workers down"));
  for (std::size_t worker = 0; worker < cluster_.workers(); ++worker) {
    if (!cluster_.worker(worker).is_running()) cluster_.replace_worker(worker);
  }
  const std::string healthy = cluster_.submit({"wordcount", kNovel, "--output", cluster_ / "healthy"});
  EXPECT_EQ(cluster_.wait(healthy), "succeeded");
}

}  // namespace
}  // namespace ontime::test
