#include "lab/verbs/parallel_runs.h"

#include <gtest/gtest.h>

#include "lab/study/study.h"
#include "lab/study/study_result.h"
#include "tests/lab/study/small_study.h"

namespace ontime::lab {
namespace {

TEST(ParallelRuns, ResultsAreTheSameHoweverManyThreadsThereAre) {
  const auto study = lab::read_study(lab::kStudy);
  ASSERT_TRUE(study);
  const auto one = lab::run_study(*study, {3, {}, {}}, lab::one_by_one);
  const auto many = lab::run_study(*study, {3, {}, {}}, parallel_runs(5, "small"));
  ASSERT_TRUE(one && many);
  EXPECT_EQ(lab::runs_csv(*one), lab::runs_csv(*many));
}

TEST(ParallelRuns, TheLineTellsHowFarItIs) {
  EXPECT_EQ(runs_line(0, 0, 72, -1, "a.yaml"), "[>                       ]   0%  0/72 runs  a.yaml");
  EXPECT_EQ(runs_line(0.5, 31, 72, 130, "a.yaml"),
            "[============>           ]  50%  31/72 runs  about 2m 10s left  a.yaml");
}

// Where nobody redraws lines, one comes now and then.
TEST(ParallelRuns, ALogHasALineNowAndThen) {
  const auto told = [](std::chrono::seconds now_and_then, bool quiet) {
    testing::internal::CaptureStderr();
    {
      RunsLine line(72, quiet, now_and_then);
      line.show(0, 0, "a.yaml");
      line.show(0.004, 1, "a.yaml");
    }
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(told(std::chrono::seconds(0), false),
            runs_line(0, 0, 72, -1, "a.yaml") + "\n" + runs_line(0.004, 1, 72, -1, "a.yaml") + "\n");
  EXPECT_EQ(told(std::chrono::hours(1), false), "");
  EXPECT_EQ(told(std::chrono::seconds(0), true), "");
}

}  // namespace
}  // namespace ontime::lab
