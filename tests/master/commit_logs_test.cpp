// The logs of attempts lie beside the output, and go with it.
#include <gtest/gtest.h>

#include <filesystem>

#include "master/outputs/output.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;

TEST(CommitLogs, AreKeptAndGoWithTheOutput) {
  const test::TemporaryDirectory directory;
  const std::string out = directory / "out";
  const std::string logs = out + "/" + output::kLogsName;
  const std::string success = out + "/" + output::kSuccessName;
  const auto always = [] { return true; };
  CommitPlan plan{.parts = {}, .manifest = {}, .logs = {{0, 0, "w", 0, "said\n"}}};
  plan.manifest.claim = "claim";
  const auto output = Output::at(out, "claim");
  ASSERT_TRUE(output->claim().status);
  ASSERT_TRUE(output->publish(plan, always).status);
  EXPECT_EQ(test::read_file(logs), output::to_line(plan.logs[0]) + "\n");

  // Repeated by a master that was restarted since, and knows nothing of them.
  fs::remove(success);
  plan.logs.clear();
  ASSERT_TRUE(output->publish(plan, always).status);
  EXPECT_TRUE(fs::exists(logs));

  fs::remove(success);
  ASSERT_TRUE(output->discard(0));
  EXPECT_FALSE(fs::exists(out));
}

}  // namespace
}  // namespace ontime::master
