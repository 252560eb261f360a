// Attempts map 10 % of their split per second: a healthy task takes 10 s.
#include "scheduler/policies/baselines/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/policy/baseline_world.h"

namespace ontime::scheduler {
namespace {

using test::BaselineWorld;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(LateRules, PercentileIsTheValueAtThatRank) {
  EXPECT_EQ(percentile({5, 3, 1, 2, 4}, 0.25), 2);
  EXPECT_EQ(percentile({4, 3, 2, 1}, 0.25), 1);  // rank floor(0.75)
  EXPECT_EQ(percentile({7}, 0.25), 7);
  EXPECT_EQ(percentile({1, 2, 3}, 1), 3);
}

TEST(LateRules, SlowRateIsAPercentileInThePaperAndMeanMinusDeviationInMrv1) {
  const std::vector<double> rates{1, 2, 3, 4, 5};  // mean 3, deviation sqrt 2
  EXPECT_EQ(slow_rate({}, rates), 2);
  LateRules rules{LateForm::Mrv1, 1, 1, 60, false};
  EXPECT_DOUBLE_EQ(*slow_rate(rules, rates), 3 - 3.0 / 3);  // the deviation counts as a third of the mean at most
  rules.as_written = true;
  EXPECT_DOUBLE_EQ(*slow_rate(rules, rates), 3 - std::sqrt(2.0));
  EXPECT_FALSE(slow_rate(rules, {1}));
}

TEST(LateRules, WithADeviationAboveTheMeanNothingWasEverSlow) {
  const std::vector<double> rates{0, 0, 0, 0, 10};  // mean 2, deviation 4
  EXPECT_LT(*slow_rate({LateForm::Mrv1, 1, 1, 60, true}, rates), 0);
  EXPECT_GT(*slow_rate({LateForm::Mrv1, 1, 1, 60, false}, rates), 0);
}

TEST(LateRules, Caps) {
  EXPECT_EQ(late_cap(0.1, 25), 2u);
  EXPECT_EQ(late_cap(0.1, 5), 1u);
  EXPECT_EQ(mrv1_cap(20, 20), 10u);
  EXPECT_EQ(mrv1_cap(2000, 20), 20u);
  EXPECT_EQ(mrv1_cap(2000, 300), 30u);
}

TEST(LateRules, FreeSlotsOfSlowNodesDoNotCount) {
  test::World world;
  ResourceManager resources;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    resources.refresh(world.cluster(), world.register_node(name, 2));
  }
  const View view{world.cluster(), resources, {}, world.now(), 0};
  EXPECT_EQ(slots_on_good_nodes(view, {}), 10u);  // all alike
  resources.observe_slowness(world.cluster(), NodeId{2}, TaskId{}, 1.5, world.now());
  EXPECT_EQ(slots_on_good_nodes(view, {}), 8u);  // at rank floor(0.25 * 4) = 1 stands one of the others: b is below
  resources.observe_slowness(world.cluster(), NodeId{4}, TaskId{}, 1.2, world.now());
  EXPECT_EQ(slots_on_good_nodes(view, {}), 8u);  // now d stands there, and b is below
  EXPECT_EQ(slots_on_good_nodes(view, {LateForm::Mrv1, 0.25, 1, 60, false}), 8u);
}

TEST(Late, CopiesTheSlowTaskWithTheLongestTimeLeft) {
  BaselineWorld world(30);
  world.slow_down({{3, 1}, {4, 0.5}});
  const JobId job = world.submit_tasks(20, "late", {{"min_age", "2s"}, {"cap", "0.04"}});  // one copy at a time
  world.advance(4);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(4));
  EXPECT_EQ(world.declined(job, 3), Reason::CapReached);
  EXPECT_EQ(world.attempt(job, 4, 1).held, (ByteRange{4 * BaselineWorld::kSplit, 5 * BaselineWorld::kSplit}));
}

TEST(Late, FillsItsCapInOneCheck) {
  BaselineWorld world(30);
  world.slow_down({{3, 1}, {4, 0.5}});
  const JobId job = world.submit_tasks(20, "late", {{"min_age", "2s"}});  // three copies
  world.advance(4);
  EXPECT_THAT(world.tasks_with_copies(job), testing::IsSupersetOf({3, 4}));
  EXPECT_LE(world.copies_launched(job), 3u);
}

TEST(Late, DoesNotJudgeTheYoung) {
  BaselineWorld world(30);
  world.slow_down({{3, 1}});
  const JobId job = world.submit_tasks(20, "late");
  world.advance(59);
  EXPECT_THAT(world.tasks_with_copies(job), IsEmpty());
  EXPECT_EQ(world.declined(job, 3), Reason::TooYoung);
  world.advance(3.5);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(3));
}

TEST(Late, HasOneCopyPerTask) {
  BaselineWorld world(30);
  world.set_percent([](AttemptId id) { return id.task.index == 3 ? 1.0 : 10.0; });
  const JobId job = world.submit_tasks(20, "late", {{"min_age", "2s"}});
  world.advance(20);
  EXPECT_THAT(world.tasks_with_copies(job), testing::Contains(3));
  EXPECT_EQ(world.job(job).tasks[3].attempts.size(), 2u);
  EXPECT_EQ(world.declined(job, 3), Reason::AlreadySpeculating);
}

TEST(Late, InTheFormOfMrv1OnlyWhatIsFarFromTheMeanIsSlow) {
  BaselineWorld world(30);
  world.set_percent([](AttemptId id) {
    if (id.number > 0) return 10.0;
    return id.task.index == 3 ? 1.0 : 9.0 + 0.1 * id.task.index;
  });
  const JobId job = world.submit_tasks(20, "late", {{"form", "mrv1"}, {"min_age", "2s"}});
  world.advance(3.5);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(3));  // the percentile takes a quarter
}

TEST(Late, TakesOnlySlotsThatAreFree) {
  BaselineWorld world(20);
  world.slow_down({{3, 1}});
  const JobId job = world.submit_tasks(20, "late", {{"min_age", "2s"}});
  world.advance(5);
  EXPECT_EQ(world.copies_launched(job), 0u);
  EXPECT_EQ(world.declined(job, 3), Reason::NoFreeSlot);
}

TEST(Late, RefusesACapInTheFormThatHasNone) {
  EXPECT_NO_THROW(make_policy("late", {{"cap", "0.2"}}));
  EXPECT_THROW(make_policy("late", {{"form", "mrv1"}, {"cap", "0.2"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("late", {{"slow_task", "2"}}), std::invalid_argument);
}

}  // namespace
}  // namespace ontime::scheduler
