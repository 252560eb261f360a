// Orders of the master: launches, reuse, cuts, kills, fences, forgotten jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/protocol/convert.h"
#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using test::SlotsWorld;

TEST(Slots, LaunchSendsSetupAndRunBeforeTheRunnerIsKnownToLive) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  ASSERT_TRUE(world.launch(world.attempt(7), 100, 200));
  world.settle();
  const auto runner = world.launcher.next_spawn();
  ASSERT_TRUE(runner);
  const auto setup = runner->next();
  ASSERT_TRUE(setup && setup->has_setup());
  EXPECT_EQ(setup->setup().job().spec().application(), "wordcount");
  EXPECT_EQ(setup->setup().application_directories(0), "/apps");
  EXPECT_FALSE(setup->setup().syncs_at_commit());
  ASSERT_TRUE(runner->takes_run());
  EXPECT_EQ(runner->run().output_path(), "/out/_attempts/claim/t00007-a0");
  EXPECT_EQ(runner->run().launch().range().begin(), 100u);
  EXPECT_EQ(runner->block().offset.load(), 100u);
}

TEST(Slots, TellsRunnersWhetherTheCommitSyncsOutputs) {
  SlotsWorld world;
  wire::ToWorker::Welcome welcome;
  welcome.set_syncs_at_commit(true);
  ASSERT_TRUE(world.slots.begin_session(welcome));
  ASSERT_TRUE(world.set_up());
  ASSERT_TRUE(world.launch(world.attempt(0)));
  world.settle();
  const auto setup = world.launcher.next_spawn()->next();
  ASSERT_TRUE(setup && setup->has_setup());
  EXPECT_TRUE(setup->setup().syncs_at_commit());
}

TEST(Slots, ReportsWhatARunnerSaysInOrder) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  runner->seals(0, 1000);
  runner->finishes();
  world.settle();
  const auto reports = world.new_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].sequence(), 2u);
  EXPECT_EQ(reports[0].sealed().range().end(), 1000u);
  EXPECT_EQ(world.slots.attempt_count(), 0u);
}

TEST(Slots, ReusesARunnerForTheNextAttemptOfItsJob) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  world.finish(*runner);
  ASSERT_TRUE(world.launch(world.attempt(1), 500, 600));
  world.settle();
  EXPECT_FALSE(world.launcher.next_spawn());
  ASSERT_TRUE(runner->takes_run());
  EXPECT_EQ(runner->run().launch().attempt().task(), 1u);
  EXPECT_EQ(runner->block().offset.load(), 500u);
  EXPECT_EQ(world.slots.runner_count(), 1u);
}

TEST(Slots, DoesNotReuseARunnerOfAnotherJob) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up(1));
  ASSERT_TRUE(world.set_up(2));
  const auto first = world.launch_and_start(world.attempt(0, 1));
  world.finish(*first);
  const auto second = world.launch_and_start(world.attempt(0, 2));
  EXPECT_TRUE(first->is_alive());
  EXPECT_EQ(world.slots.runner_count(), 2u);
}

TEST(Slots, EndsTheOldestIdleRunnersOfOtherJobsWhenThereAreTooMany) {
  SlotsWorld world(1);
  for (std::uint32_t job = 1; job <= 3; ++job) ASSERT_TRUE(world.set_up(job));
  const auto first = world.launch_and_start(world.attempt(0, 1));
  world.finish(*first);
  const auto second = world.launch_and_start(world.attempt(0, 2));
  world.finish(*second);
  const auto third = world.launch_and_start(world.attempt(0, 3));
  EXPECT_TRUE(first->was_killed());
  EXPECT_TRUE(second->is_alive());
}

TEST(Slots, ForgetEndsTheIdleRunnersOfTheJob) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  world.finish(*runner);
  ASSERT_TRUE(world.forget(1));
  EXPECT_TRUE(runner->was_killed());
  EXPECT_FALSE(world.launch(world.attempt(1)));
}

TEST(Slots, EndsARunnerThatFinishesAfterItsJobWasForgotten) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  ASSERT_TRUE(world.forget(1));
  EXPECT_TRUE(runner->is_alive());
  world.finish(*runner);
  EXPECT_TRUE(runner->was_killed());
}

TEST(Slots, IgnoresALaunchThatComesTwice) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  EXPECT_TRUE(world.launch(world.attempt(0)));
  world.settle();
  EXPECT_FALSE(world.launcher.next_spawn());
  EXPECT_FALSE(runner->next());
}

TEST(Slots, RefusesALaunchWithoutSetup) {
  SlotsWorld world;
  EXPECT_FALSE(world.launch(world.attempt(0)));
}

TEST(Slots, RefusesMoreAttemptsThanTwoPerSlot) {
  SlotsWorld world(1);
  ASSERT_TRUE(world.set_up());
  EXPECT_TRUE(world.launch(world.attempt(0)));
  EXPECT_TRUE(world.launch(world.attempt(1)));
  EXPECT_FALSE(world.launch(world.attempt(2)));
}

TEST(Slots, RefusesAnOrderWithoutMeaning) {
  SlotsWorld world;
  EXPECT_FALSE(world.slots.obey({}));
}

TEST(Slots, CutGoesThroughTheProgressBlockAndItsAnswerIsReported) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  ASSERT_TRUE(world.cut(world.attempt(0), 400, true));
  EXPECT_EQ(runner->block().cut_sequence.load(), runner->run().cut_sequence() + 1);
  EXPECT_EQ(runner->block().cut_at.load(), 400u);
  EXPECT_EQ(runner->block().cut_release.load(), 1u);
  runner->answers_cut(410);
  world.settle();
  const auto reports = world.new_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].cut().at(), 410u);
  EXPECT_TRUE(reports[0].cut().release());
}

TEST(Slots, SecondCutWaitsForTheAnswerToTheFirst) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  ASSERT_TRUE(world.cut(world.attempt(0), 400));
  ASSERT_TRUE(world.cut(world.attempt(0), 300));
  EXPECT_EQ(runner->block().cut_at.load(), 400u);
  runner->answers_cut(400);
  world.settle();
  EXPECT_EQ(runner->block().cut_at.load(), 300u);
}

TEST(Slots, CutThatMeetsAFinishedAttemptIsDroppedAndNotSeenByTheNext) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  ASSERT_TRUE(world.cut(world.attempt(0), 400));  // the runner does not look any more
  world.finish(*runner);
  ASSERT_TRUE(world.cut(world.attempt(0), 300));
  ASSERT_TRUE(world.launch(world.attempt(1)));
  world.settle();
  ASSERT_TRUE(runner->takes_run());
  EXPECT_EQ(runner->run().cut_sequence(), runner->block().cut_sequence.load());
  ASSERT_TRUE(world.cut(world.attempt(1), 200));
  EXPECT_EQ(runner->block().cut_sequence.load(), runner->run().cut_sequence() + 1);
}

TEST(Slots, KillEndsTheProcessGroupAndFreesTheSlotAtOnce) {
  SlotsWorld world(1);
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  ASSERT_TRUE(world.kill(world.attempt(0)));
  EXPECT_EQ(world.slots.attempt_count(), 0u);
  EXPECT_TRUE(runner->was_killed());
  runner->seals(0, 1000);  // too late to be heard
  world.end(*runner, 9);
  EXPECT_TRUE(world.new_reports().empty());
  EXPECT_EQ(world.slots.runner_count(), 0u);
}

TEST(Slots, KillBeforeTheProcessIsKnownIsDoneWhenItIs) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  ASSERT_TRUE(world.launch(world.attempt(0)));
  ASSERT_TRUE(world.kill(world.attempt(0)));
  world.settle();
  const auto runner = world.launcher.next_spawn();
  ASSERT_TRUE(runner);
  world.launcher.reports_spawned(*runner);
  world.settle();
  EXPECT_TRUE(runner->was_killed());
}

TEST(Slots, KillOfAnUnknownAttemptDoesNothing) {
  SlotsWorld world;
  EXPECT_TRUE(world.kill(world.attempt(3)));
  EXPECT_TRUE(world.cut(world.attempt(3), 10));
}

TEST(Slots, NewSessionKillsFencedAttemptsAndLetsTheOthersRunOn) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto fenced = world.launch_and_start(world.attempt(0));
  const auto kept = world.launch_and_start(world.attempt(1));
  world.begin_session({world.attempt(0)});
  EXPECT_TRUE(fenced->was_killed());
  EXPECT_TRUE(kept->is_alive());
  ASSERT_EQ(world.progress().size(), 1u);
  EXPECT_EQ(world.progress()[0].attempt().task(), 1u);
}

TEST(Slots, NewSessionAsksForJobSetupsAgain) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  world.begin_session({});
  EXPECT_FALSE(world.launch(world.attempt(0)));
}

TEST(Slots, ProgressNeverGoesBackwards) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto runner = world.launch_and_start(world.attempt(0));
  runner->block().offset.store(700);
  EXPECT_EQ(world.progress()[0].offset(), 700u);
  runner->block().offset.store(10);
  EXPECT_EQ(world.progress()[0].offset(), 700u);
}

// Of a file that a store has, without an address for it.
wire::Ended refused_launch(SlotsWorld& world, std::uint32_t task, const std::string& path) {
  wire::Order order;
  *order.mutable_launch()->mutable_attempt() = protocol::to_wire(world.attempt(task));
  order.mutable_launch()->mutable_file()->set_path(path);
  order.mutable_launch()->mutable_file()->set_size(1000);
  order.mutable_launch()->mutable_range()->set_end(1000);
  EXPECT_TRUE(world.slots.obey(order));
  EXPECT_EQ(world.slots.attempt_count(), 0u);
  return world.only_end();
}

TEST(Slots, AFileWithoutAnAddressIsTheMachinesFaultUnlessItsNameCannotBeRight) {
  ::setenv("ONTIME_WEBHDFS_URL", "http://namenode.example:9870", 1);
  ::setenv("ONTIME_HDFS_TOKEN_FILE", "/nowhere/token", 1);
  SlotsWorld world;
  EXPECT_TRUE(world.set_up());
  const auto without_token = refused_launch(world, 0, "hdfs://namenode.example/a.txt");
  ::unsetenv("ONTIME_HDFS_TOKEN_FILE");
  ::unsetenv("ONTIME_WEBHDFS_URL");
  EXPECT_EQ(without_token.failure(), wire::LAUNCH);
  EXPECT_THAT(without_token.message(), testing::HasSubstr("/nowhere/token"));
  for (const char* name : {"hdfs:///a.txt", "s3://a/b", "hdfs://namenode.example/a/../b"})
    EXPECT_EQ(refused_launch(world, 1, name).failure(), wire::INPUT) << name;
  // The runner that waits for an attempt is the same, and takes the next one.
  ASSERT_TRUE(world.launch(world.attempt(2)));
  EXPECT_EQ(world.slots.runner_count(), 1u);
}

}  // namespace
}  // namespace ontime::worker
