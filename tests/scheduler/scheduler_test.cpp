#include "scheduler/core/scheduler.h"

#include <gtest/gtest.h>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

TEST(Scheduler, AJobWithoutNodesWaits) {
  World world;
  world.submit(100, 50);
  EXPECT_TRUE(world.take<action::LaunchAttempt>().empty());
}

TEST(Scheduler, SubmissionIsAnsweredWithIdAndNumberOfTasks) {
  World world;
  world.submit(100, 30);
  const auto answers = world.take<action::AnswerSubmit>();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].job, JobId{1});
  EXPECT_EQ(answers[0].tasks, 4u);
  EXPECT_EQ(answers[0].request, 1u);
}

TEST(Scheduler, TasksAreLaunchedInOrderOnFreeSlotsAndSpreadOverNodes) {
  World world;
  world.register_node("a", 2);
  world.register_node("b", 1);
  world.submit(100, 10);
  const auto launches = world.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].attempt.task.index, 0u);
  EXPECT_EQ(launches[2].attempt.task.index, 2u);
  EXPECT_EQ(launches[0].range, (ByteRange{0, 10}));
  EXPECT_NE(launches[0].node, launches[2].node);
}

TEST(Scheduler, ANodeGetsNoWorkBeforeItsInventory) {
  World world;
  world.submit(100, 50);
  world.send(event::NodeRegistered{"a", "a", "host", 2});
  EXPECT_TRUE(world.take<action::LaunchAttempt>().empty());
  world.send(event::NodeInventory{world.cluster().node_of("a"), {}});
  EXPECT_EQ(world.take<action::LaunchAttempt>().size(), 2u);
}

TEST(Scheduler, ASealedTaskFreesItsSlotForTheNextInTheSameStep) {
  World world;
  world.register_node("a");
  world.submit(100, 50);
  world.seal_all(world.take_launch());
  EXPECT_EQ(world.take_launch().task.index, 1u);
}

TEST(Scheduler, JobsGetSlotsInOrderOfSubmission) {
  World world;
  world.register_node("a");
  const JobId first = world.submit(100, 50);
  world.submit(100, 50);
  world.seal_all(world.take_launch());
  EXPECT_EQ(world.take_launch().task.job, first);
}

TEST(Scheduler, AJobIsCommittedWhenAllTasksAreDoneAndThenSucceeds) {
  World world;
  world.register_node("a", 2);
  const JobId job = world.submit(100, 50);
  for (const auto& launch : world.take<action::LaunchAttempt>()) world.seal_all(launch.attempt);
  EXPECT_EQ(world.job(job).state, JobState::Committing);
  ASSERT_EQ(world.take<action::CommitOutput>().size(), 1u);
  world.commit(job);
  EXPECT_EQ(world.job(job).state, JobState::Succeeded);
  EXPECT_EQ(world.take<action::ForgetJob>().size(), 1u);
  EXPECT_TRUE(world.take<action::DiscardOutput>().empty());
  EXPECT_EQ(world.job(job).counters.at({"group", "name"}), 2u);
}

TEST(Scheduler, AJobWithoutTasksIsCommittedAtOnce) {
  World world;
  world.submit(World::quiet_spec());
  EXPECT_EQ(world.take<action::CommitOutput>().size(), 1u);
}

TEST(Scheduler, AFailedCommitFailsTheJob) {
  World world;
  world.register_node("a");
  const JobId job = world.submit(10, 10);
  world.seal_all(world.take_launch());
  world.commit(job, "no space");
  EXPECT_EQ(world.job(job).state, JobState::Failed);
  EXPECT_EQ(world.job(job).message, "no space");
  EXPECT_EQ(world.take<action::DiscardOutput>().size(), 1u);
}

TEST(Scheduler, WhatACommitHasNotFoundIsMappedAgainAndCountedOnce) {
  World world;
  world.register_node("a", 2);
  const JobId job = world.submit(100, 50);
  for (const auto& launch : world.take<action::LaunchAttempt>()) world.seal_all(launch.attempt);
  const action::CommitOutput first = world.take<action::CommitOutput>().at(0);
  const Counters counters = world.job(job).counters;
  world.commit(job, "gone", {1, 1});
  EXPECT_EQ(world.job(job).state, JobState::Running);
  EXPECT_EQ(world.job(job).sealed_bytes, 50u);
  EXPECT_EQ(world.job(job).sealed_records, 50u);
  EXPECT_TRUE(first.tasks.list[1].ledger.is_done()) << "the commit may still be reading it";
  world.seal_all(world.take_launch());
  EXPECT_EQ(world.job(job).sealed_bytes, 100u);
  EXPECT_EQ(world.job(job).counters, counters);
  const action::CommitOutput second = world.take<action::CommitOutput>().at(0);
  EXPECT_EQ(second.tasks.list[0].ledger.segments()[0].attempt, 0u);
  EXPECT_EQ(second.tasks.list[1].ledger.segments()[0].attempt, 1u);
  world.commit(job);
  EXPECT_EQ(world.job(job).state, JobState::Succeeded);
}

TEST(Scheduler, ALostStreamIsReadToItsEndAgain) {
  World world;
  world.register_node("a");
  JobSpec spec = World::quiet_spec();
  spec.inputs = {{"/input.gz", 100, "1", Codec::Gzip}};
  const JobId job = world.submit(std::move(spec));
  world.seal_all(world.take_launch());
  world.commit(job, "gone", {0});
  const auto launches = world.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_TRUE(launches[0].range.is_open_ended());
}

TEST(Scheduler, AJobThatMayNotFailFailsWhenItsOutputIsLost) {
  World world;
  world.register_node("a");
  JobSpec spec = World::quiet_spec();
  spec.attempts_max = 1;
  const JobId job = world.submit(10, 10, std::move(spec));
  world.seal_all(world.take_launch());
  world.commit(job, "The sealed output is not there.", {0});
  EXPECT_EQ(world.job(job).state, JobState::Failed);
  EXPECT_EQ(world.job(job).message, "job-1/t00000 failed 1 time; its output was lost: The sealed output is not there.");
  EXPECT_EQ(world.take<action::DiscardOutput>().size(), 1u);
}

TEST(Scheduler, AKilledJobEndsItsAttemptsAndDiscardsItsOutput) {
  World world;
  world.register_node("a");
  const JobId job = world.submit(100, 50);
  const AttemptId attempt = world.take_launch();
  world.kill(job);
  EXPECT_EQ(world.job(job).state, JobState::Killed);
  ASSERT_EQ(world.take<action::KillAttempt>().size(), 1u);
  EXPECT_EQ(world.attempt(attempt).state, AttemptState::Killed);
  EXPECT_EQ(world.take<action::DiscardOutput>().size(), 1u);
}

TEST(Scheduler, AJobThatIsBeingCommittedCannotBeKilledAnyMore) {
  World world;
  world.register_node("a");
  const JobId job = world.submit(10, 10);
  world.seal_all(world.take_launch());
  world.kill(job);
  EXPECT_EQ(world.job(job).state, JobState::Committing);
}

TEST(Scheduler, OldEndedJobsAreForgottenButNeverTheNewest) {
  World world({.history = {.jobs = 1}});
  for (int i = 0; i < 3; ++i) world.kill(world.submit(10, 10));
  EXPECT_EQ(world.cluster().jobs().size(), 1u);
  EXPECT_EQ(world.cluster().next_job(), JobId{4});
}

TEST(Scheduler, JobsThatEndedFirstAreForgottenFirstByTheirTasksAndAge) {
  World world({.history = {.tasks = 5, .age = std::chrono::hours(1)}});
  const JobId small = world.submit(10, 10);
  const JobId large = world.submit(10, 2);  // five tasks
  world.kill(small);
  world.pass(std::chrono::minutes(10));
  world.kill(large);
  EXPECT_EQ(world.cluster().jobs().size(), 1u) << "six tasks are too many";
  EXPECT_EQ(world.cluster().find_job(small), nullptr);
  world.kill(world.submit(10, 10));  // the newest stays, the others make room
  EXPECT_EQ(world.cluster().find_job(large), nullptr);
  const JobId old = world.submit(10, 10);
  world.kill(old);
  const JobId runs = world.submit(10, 10);
  world.restart();
  EXPECT_NE(world.cluster().find_job(old), nullptr);
  world.pass(std::chrono::minutes(61));
  EXPECT_EQ(world.cluster().find_job(old), nullptr);
  EXPECT_NE(world.cluster().find_job(runs), nullptr);
}

TEST(Scheduler, AJobOfMoreTasksThanAreRememberedStaysUntilAnotherEnds) {
  World world({.history = {.tasks = 5}});
  const JobId large = world.submit(12, 2);
  const JobId newer = world.submit(10, 10);
  world.kill(large);
  EXPECT_NE(world.cluster().find_job(large), nullptr) << "somebody may wait for its end";
  world.kill(newer);
  EXPECT_EQ(world.cluster().find_job(large), nullptr);
}

TEST(Scheduler, AJobFailsWhenOneSegmentHasFailedTooOften) {
  World world;
  world.register_node("a", 2);
  const JobId job = world.submit(20, 10);
  for (int i = 0; i < 4; ++i) {
    const auto launches = world.take<action::LaunchAttempt>();
    world.fail(launches.front().attempt, "killed by signal 11");
  }
  EXPECT_EQ(world.job(job).state, JobState::Failed);
  EXPECT_NE(world.job(job).message.find("failed 4 times"), std::string::npos) << world.job(job).message;
  EXPECT_NE(world.job(job).message.find("killed by signal 11"), std::string::npos);
  EXPECT_TRUE(world.job(job).live.empty());
}

TEST(Scheduler, AFatalFailureFailsTheJobAtOnce) {
  World world;
  world.register_node("a");
  const JobId job = world.submit(10, 10);
  world.fail(world.take_launch(), "a record is too long", FailureKind::Data);
  EXPECT_EQ(world.job(job).state, JobState::Failed);
}

TEST(Scheduler, OtherJobsGoOnWhenOneFails) {
  World world;
  world.register_node("a");
  world.submit(10, 10);
  const JobId other = world.submit(10, 10);
  world.fail(world.take_launch(), "bad", FailureKind::Data);
  const AttemptId attempt = world.take_launch();
  EXPECT_EQ(attempt.task.job, other);
  world.seal_all(attempt);
  world.commit(other);
  EXPECT_EQ(world.job(other).state, JobState::Succeeded);
}

TEST(Scheduler, AnAttemptWithoutProgressIsEndedAfterItsTimeOut) {
  World world;
  const NodeId node = world.register_node("a");
  JobSpec spec = World::quiet_spec();
  spec.attempt_timeout = 10s;
  world.submit(100, 100, spec);
  const AttemptId attempt = world.take_launch();
  for (int i = 0; i < 4; ++i) {
    world.pass(4s);
    world.heartbeat(attempt, 10);
  }
  EXPECT_EQ(world.attempt(attempt).state, AttemptState::Failed);
  EXPECT_FALSE(world.take<action::KillAttempt>().empty());
  EXPECT_EQ(world.cluster().find_node(node)->live.size(), 1u);  // the next attempt
}

TEST(Scheduler, AnAttemptThatProgressesIsNotEnded) {
  World world;
  world.register_node("a");
  JobSpec spec = World::quiet_spec();
  spec.attempt_timeout = 10s;
  world.submit(100, 100, spec);
  const AttemptId attempt = world.take_launch();
  for (std::uint64_t i = 1; i < 20; ++i) {
    world.pass(4s);
    world.heartbeat(attempt, i);
  }
  EXPECT_TRUE(is_live(world.attempt(attempt).state));
}

TEST(Scheduler, ACompressedSplitIsClosedWhereItsStreamEnds) {
  World world;
  world.register_node("a");
  JobSpec spec = World::quiet_spec();
  spec.inputs = {{"/a.gz", 10, "1", Codec::Gzip}};
  const JobId job = world.submit(spec);
  const AttemptId attempt = world.take_launch();
  world.send(event::SegmentSealed{world.attempt(attempt).node, attempt, {0, kUnknownEnd}, 77, {}, {}});
  EXPECT_EQ(world.job(job).state, JobState::Committing);
  EXPECT_EQ(world.job(job).tasks[0].ledger.split(), (ByteRange{0, 77}));
}

TEST(Notices, AreRecordedOnceForWhatTheJobAsksFor) {
  World world;
  JobSpec spec = World::quiet_spec();
  spec.notify = {"ended:a", "late:b"};
  const JobId job = world.submit(100, 10, spec);
  const std::size_t before = world.records().size();
  world.send(event::JobNotified{job, 1, "nobody listens"});
  world.send(event::JobNotified{job, 1, ""});
  world.send(event::JobNotified{job, 2, ""});
  world.send(event::JobNotified{JobId{99}, 0, ""});
  EXPECT_EQ(world.records().size(), before + 1);
  world.restart();
  ASSERT_EQ(world.job(job).told.size(), 1u);
  EXPECT_EQ(world.job(job).told.at(1).problem, "nobody listens");
}

}  // namespace
}  // namespace ontime::scheduler
