#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/study/study.h"
#include "tests/lab/study/small_study.h"

namespace ontime::lab {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What is wrong with a study whose lines from 7 on are these.
std::string complaint(const std::string& lines) {
  const auto study = read_study(kScenario + "study:\n" + lines);
  return study ? "" : study.error().message;
}

const std::string kRest = "  policies: {A: none}\n  measures: [pocd]\n";

TEST(StudyYaml, ReadsEverythingThereIs) {
  const auto study = read_study(kScenario + R"(
study:
  title: T
  source: S
  seeds: 7
  policies:
    A: none
    B: {run: "dolly:budget=1", measured: {p: {miss_of: hadoop, per_task: yes}}}
  vary:
    - name: deadline
      values:
        - {label: 300, set: {jobs.0.deadline: 300s}}
        - label: half
          set: {jobs.*.deadline: {medians_of: hadoop, times: 0.5, with: {jobs.0.tasks: 3}}}
  measures: [pocd, utility]
  utility: {log: e, r_min: 0.1, theta: 1e-5, price: 2}
  printed: [{policy: A, deadline: 300, pocd: 0.4}, {policy: B, utility: [-1, 0]}]
  read_off_figure: yes
  by_group: yes
  assumptions: one
  findings: two
  figure: {kind: bars, x: deadline, y: pocd, log_y: yes}
)");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->seeds, 7u);
  EXPECT_TRUE(study->policies[1].measured.at("p").per_task);
  EXPECT_EQ(study->axes[0].values[1].settings[0].medians->times, 0.5);
  EXPECT_EQ(study->axes[0].values[1].settings[0].medians->with[0].path, "jobs.0.tasks");
  EXPECT_EQ(study->utility.price, 2);
  EXPECT_TRUE(study->by_group);
  EXPECT_EQ(study->curves, Curves::None);
}

TEST(StudyYaml, ReadsWhatMakesItACampaign) {
  const auto study = read_study("seed: 6\n" + kScenario + R"(
study:
  title: T
  own_seeds: yes
  every: 7
  by_group: mean
  forecasts: {life: [0.5], deadline: [0.25, 0.5]}
  policies: {A: none}
  vary:
    - name: deadline
      pooled: yes
      values:
        - {label: a, set: {jobs.0.deadline: {medians_of: none, runs: 4, seed: 1001}}}
        - {label: b, set: {jobs.0.deadline: {medians_of: none, runs: 5, other_luck: yes}}}
  measures: [pocd, brier, bias, jobs]
)");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->seed, 6u);
  EXPECT_TRUE(study->own_seeds);
  EXPECT_EQ(study->every, 7u);
  EXPECT_TRUE(study->by_group);
  EXPECT_EQ(study->forecasts.deadline.size(), 2u);
  EXPECT_TRUE(study->axes[0].pooled);
  EXPECT_EQ(study->axes[0].values[0].settings[0].medians->seed, 1001u);
  EXPECT_TRUE(study->axes[0].values[1].settings[0].medians->other_luck);
  EXPECT_THAT(complaint("  title: T\n" + kRest + "  by_group: often\n"),
              AllOf(HasSubstr("line 10"), HasSubstr("by_group")));
  EXPECT_THAT(complaint("  title: T\n" + kRest + "  forecasts: {life: [2]}\n"), HasSubstr("between 0 and 1"));
  EXPECT_THAT(complaint("  title: T\n" + kRest + "  every: 0\n"), HasSubstr("every"));
  EXPECT_THAT(
      complaint("  title: T\n" + kRest +
                "  vary: [{name: d, values: [{label: a, set: {launch: {medians_of: none, other_luck: yes}}}]}]\n"),
      HasSubstr("runs"));
}

TEST(StudyYaml, TellsAStudyFromAScenario) {
  EXPECT_TRUE(has_study(kStudy));
  EXPECT_FALSE(has_study(kScenario));
  EXPECT_FALSE(has_study("- ["));
}

TEST(StudyYaml, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(complaint("  title: T\n  polices: {}\n"), AllOf(HasSubstr("line 8"), HasSubstr("polices")));
  EXPECT_THAT(complaint("  title: T\n  policies: {A: wishful}\n"), AllOf(HasSubstr("line 8"), HasSubstr("wishful")));
  EXPECT_THAT(complaint("  title: T\n  policies: {A: 'none:x=1'}\n"), HasSubstr("x"));
  EXPECT_THAT(complaint("  title: T\n  measures: [luck]\n"), AllOf(HasSubstr("line 8"), HasSubstr("luck")));
  EXPECT_THAT(complaint("  title: T\n  measures: [pocd]\n"), HasSubstr("policies"));
  EXPECT_THAT(complaint("  title: T\n" + kRest + "  vary: [{name: x, values: []}]\n"), HasSubstr("no values"));
  EXPECT_THAT(complaint("  title: T\n" + kRest + "  seeds: 0\n"), HasSubstr("seed"));
  EXPECT_THAT(complaint("  - 1\n"), HasSubstr("mapping"));
}

TEST(StudyYaml, TheScenarioMustBeRightToo) {
  const auto study = read_study("nodes: []\njobs: [{}]\nstudy:\n  title: T\n" + kRest);
  ASSERT_FALSE(study);
  EXPECT_THAT(study.error().message, HasSubstr("node"));
}

}  // namespace
}  // namespace ontime::lab
