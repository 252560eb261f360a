// kill -9 of workers, attempts and the master at random instants: the answer stays the same to the byte.
#include <gtest/gtest.h>
#include <signal.h>

#include <random>
#include <thread>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

using namespace std::chrono_literals;

const std::string kNovel = kText + "/austen_persuasion.txt";

class Faults : public testing::Test {
 protected:
  // A job that takes a second or two, with checkpoints all the while. Fewer lines between pauses make it slower.
  std::string submit_paced(const std::string& output, const std::string& splits = "6",
                           const std::string& lines = "10") {
    return cluster_.submit({"paced", kNovel, "--output", cluster_ / output, "--splits", splits, "--checkpoint", "100ms",
                            "--max-attempts", "100", "--set", "lines=" + lines, "--app-dir", kApps});
  }
  void expect_right_answer(const std::string& job, const std::string& output) {
    EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
    EXPECT_EQ(verified_answer(cluster_ / output), expected_);
  }
  bool is_under_way(const std::string& job) {
    const nlohmann::json description = cluster_.job(job);
    return !description.is_null() && description["state"] == "running" && description["mapped_bytes"] > 0;
  }

  Cluster cluster_;
  const std::string expected_ = counted_by_coreutils(kNovel);
};

// Eight jobs, at least four kills in each while it runs: workers, attempts, the master.
TEST_F(Faults, RandomKillsNeverChangeTheAnswer) {
  const std::uint32_t seed = std::random_device{}();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  cluster_.start_master();
  for (int i = 0; i < 3; ++i) cluster_.add_worker();
  int worker_kills = 0;
  int attempt_kills = 0;
  int master_kills = 0;
  for (int round = 0; round < 8; ++round) {
    const std::string output = "out-" + std::to_string(round);
    const std::string job = submit_paced(output);
    ASSERT_TRUE(eventually([&] { return is_under_way(job); }));
    for (int kill = 0; kill < 5; ++kill) {
      std::this_thread::sleep_for(std::chrono::milliseconds(below(120)));
      switch (below(3)) {
        case 0:
          cluster_.replace_worker(below(3));
          ++worker_kills;
          break;
        case 1:
          cluster_.restart_master();
          ++master_kills;
          break;
        default:
          attempt_kills += cluster_.kill_some_attempt(below(100)) ? 1 : 0;
          break;
      }
    }
    expect_right_answer(job, output);
    if (HasFailure()) break;
  }
  RecordProperty("worker_kills", worker_kills);
  RecordProperty("attempt_kills", attempt_kills);
  RecordProperty("master_kills", master_kills);
  EXPECT_GE(worker_kills + attempt_kills + master_kills, 30);
}

TEST_F(Faults, ARestartedMasterAdoptsRunningAttemptsAndRunsNoSealedSegmentAgain) {
  cluster_.start_master();
  cluster_.add_worker();
  cluster_.add_worker();
  const std::string job = submit_paced("out");
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
  const std::string job = submit_paced("out", "1", "3");  // still running when the kill comes, on a busy machine too
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

TEST_F(Faults, ASecondMasterOnTheSameJournalIsRefused) {
  cluster_.start_master();
  const Finished second = run({kBin + "/ontime-master", "--journal", cluster_ / "journal", "--listen", "127.0.0.1:0"});
  EXPECT_EQ(second.status, 1);
  EXPECT_NE(second.err.find(cluster_ / "journal"), std::string::npos) << second.err;
}

// Real wordcount at full speed in many small tasks, so that kills hit launches, seals and the commit.
TEST_F(Faults, KillsDuringManySmallTasksNeverChangeTheAnswer) {
  std::mt19937 random(std::random_device{}());
  cluster_.start_master();
  for (int i = 0; i < 3; ++i) cluster_.add_worker();
  for (int round = 0; round < 4; ++round) {
    const std::string output = "many-" + std::to_string(round);
    const std::string job = cluster_.submit(
        {"wordcount", kNovel, "--output", cluster_ / output, "--splits", "400", "--max-attempts", "100"});
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
