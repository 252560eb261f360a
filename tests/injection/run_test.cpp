// Injection with the real programs: settings of `ontime run` reach the attempts, and the answer stays right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

const std::string kNovel = kText + "/austen_persuasion.txt";

// `ontime run wordcount` of the novel with these flags, to its end.
Finished run_with(const TemporaryDirectory& directory, const Arguments& flags) {
  Arguments arguments{"run",    "wordcount",   kNovel, "--output",   directory / "out",
                      "--json", "--log-level", "info", "--log-file", directory / "log"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return ontime(std::move(arguments));
}

TEST(InjectionRun, PacedAttemptsAndStragglersGiveTheSameAnswer) {
  const TemporaryDirectory directory;
  const Finished finished = run_with(directory, {"--workers", "3", "--splits", "10", "--seed", "7", "--inject",
                                                 "pace=60ms", "--inject", "straggler=0.1:8x"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(verified_answer(directory / "out"), counted_by_coreutils(kNovel));
  EXPECT_THAT(read_file(directory / "log"),
              HasSubstr("ontime-master injection_active seed=7 pace=60ms straggler=0.1:8x"));
}

// Eight tasks on two slots whose processes are kept, two for each slot: eight starts, or two to four, and what the
// tasks map for. They are no launches, which end before.
TEST(InjectionRun, AStartIsPaidByEverySegmentOrByTheProcess) {
  std::map<std::string, double> useful;  // nanoseconds of slots
  for (const std::string of : {"segment", "process"}) {
    const TemporaryDirectory directory;
    const Finished finished =
        run_with(directory, {"--workers", "2", "--splits", "8", "--policy", "none", "--checkpoint", "0", "--inject",
                             "start=1s", "--inject", "start-of=" + of, "--inject", "reads-ahead=all"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(verified_answer(directory / "out"), counted_by_coreutils(kNovel));
    const auto job = nlohmann::json::parse(finished.out);
    useful[of] = job["account"]["machine_ns"]["useful"].get<double>();
    EXPECT_GE(useful[of], (of == "segment" ? 8 : 2) * 1e9) << finished.out;
  }
  EXPECT_GE(std::round((useful["segment"] - useful["process"]) / 1e9), 4) << "starts more";
}

TEST(InjectionRun, ACrashAtAByteIsRetriedFromThere) {
  const TemporaryDirectory directory;
  const Finished finished = run_with(
      directory, {"--workers", "2", "--splits", "4", "--inject", "crash=task:1@50%", "--inject", "pace=100ms"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(verified_answer(directory / "out"), counted_by_coreutils(kNovel));
  const std::string log = read_file(directory / "log");
  EXPECT_THAT(log, HasSubstr("attempt_failed job=job-1 task=job-1/t00001 attempt=job-1/t00001/a0"));
  EXPECT_THAT(log, HasSubstr("killed by signal 6"));
}

TEST(InjectionRun, AStalledAttemptIsKilledForItsSilence) {
  const TemporaryDirectory directory;
  const Finished finished = run_with(
      directory, {"--workers", "2", "--splits", "4", "--inject", "stall=task:2@10%", "--attempt-timeout", "300ms"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(verified_answer(directory / "out"), counted_by_coreutils(kNovel));
  EXPECT_THAT(read_file(directory / "log"),
              HasSubstr("attempt_killed job=job-1 task=job-1/t00002 attempt=job-1/t00002/a0"));
}

TEST(InjectionRun, AFileSaysTheSameAsFlags) {
  const TemporaryDirectory directory;
  write_file(directory / "stragglers.yaml", "seed: 7\npace: 20ms\nnode: worker-1:3x\nburn: 1\n");
  const Finished finished = run_with(directory, {"--injection", directory / "stragglers.yaml"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(read_file(directory / "log"), HasSubstr("injection_active seed=7 pace=20ms node=worker-1:3x burn=1"));
}

TEST(InjectionRun, AWrongSettingIsRefusedBeforeAnythingIsStarted) {
  const TemporaryDirectory directory;
  const Finished finished = run_with(directory, {"--inject", "straggler=0.1"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("--inject straggler=0.1: expected SHARE:FACTORx"));
  const Finished master = run({kBin + "/ontime-master", "--check-config", "--inject", "pace=fast"});
  EXPECT_EQ(master.status, 2);
  EXPECT_THAT(master.err, HasSubstr("--inject pace=fast: "));
  EXPECT_EQ(run({kBin + "/ontime-master", "--check-config", "--inject", "pace=2s", "--seed", "7"}).status, 0);
}

// As process 1 of a container.
TEST(InjectionRun, AProcessOneKeepsItsClusterAlive) {
  const Arguments container{"/usr/bin/unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"};
  const auto within = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), container.begin(), container.end());
    return run(arguments);
  };
  if (within({"/bin/true"}).status != 0) GTEST_SKIP() << "this machine lets nobody make a process namespace";
  const TemporaryDirectory directory;
  const Finished finished =
      within({kBin + "/ontime", "run", "wordcount", kNovel, "--output", directory / "out", "--quiet"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(verified_answer(directory / "out"), counted_by_coreutils(kNovel));
}

}  // namespace
}  // namespace ontime::test
