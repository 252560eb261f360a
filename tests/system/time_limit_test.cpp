// A cluster whose workers' machines all end every few seconds, as allocations of Slurm do at their time limit: jobs
// with deadlines are done all the same, and what was handed over is not mapped again.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

using std::chrono::steady_clock;

class TimeLimit : public PacedJobs {
 protected:
  static constexpr auto kLimit = std::chrono::seconds(6);
  static constexpr std::uint32_t kSlots = 2;
  // An attempt maps so many bytes a second at most: lines of 100 bytes, `lines` of them in each pause.
  static constexpr std::uint64_t kLineBytesMax = 100;
  static constexpr std::uint64_t kLines = 2;
  static constexpr std::uint64_t kPausesPerSecond = 1000;

  void SetUp() override {
    shell("for i in 1 2 3; do cat '" + novel_ + "'; done > '" + text_ + "'");
    cluster_.set_node_timeout("60s");
    cluster_.start_master();
  }
  std::string submit(const std::string& output, const std::string& deadline) {
    return cluster_.submit({"paced", text_, "--output", cluster_ / output, "--splits", "4", "--checkpoint", "1s",
                            "--deadline", deadline, "--set", "lines=" + std::to_string(kLines), "--app-dir", kApps});
  }
  bool is_over(const std::string& job) {
    const nlohmann::json description = cluster_.job(job);
    return !description.is_null() && !description["ended_unix_ns"].is_null();
  }
  // All workers start and end at the same times. At its end what is left of an allocation gets SIGTERM, as from Slurm,
  // and then SIGKILL.
  void live_one_allocation() {
    const auto end = steady_clock::now() + kLimit;
    const std::size_t first = cluster_.workers();
    for (int i = 0; i < 2; ++i) {
      cluster_.add_worker(kSlots, {"--time-limit", "6s", "--time-limit-lead", "2s"});
    }
    const auto is_any_left = [&] {
      return cluster_.worker(first).is_running() || cluster_.worker(first + 1).is_running();
    };
    eventually([&] { return !is_any_left() || steady_clock::now() >= end; });
    for (std::size_t worker = first; worker < first + 2; ++worker) {
      if (cluster_.worker(worker).is_running()) {
        cluster_.worker(worker).signal(SIGTERM);
        cluster_.worker(worker).kill();
        ++killed_;
      } else {
        EXPECT_EQ(cluster_.worker(worker).wait().status, 0) << cluster_.worker(worker).output().err;
      }
    }
    ++allocations_;
  }

  const std::string text_ = cluster_ / "text";
  std::uint64_t killed_ = 0;
  int allocations_ = 0;
};

TEST_F(TimeLimit, JobsOutliveEveryAllocationAndWhatWasSealedIsNotMappedAgain) {
  const std::vector<std::string> jobs{submit("first", "60s"), submit("second", "90s"), submit("third", "120s")};
  const auto are_over = [&] { return std::all_of(jobs.begin(), jobs.end(), [&](auto& job) { return is_over(job); }); };
  while (!are_over()) {
    ASSERT_LT(allocations_, 100) << "they never end";
    live_one_allocation();
  }
  EXPECT_GT(allocations_, 1);
  std::uint64_t dropped = 0;
  for (const auto& [job, output] : {std::pair{jobs[0], "first"}, {jobs[1], "second"}, {jobs[2], "third"}}) {
    const nlohmann::json description = cluster_.job(job);
    EXPECT_EQ(description["state"], "succeeded") << description.dump(1);
    EXPECT_EQ(description["attempts_failed"], 0);
    EXPECT_EQ(verified_answer(cluster_ / output), counted_by_coreutils(text_));
    dropped += description["account"]["bytes"]["dropped"].get<std::uint64_t>();
  }
  // Only a worker that the machine was too slow for has lost anything: what it had not sealed for some seconds.
  constexpr std::uint64_t kBytesOfSecond = kSlots * kLineBytesMax * kLines * kPausesPerSecond;
  EXPECT_LE(dropped, killed_ * 6 * kBytesOfSecond) << killed_ << " workers of " << 2 * allocations_ << " were killed";
  RecordProperty("allocations", allocations_);
  RecordProperty("dropped", static_cast<int>(dropped));
}

// Nothing of a notice is known before it is given.
TEST_F(TimeLimit, AWorkerThatFindsANoticeHandsOverAndEnds) {
  const std::string notice = cluster_ / "notice";
  const std::size_t worker = cluster_.add_worker(1, {"--ending-notice", notice, "--drain-timeout", "100s"});
  const std::string job = submit("out", "120s");
  ASSERT_TRUE(eventually([&] { return has_begun(job); }));
  EXPECT_TRUE(cluster_.worker(worker).is_running());
  std::ofstream{notice};
  EXPECT_EQ(cluster_.worker(worker).wait().status, 0) << cluster_.worker(worker).output().err;
  cluster_.add_worker(4);
  EXPECT_EQ(cluster_.wait(job), "succeeded");
  EXPECT_EQ(verified_answer(cluster_ / "out"), counted_by_coreutils(text_));
  EXPECT_EQ(cluster_.job(job)["account"]["bytes"]["dropped"], 0) << cluster_.job(job)["account"].dump(1);
}

}  // namespace
}  // namespace ontime::test
