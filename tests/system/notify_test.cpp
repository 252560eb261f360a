// A word about a job, by the programs that people run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

TEST(Notify, OfARunIsToldBeforeItEnds) {
  const TemporaryDirectory directory;
  const Finished run = ontime({"run", "wordcount", kNovel, "--output", directory / "out", "--quiet", "--notify",
                               "ended:cat > " + directory / "told", "--notify", "failed:touch " + directory / "failed",
                               "--notify", "ended:exit 5"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "ontime: --notify ended was not told: the command exited with code 5\n");
  const auto told = nlohmann::json::parse(read_file(directory / "told"));
  EXPECT_EQ(told["state"], "succeeded");
  EXPECT_EQ(told["notice"]["when"], "ended");
  EXPECT_FALSE(std::filesystem::exists(directory / "failed"));
}

// The job waits for workers and so is late at once.
TEST(Notify, IsNotRepeatedByAMasterThatIsKilledAndStartedAgain) {
  Cluster cluster;
  cluster.start_master();
  const std::string job =
      cluster.submit({"wordcount", kNovel, "--output", cluster / "out", "--deadline", "1ms", "--name", "report",
                      "--notify", "late:echo $ONTIME_NOTICE >> " + cluster / "told"});
  const auto is_told = [&] {
    const auto summary = cluster.job(job);
    return summary.is_object() && !summary["notify"][0]["told_unix_ns"].is_null();
  };
  ASSERT_TRUE(eventually(is_told));
  cluster.restart_master();
  cluster.add_worker();
  EXPECT_EQ(cluster.wait(job), "succeeded");
  EXPECT_TRUE(is_told());
  const std::string told = read_file(cluster / "told");
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  EXPECT_THAT(told, HasSubstr("/" + job + "/0"));
}

TEST(Notify, ThatMakesNoSenseIsRefusedBeforeAnythingStarts) {
  const TemporaryDirectory directory;
  const Finished run = ontime({"run", "wordcount", kNovel, "--output", directory / "out", "--notify", "later:x"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("'later:x' is not WHEN:WHAT"));
}

TEST(Notify, OfAnotherKindOfAddressIsNoCommand) {
  const TemporaryDirectory directory;
  const Finished run =
      ontime({"run", "wordcount", kNovel, "--output", directory / "out", "--notify", "ended:ftp://x/y"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("'ended:ftp://x/y' has no good URL"));
  const Finished other =
      ontime({"run", "wordcount", kNovel, "--output", directory / "out", "--notify", "ended:AT=http://x true"});
  EXPECT_EQ(other.status, 0) << other.err;
}

}  // namespace
}  // namespace ontime::test
