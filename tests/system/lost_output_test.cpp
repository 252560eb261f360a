// What attempts have stored is removed before it is committed: it is mapped again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class LostOutput : public testing::Test {
 protected:
  void SetUp() override {
    cluster_.start_master();
    cluster_.add_worker();
  }
  // Two tasks on one slot. The attempt that comes second waits for a gate, and so does each one after that.
  std::string submit(const std::string& attempts_max) {
    const std::string command = "mkdir '" + (cluster_ / "one") + "' 2>/dev/null || { if mkdir '" + (cluster_ / "two") +
                                "' 2>/dev/null; then g=1; else g=2; fi; until [ -e '" + (cluster_ / "gate") +
                                "'$g ]; do sleep 0.05; done; }; cat";
    return cluster_.submit({"exec", kNovel, "--output", output_, "--splits", "2", "--checkpoint", "0s", "--policy",
                            "none", "--max-attempts", attempts_max, "--set", "command=" + command});
  }
  void open_gate(int number) { write_file((cluster_ / "gate") + std::to_string(number), ""); }
  // The first task is done, and the second one waits.
  bool is_half_done(const std::string& job) {
    const nlohmann::json description = cluster_.job(job);
    return !description.is_null() && description["tasks_done"] == 1 && description["attempts_launched"] == 2;
  }
  void remove_output_of_first_task() {
    int removed = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(output_) / "_attempts")) {
      if (entry.path().filename() == "t00000-a0") removed += fs::remove(entry.path()) ? 1 : 0;
    }
    EXPECT_EQ(removed, 1);
  }

  Cluster cluster_;
  const std::string output_ = cluster_ / "out";
};

TEST_F(LostOutput, IsMappedAgainAlsoByTheNextMaster) {
  const std::string job = submit("4");
  ASSERT_TRUE(eventually([&] { return is_half_done(job); }));
  remove_output_of_first_task();
  open_gate(1);
  const auto runs_again = [&] {
    const nlohmann::json description = cluster_.job(job);
    return !description.is_null() && description["state"] == "running" && description["attempts_launched"] == 3;
  };
  ASSERT_TRUE(eventually(runs_again)) << cluster_.job(job).dump(1);
  cluster_.restart_master();
  open_gate(2);
  EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
  const nlohmann::json description = cluster_.job(job);
  EXPECT_EQ(description["attempts_launched"], 3);
  EXPECT_EQ(description["task_list"][1]["attempts"].size(), 1u) << "nothing was lost of the second task";
  EXPECT_EQ(ontime({"verify", output_}).status, 0);
  EXPECT_TRUE(shell("cat '" + output_ + "'/part-*").out == read_file(kNovel));
}

TEST_F(LostOutput, FailsAJobWhoseTasksMayNotFail) {
  const std::string job = submit("1");
  ASSERT_TRUE(eventually([&] { return is_half_done(job); }));
  remove_output_of_first_task();
  open_gate(1);
  EXPECT_EQ(cluster_.wait(job), "failed");
  EXPECT_THAT(cluster_.job(job)["message"].get<std::string>(),
              HasSubstr(job + "/t00000 failed 1 time; its output was lost: "));
  EXPECT_TRUE(eventually([&] { return !fs::exists(output_); }));
}

}  // namespace
}  // namespace ontime::test
