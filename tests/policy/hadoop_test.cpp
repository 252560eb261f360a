// Attempts map 10 % of their split per second: a healthy task takes 10 s.
#include "scheduler/policies/baselines/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/policy/baseline_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::BaselineWorld;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(HadoopCap, IsTheLargestOfTenOnePercentAndTenPercentOfWhatRuns) {
  EXPECT_EQ(HadoopCap{}.of(20, 20), 10u);
  EXPECT_EQ(HadoopCap{}.of(2000, 50), 20u);
  EXPECT_EQ(HadoopCap{}.of(2000, 390), 39u);
  HadoopCap cap;
  cap.minimum_allowed_tasks = 1;
  EXPECT_EQ(cap.of(20, 20), 2u);
}

TEST(Hadoop, CopiesATaskThatEndsAfterAFreshAttemptWould) {
  BaselineWorld world(30);
  world.slow_down({{3, 1}});
  const JobId job = world.submit_tasks(20, "hadoop");
  world.advance(9.5);
  EXPECT_THAT(world.tasks_with_copies(job), IsEmpty());  // nothing is done yet
  world.advance(1.6);                                    // 19 tasks are: it ends at 100 s, a fresh attempt at 21 s
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(3));
  EXPECT_EQ(world.attempt(job, 3, 1).held, (ByteRange{3 * BaselineWorld::kSplit, 4 * BaselineWorld::kSplit}));
}

TEST(Hadoop, LooksAtNothingBeforeFivePercentAreDone) {
  BaselineWorld world(60);
  std::map<std::uint32_t, double> slow;
  for (std::uint32_t task = 1; task < 40; ++task) slow[task] = 0.5;
  world.slow_down(slow);
  const JobId job = world.submit_tasks(40, "hadoop");
  world.advance(15);  // one of forty
  EXPECT_EQ(world.job(job).tasks_done, 1u);
  EXPECT_EQ(world.copies_launched(job), 0u);
}

TEST(Hadoop, LaunchesOneCopyPerScanAndPausesAfterIt) {
  BaselineWorld world(30);
  world.slow_down({{3, 1}, {4, 0.5}});
  const JobId job = world.submit_tasks(20, "hadoop", {{"retry_after_speculate", "5s"}});
  world.advance(11.5);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(4));  // it ends last
  EXPECT_EQ(world.declined(job, 3), Reason::NotDue);
  world.advance(4);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(4));
  world.advance(1.5);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(3, 4));
}

TEST(Hadoop, LeavesAJobAloneOfWhichATaskWaits) {
  BaselineWorld world(10);
  world.slow_down({{3, 1}});
  const JobId job = world.submit_tasks(50, "hadoop");
  world.advance(39.5);
  EXPECT_EQ(world.copies_launched(job), 0u);
}

TEST(Hadoop, HasOneCopyPerTask) {
  BaselineWorld world(30);
  world.set_percent([](AttemptId id) { return id.task.index == 3 ? 1.0 : 10.0; });  // copies too
  const JobId job = world.submit_tasks(20, "hadoop", {{"retry_after_speculate", "1s"}});
  world.advance(20);
  EXPECT_EQ(world.copies_launched(job), 1u);
  EXPECT_EQ(world.declined(job, 3), Reason::AlreadySpeculating);
}

TEST(Hadoop, ThresholdInDeviationsHasAnEffectUnlessAsWritten) {
  const auto copies = [](StringMap parameters) {
    BaselineWorld world(30);
    world.slow_down({{0, 20}, {3, 2.5}});  // 5 s and 40 s; deviation of the finished ones about 1.2 s
    parameters["slowtaskthreshold"] = "100";
    parameters["retry_after_no_speculate"] = "11s";  // the scan at 0 s and one when all but one are done
    const JobId job = world.submit_tasks(20, "hadoop", parameters);
    world.advance(13);
    if (world.copies_launched(job) == 0) {
      EXPECT_EQ(world.declined(job, 3), Reason::OnSchedule);
    }
    return world.copies_launched(job);
  };
  EXPECT_EQ(copies({}), 0u);
  EXPECT_EQ(copies({{"as_written", "yes"}}), 1u);
}

TEST(Hadoop, SaysWhyALateTaskGetsNoCopy) {
  BaselineWorld world(30);
  world.slow_down({{3, 5}});  // 20 s; at 11 s a copy would end at 21 s
  const JobId job = world.submit_tasks(20, "hadoop", {}, 15s);
  world.advance(11.5);
  EXPECT_EQ(world.copies_launched(job), 0u);
  EXPECT_EQ(world.declined(job, 3), Reason::CopyWouldBeLater);
}

TEST(Hadoop, TakesOnlySlotsThatAreFree) {
  BaselineWorld world(20);
  world.slow_down({{3, 1}});
  const JobId job = world.submit_tasks(20, "hadoop");
  world.submit_tasks(60, "none");  // takes the slots of all that is done
  world.advance(12);
  EXPECT_EQ(world.copies_launched(job), 0u);
  EXPECT_EQ(world.declined(job, 3), Reason::NoFreeSlot);
}

TEST(Hadoop, KeepsToItsCap) {
  BaselineWorld world(30);
  world.slow_down({{3, 1}, {4, 1}});
  const JobId job = world.submit_tasks(
      20, "hadoop", {{"retry_after_speculate", "1s"}, {"minimum_allowed_tasks", "1"}, {"cap_running_tasks", "0"}});
  world.advance(15);
  EXPECT_EQ(world.copies_launched(job), 1u);
  EXPECT_EQ(world.declined(job, 4), Reason::CapReached);
}

TEST(Hadoop, KnowsItsFinishedTasksAfterARestartOfTheMaster) {
  BaselineWorld world(30);
  world.slow_down({{3, 1}});
  const JobId job = world.submit_tasks(20, "hadoop", {{"retry_after_no_speculate", "6s"}});
  world.advance(11);  // scans at 0 s and 6 s
  EXPECT_EQ(world.copies_launched(job), 0u);
  world.restart();  // a scan now, while no node has registered, and one 6 s later
  world.advance(6.5);
  EXPECT_THAT(world.tasks_with_copies(job), ElementsAre(3));
}

TEST(Hadoop, SaysThatNothingIsKnownOfCompressedFiles) {
  BaselineWorld world(4);
  JobSpec spec = test::World::quiet_spec();
  spec.policy = "hadoop";
  spec.inputs = {{"/a.gz", 100, "1", Codec::Gzip}};
  const JobId job = world.world().submit(std::move(spec));
  world.world().pass(1s);
  EXPECT_EQ(world.declined(job, 0), Reason::NoEstimate);
}

TEST(Hadoop, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(make_policy("hadoop", {{"tau", "1"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("hadoop", {{"cap_total_tasks", "2"}}), std::invalid_argument);
}

}  // namespace
}  // namespace ontime::scheduler
