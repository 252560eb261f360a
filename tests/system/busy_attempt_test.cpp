// An attempt that is busy with one record, and so answers nothing: what lies behind the record goes to another one at
// once, the attempt is not ended for it, and no record is lost or mapped twice.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

class BusyAttempt : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 20'000; ++i) text_ += "line " + std::to_string(i) + "\n";
    std::ofstream(cluster_ / "text") << text_;
    cluster_.set_node_timeout("60s");
    cluster_.start_master({"--cut-timeout", "60s"});
  }
  // The first one that begins maps its first line and is stuck in the second until the gate opens.
  std::string submit() {
    const std::string first = cluster_ / "first";
    const std::string command = "if mkdir '" + first +
                                "' 2>/dev/null; then IFS= read -r line; echo \"$line\"; until [ -e '" +
                                (cluster_ / "gate") + "' ]; do sleep 0.1; done; fi; cat";
    return cluster_.submit({"exec", cluster_ / "text", "--output", cluster_ / "out", "--splits", "1", "--checkpoint",
                            "0s", "--attempt-timeout", "10m", "--policy", "none", "--set", "command=" + command});
  }
  static std::uint64_t sealed_by(const nlohmann::json& task, int attempt) {
    std::uint64_t bytes = 0;
    for (const auto& segment : task["segments"]) {
      if (segment["state"] == "sealed" && segment["attempt"] == attempt)
        bytes += segment["end"].get<std::uint64_t>() - segment["begin"].get<std::uint64_t>();
    }
    return bytes;
  }

  Cluster cluster_;
  std::string text_;
};

TEST_F(BusyAttempt, TheRestBehindItsRecordIsMappedWhileItIsStuck) {
  cluster_.add_worker();
  const std::string job = submit();
  const auto has_taken_a_line = [&] { return cluster_.job(job)["mapped_bytes"] > 0; };
  ASSERT_TRUE(eventually(has_taken_a_line));
  cluster_.add_worker();
  ASSERT_EQ(cluster_.client({"drain", "node-1"}).status, 0);
  const auto has_mapped_the_rest = [&] {
    const nlohmann::json task = cluster_.job(job)["task_list"][0];
    return sealed_by(task, 1) > text_.size() / 2;
  };
  ASSERT_TRUE(eventually(has_mapped_the_rest)) << cluster_.job(job).dump(1);
  EXPECT_EQ(cluster_.job(job)["attempts_running"], 1);  // the first one
  std::ofstream(cluster_ / "gate") << "open";
  ASSERT_EQ(cluster_.wait(job), "succeeded");
  const nlohmann::json description = cluster_.job(job);
  EXPECT_EQ(description["attempts_launched"], 2) << description.dump(1);
  EXPECT_EQ(description["attempts_failed"], 0);
  EXPECT_EQ(description["records"], 20'000);
  EXPECT_EQ(description["account"]["bytes"]["dropped"], 0);
  const Finished answer = shell("cat '" + (cluster_ / "out") + "'/part-*");
  EXPECT_TRUE(answer.out == text_);
}

}  // namespace
}  // namespace ontime::test
