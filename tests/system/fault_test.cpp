// kill -9 of workers, attempts and the master at random instants, also while clocks are set: the answer stays the same
// to the byte.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <ctime>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/random_seed.h"
#include "tests/support/sanitized.h"
#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

class Faults : public PacedJobs {};

TEST_F(Faults, RandomKillsNeverChangeTheAnswer) {
  cluster_.start_master();
  for (int i = 0; i < 3; ++i) cluster_.add_worker();
  kill_at_random(30);
}

// Of each process another one, up to years ahead or behind; all are set again and again while jobs run.
TEST_F(Faults, ClocksThatAreSetMeanwhileChangeNoAnswer) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer wants to be loaded before anything else";
  std::mt19937 random(random_seed());
  std::vector<std::string> clocks;
  const auto set = [&](const std::string& clock) {
    constexpr std::array<std::int64_t, 4> kLargest{1, 100, 86'400, 3 * 365 * 86'400};  // seconds
    const std::int64_t largest = kLargest[random() % kLargest.size()];
    write_file(clock, std::to_string(std::uniform_int_distribution(-largest, largest)(random)));
  };
  const auto give_next_one_another = [&] {
    clocks.push_back(cluster_ / ("clock-" + std::to_string(clocks.size())));
    set(clocks.back());
    cluster_.set_environment({{"LD_PRELOAD", ONTIME_TEST_SET_CLOCK}, {"ONTIME_TEST_CLOCK", clocks.back()}});
  };
  give_next_one_another();
  write_file(clocks.back(), "100000000");
  cluster_.start_master();
  const std::string ahead = submit_paced("ahead");
  const std::int64_t submitted = cluster_.job(ahead)["submitted_unix_ns"];
  EXPECT_GT(submitted / 1'000'000'000, std::time(nullptr) + 90'000'000) << "the programs do not see this clock";
  for (int i = 0; i < 3; ++i) {
    give_next_one_another();
    cluster_.add_worker();
  }
  kill_at_random(20, [&] {
    for (const std::string& clock : clocks) set(clock);
    give_next_one_another();
  });
  expect_right_answer(ahead, "ahead");
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
