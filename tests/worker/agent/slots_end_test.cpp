// The many ways in which an attempt does not finish.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using test::SlotsWorld;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int exited(int code) { return code << 8; }

class SlotsEnd : public testing::Test {
 protected:
  SlotsEnd() {
    EXPECT_TRUE(world.set_up());
    runner = world.launch_and_start(world.attempt(0));
  }
  SlotsWorld world;
  std::unique_ptr<test::FakeRunner> runner;
};

TEST_F(SlotsEnd, CrashIsReportedWithSignalPlaceAndStderr) {
  runner->block().offset.store(640);
  runner->writes_stderr("boom\xFF\n");
  world.end(*runner, SIGSEGV);
  const auto end = world.only_end();
  EXPECT_EQ(end.failure(), wire::CRASHED);
  EXPECT_EQ(end.message(),
            "the attempt's process was killed by signal 11 (Segmentation fault); it had mapped /data/text up to byte "
            "640");
  EXPECT_EQ(end.stderr_tail(), "boom\xEF\xBF\xBD\n");
  EXPECT_EQ(world.slots.attempt_count(), 0u);
  EXPECT_EQ(world.slots.runner_count(), 0u);
}

TEST_F(SlotsEnd, ExitIsReportedWithItsStatus) {
  world.end(*runner, exited(3));
  EXPECT_THAT(world.only_end().message(), HasSubstr("exited with status 3"));
}

TEST_F(SlotsEnd, ExitWithoutFinishingIsNoSuccess) {
  world.end(*runner, exited(0));
  EXPECT_THAT(world.only_end().message(), HasSubstr("exited without finishing"));
}

TEST_F(SlotsEnd, KillByAnybodyElseSuspectsMemory) {
  world.end(*runner, SIGKILL);
  EXPECT_THAT(world.only_end().message(), HasSubstr("out of memory"));
}

TEST_F(SlotsEnd, WhatWasSaidBeforeTheCrashCounts) {
  ASSERT_TRUE(world.cut(world.attempt(0), 400));
  runner->answers_cut(400);
  runner->seals(0, 400);
  world.launcher.reports_exit(*runner, SIGSEGV);  // seen before the socket's bytes are
  runner->closes();
  world.settle();
  const auto reports = world.new_reports();
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_TRUE(reports[0].has_cut());
  EXPECT_TRUE(reports[1].has_sealed());
  EXPECT_TRUE(reports[2].has_ended());
}

TEST_F(SlotsEnd, ClosedSocketEndsTheProcess) {
  runner->closes();
  world.settle();
  EXPECT_TRUE(runner->was_killed());
  EXPECT_TRUE(world.new_reports().empty());  // the launcher tells how it ended
  world.launcher.reports_exit(*runner, SIGABRT);
  world.settle();
  EXPECT_THAT(world.only_end().message(), HasSubstr("signal 6"));
}

TEST_F(SlotsEnd, FailureIsPassedOnAndTheRunnerEnds) {
  runner->writes_stderr("some detail\n");
  runner->fails(wire::BAD_RECORD, "the line at byte 5 is too long");
  world.settle();
  const auto end = world.only_end();
  EXPECT_EQ(end.failure(), wire::BAD_RECORD);
  EXPECT_EQ(end.message(), "the line at byte 5 is too long");
  EXPECT_EQ(end.stderr_tail(), "some detail\n");
  EXPECT_TRUE(runner->was_killed());
  world.end(*runner, exited(1));
  EXPECT_TRUE(world.new_reports().empty());
  EXPECT_EQ(world.slots.runner_count(), 0u);
}

TEST_F(SlotsEnd, LongAttemptMessagesAreCutOff) {
  runner->fails(wire::THREW, std::string(60'000, 'x'));
  world.settle();
  EXPECT_EQ(world.only_end().message().size(), 4096u);
}

TEST_F(SlotsEnd, StderrFloodIsDrainedAndOnlyItsEndIsKept) {
  std::size_t written = 0;
  for (int line = 0; written < 4u << 20; ++line) {
    written += runner->writes_stderr("line " + std::to_string(line) + " of many\n");
    if (line % 1000 == 0) world.settle();
  }
  world.settle();
  EXPECT_GT(runner->writes_stderr("the last line\n"), 0u);  // the pipe was drained
  world.end(*runner, SIGABRT);
  const auto end = world.only_end();
  EXPECT_LE(end.stderr_tail().size(), StderrTail::kReportedBytesMax);
  EXPECT_THAT(end.stderr_tail(), StartsWith("line "));
  EXPECT_THAT(end.stderr_tail(), HasSubstr("\nthe last line\n"));
}

TEST_F(SlotsEnd, StderrOfTheAttemptBeforeIsNotShown) {
  runner->writes_stderr("of the first\n");
  world.finish(*runner);
  world.new_reports();
  ASSERT_TRUE(world.launch(world.attempt(1)));
  world.settle();
  ASSERT_TRUE(runner->takes_run());
  runner->writes_stderr("of the second\n");
  world.end(*runner, SIGSEGV);
  EXPECT_EQ(world.only_end().stderr_tail(), "of the second\n");
}

TEST_F(SlotsEnd, IdleRunnerThatDiesIsNoFailure) {
  world.finish(*runner);
  world.new_reports();
  world.end(*runner, SIGSEGV);
  EXPECT_TRUE(world.new_reports().empty());
  EXPECT_EQ(world.slots.runner_count(), 0u);
}

TEST_F(SlotsEnd, RunnerThatSendsGarbageIsKilled) {
  runner->sends_bytes(std::string("\x02\x00\x00\x00\xFF\xFF", 6));
  world.settle();
  EXPECT_THAT(world.only_end().message(), HasSubstr("broke the protocol"));
  EXPECT_TRUE(runner->was_killed());
}

TEST_F(SlotsEnd, RunnerThatAnnouncesAHugeFrameIsKilled) {
  runner->sends_bytes("\xFF\xFF\xFF\x7F");
  world.settle();
  EXPECT_TRUE(runner->was_killed());
}

TEST_F(SlotsEnd, RunnerThatSpeaksForAnotherAttemptIsKilled) {
  wire::FromRunner message;
  message.mutable_attempt()->set_job(1);
  message.mutable_attempt()->set_task(99);
  message.mutable_finished();
  runner->says(message);
  world.settle();
  EXPECT_EQ(world.only_end().failure(), wire::CRASHED);
  EXPECT_TRUE(runner->was_killed());
}

TEST_F(SlotsEnd, RunnerThatFinishesWithoutASealIsKilled) {
  runner->finishes();
  world.settle();
  EXPECT_THAT(world.only_end().message(), HasSubstr("without having sealed"));
  EXPECT_TRUE(runner->was_killed());
}

TEST_F(SlotsEnd, FailedSpawnIsReported) {
  ASSERT_TRUE(world.launch(world.attempt(1)));
  world.settle();
  const auto other = world.launcher.next_spawn();
  ASSERT_TRUE(other);
  world.launcher.reports_spawn_failure(*other, "cannot fork: too many processes");
  world.settle();
  const auto end = world.only_end();
  EXPECT_EQ(end.failure(), wire::LAUNCH);
  EXPECT_THAT(end.message(), HasSubstr("too many processes"));
  EXPECT_EQ(world.slots.attempt_count(), 1u);
}

TEST_F(SlotsEnd, DeadLauncherTakesItsAttemptsAlongAndIsReplaced) {
  world.launcher.dies();
  world.settle();
  EXPECT_EQ(world.only_end().failure(), wire::LAUNCH);
  EXPECT_TRUE(runner->was_killed());
  EXPECT_EQ(world.launcher.starts(), 2);
  const auto next = world.launch_and_start(world.attempt(1));
  EXPECT_TRUE(next);
}

TEST_F(SlotsEnd, LauncherThatSendsGarbageIsReplaced) {
  world.launcher.sends_bytes("\xFF\xFF\xFF\x7F");
  world.settle();
  EXPECT_EQ(world.launcher.starts(), 2);
}

TEST_F(SlotsEnd, LauncherThatCannotBeStartedFailsWhatWaitsForIt) {
  world.launcher.refuse_to_start("no such file");
  world.launcher.dies();
  world.settle();
  EXPECT_EQ(world.only_end().failure(), wire::LAUNCH);
  world.launcher.refuse_to_start("still no such file");
  ASSERT_TRUE(world.launch(world.attempt(1)));
  world.settle_until([this] { return world.slots.attempt_count() == 0; });
  EXPECT_THAT(world.only_end().message(), HasSubstr("still no such file"));
  ASSERT_TRUE(world.launch(world.attempt(2)));
  world.settle_until([this] { return world.launcher.starts() == 2; });
  EXPECT_TRUE(world.launcher.next_spawn());
}

}  // namespace
}  // namespace ontime::worker
