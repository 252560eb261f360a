// kill -9 of workers, attempts and the master at random instants: the answer stays the same to the byte.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <random>
#include <thread>

#include "tests/support/random_seed.h"
#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

class Faults : public PacedJobs {};

// Workers, attempts and the master, one every few moments while jobs run, until thirty were killed.
TEST_F(Faults, RandomKillsNeverChangeTheAnswer) {
  std::mt19937 random(random_seed());
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  cluster_.start_master();
  for (int i = 0; i < 3; ++i) cluster_.add_worker();
  std::array<int, 3> kills{};  // of workers, masters, attempts
  const auto all = [&] { return kills[0] + kills[1] + kills[2]; };
  for (int round = 0; all() < 30 && !HasFailure(); ++round) {
    ASSERT_LT(round, 100) << "attempts end before anything can be killed";
    const std::string output = "out-" + std::to_string(round);
    const std::string job = submit_paced(output);
    ASSERT_TRUE(eventually([&] { return has_begun(job); }));
    for (int kill = 0; kill < 5; ++kill) {
      std::this_thread::sleep_for(std::chrono::milliseconds(below(120)));
      const std::uint32_t what = below(3);
      if (what == 0) cluster_.replace_worker(below(3));
      if (what == 1) cluster_.restart_master();
      const bool killed = what < 2 || cluster_.kill_some_attempt(below(100));
      kills[what] += killed ? 1 : 0;
    }
    expect_right_answer(job, output);
  }
  RecordProperty("worker_kills", kills[0]);
  RecordProperty("master_kills", kills[1]);
  RecordProperty("attempt_kills", kills[2]);
}

TEST_F(Faults, ARestartedMasterAdoptsRunningAttemptsAndRunsNoSealedSegmentAgain) {
  cluster_.set_node_timeout("60s");  // so that no worker is lost on a busy machine
  cluster_.start_master();
  cluster_.add_worker();
  cluster_.add_worker();
  const std::string job = submit_paced("out", "6", "none");
  ASSERT_TRUE(eventually([&] { return is_under_way(job); }));
  cluster_.restart_master();
  expect_right_answer(job, "out");
  const nlohmann::json description = cluster_.job(job);
  EXPECT_EQ(description["attempts_launched"], 6);  // one for each task
  EXPECT_EQ(description["attempts_failed"], 0);
}

TEST_F(Faults, AnAttemptThatDiesResumesAtItsLastCheckpoint) {
  cluster_.start_master();
  cluster_.add_worker();
  const std::string job = submit_paced("out", "1");
  ASSERT_TRUE(eventually([&] {
    const nlohmann::json description = cluster_.job(job);
    return !description.is_null() && description["records"] > 0;  // something is sealed
  }));
  ASSERT_TRUE(cluster_.kill_some_attempt(0));
  expect_right_answer(job, "out");
  const nlohmann::json attempts = cluster_.job(job)["task_list"][0]["attempts"];
  ASSERT_GE(attempts.size(), 2u);
  EXPECT_GT(attempts[1]["start_offset"], 0);
  // What the application counted is what was sealed: no line was mapped into the answer twice.
  const nlohmann::json description = cluster_.job(job);
  EXPECT_EQ(description["counters"]["paced"]["lines"], description["records"]);
}

TEST_F(Faults, AWorkerStoppedForLongerThanTheTimeOutIsFencedWhenItWakes) {
  cluster_.start_master();
  const std::size_t zombie = cluster_.add_worker();
  const std::string job = submit_paced("out");
  ASSERT_TRUE(eventually([&] { return is_under_way(job); }));
  cluster_.worker(zombie).signal(SIGSTOP);
  cluster_.add_worker();
  ASSERT_TRUE(eventually([&] {
    const Finished nodes = cluster_.client({"nodes", "--json"});
    return nodes.out.find("\"lost\"") != std::string::npos;
  }));
  cluster_.worker(zombie).signal(SIGCONT);
  expect_right_answer(job, "out");
}

// Real wordcount at full speed in many small tasks, so that kills hit launches, seals and the commit.
TEST_F(Faults, KillsDuringManySmallTasksNeverChangeTheAnswer) {
  std::mt19937 random(random_seed());
  cluster_.start_master();
  for (int i = 0; i < 3; ++i) cluster_.add_worker();
  for (int round = 0; round < 4; ++round) {
    const std::string output = "many-" + std::to_string(round);
    const std::string job = cluster_.submit(
        {"wordcount", novel_, "--output", cluster_ / output, "--splits", "400", "--max-attempts", "100"});
    for (int kill = 0; kill < 3; ++kill) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
      if (random() % 2 == 0)
        cluster_.restart_master();
      else
        cluster_.replace_worker(random() % 3);
    }
    expect_right_answer(job, output);
  }
}

}  // namespace
}  // namespace ontime::test
