// One path for every cut: checkpoints, policies, standbys, drains and reconnects ask one question at a time, and nothing
// waits for an answer that never comes. At the product's defaults: checkpoints on, answers late or missing.
#include <gtest/gtest.h>

#include "tests/scheduler/ordered_policy.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

class CutTest : public test::OrderedPolicyTest {
 protected:
  // The only attempt of a job, on 100 bytes; it has mapped none of them yet.
  AttemptId begun(const JobSpec& spec = {}) {
    world_.register_node("a", 1);
    world_.submit(100, 100, spec);
    const AttemptId id = world_.take_launch();
    world_.start_attempt(id);
    return id;
  }
  // It has mapped 20 of its bytes and is asked for a checkpoint.
  AttemptId checkpointed() {
    const AttemptId id = begun();
    world_.pass(1s);
    world_.heartbeat(id, 20);
    beat(4s);
    world_.register_node("b", 4);
    EXPECT_EQ(cuts(id), 1u);
    EXPECT_EQ(world_.attempt(id).cut->why, CutReason::Checkpoint);
    return id;
  }
  // Time passes while nodes send empty heartbeats: every attempt on them has stopped.
  void beat(Duration duration) {
    for (const TimePoint until = world_.now() + duration; world_.now() < until;) {
      world_.pass(std::min<Duration>(1s, until - world_.now()));
      for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
    }
  }
  std::size_t cuts(AttemptId id) {
    const auto taken = world_.take<action::CutAttempt>();
    for (const auto& cut : taken) EXPECT_EQ(cut.attempt, id);
    return taken.size();
  }
  // What the only attempt that was launched since is to map.
  ByteRange only_launch() {
    const auto launches = world_.take<action::LaunchAttempt>();
    EXPECT_EQ(launches.size(), 1u);
    return launches.empty() ? ByteRange{} : launches[0].range;
  }
  static Speculate give_away(TaskId task, std::uint64_t at) {
    Speculate decision;
    decision.task = task;
    decision.work = GivenTail{{{at, 1}}};
    return decision;
  }
};

TEST_F(CutTest, ACheckpointIsAskedForOnceHoweverLongItsAnswerTakes) {
  const AttemptId id = checkpointed();
  beat(20s);
  EXPECT_EQ(cuts(id), 0u);
}

TEST_F(CutTest, APolicyDecidesWhileACheckpointIsNotAnswered) {
  const AttemptId id = checkpointed();
  EXPECT_FALSE(world_.attempt(id).is_changing());
  order(give_away(id.task, 30));
  EXPECT_EQ(cuts(id), 0u);  // it joins the cut that is in flight
  world_.answer_cut(id, 20);
  EXPECT_EQ(cuts(id), 1u);
  EXPECT_EQ(world_.attempt(id).cut->why, CutReason::Speculation);
  world_.answer_cut(id, 30, true);
  EXPECT_EQ(only_launch(), (ByteRange{30, 100}));
}

TEST_F(CutTest, AnAttemptThatStopsBeforeItsCheckpointIsAnsweredIsReplacedWhenAPolicyWantsIt) {
  const AttemptId id = checkpointed();
  order(give_away(id.task, 30));
  beat(4s);
  EXPECT_EQ(world_.attempt(id).state, AttemptState::Killed);
  EXPECT_EQ(only_launch(), (ByteRange{0, 100}));
}

TEST_F(CutTest, AnAttemptThatStopsBeforeItsCheckpointIsAnsweredDoesNotHoldANodeThatDrains) {
  const AttemptId id = checkpointed();
  world_.send(event::DrainRequested{world_.attempt(id).node});
  beat(4s);
  EXPECT_EQ(world_.attempt(id).state, AttemptState::Killed);
  EXPECT_EQ(world_.take<action::LaunchAttempt>().size(), 1u);
}

TEST_F(CutTest, CopiesThatWaitForASlotGoBehindACheckpoint) {
  const AttemptId id = begun();
  world_.heartbeat(id, 20);
  beat(5s);
  Speculate race;
  race.task = id.task;
  order(race);
  world_.answer_cut(id, 25);
  world_.register_node("b", 1);
  EXPECT_EQ(only_launch(), (ByteRange{25, 100}));
}

TEST_F(CutTest, AReconnectAsksTheSameQuestionAgainAndWaitsNoLonger) {
  const AttemptId id = checkpointed();
  order(give_away(id.task, 30));
  for (int reconnect = 0; reconnect < 15; ++reconnect) {
    world_.pass(100ms);
    world_.register_node("a", 1, {{.attempt = id, .offset = 20}});
    const auto again = world_.take<action::CutAttempt>();
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0].at, 20u);
    EXPECT_FALSE(again[0].release);
  }
  beat(2s);
  EXPECT_EQ(world_.attempt(id).state, AttemptState::Killed);
}

// Records that take ten seconds each: the answer comes after the time-out of three, but within what was seen.
TEST_F(CutTest, SlowRecordsAreGivenTheTimeThatTheyHaveShown) {
  const AttemptId id = begun(World::quiet_spec());
  beat(10s);
  world_.heartbeat(id, 10);
  order(give_away(id.task, 50));
  beat(20s);
  EXPECT_TRUE(is_live(world_.attempt(id).state));
  beat(11s);
  EXPECT_EQ(world_.attempt(id).state, AttemptState::Killed);
}

TEST_F(CutTest, EachAttemptThatStandsStillOnASegmentIsGivenTwiceTheTime) {
  world_.register_node("a", 1);
  world_.submit(100, 100, World::quiet_spec());
  Duration allowed = 3s;
  for (int round = 0; round < 4; ++round, allowed *= 2) {
    const AttemptId id = world_.take_launch();
    world_.start_attempt(id);
    order(give_away(id.task, 50));
    beat(allowed - 1s);
    EXPECT_TRUE(is_live(world_.attempt(id).state)) << round;
    beat(2s);
    EXPECT_EQ(world_.attempt(id).state, AttemptState::Killed) << round;
  }
}

// Liveness without a policy --------------------------------------------------------------------------------------------

class StallTest : public CutTest {
 protected:
  void SetUp() override { world_.register_node("a", 2); }
  AttemptId launch(JobSpec spec = {}) {
    spec.policy = "none";
    job_ = world_.submit(100, 100, std::move(spec));
    return world_.take_launch();
  }
  void progress(AttemptId id, int times) {
    world_.start_attempt(id);
    for (int i = 1; i <= times; ++i) {
      world_.pass(1s);
      world_.heartbeat(id, static_cast<std::uint64_t>(5 * i));
    }
  }
  JobId job_;
};

TEST_F(StallTest, AStoppedAttemptIsEndedAfterHalfAMinuteByDefault) {
  const AttemptId id = launch();
  progress(id, 4);
  beat(29s);
  EXPECT_TRUE(is_live(world_.attempt(id).state));
  beat(2s);
  EXPECT_EQ(world_.attempt(id).state, AttemptState::Failed);
  EXPECT_EQ(world_.take<action::LaunchAttempt>().size(), 1u);
}

TEST_F(StallTest, TheNextOneOnTheSegmentGetsTwiceTheTime) {
  const AttemptId id = launch();
  progress(id, 4);
  beat(31s);
  const AttemptId next = world_.take_launch();
  world_.start_attempt(next);
  beat(59s);
  EXPECT_TRUE(is_live(world_.attempt(next).state));
  beat(2s);
  EXPECT_EQ(world_.attempt(next).state, AttemptState::Failed);
}

TEST_F(StallTest, WhereNothingIsKnownItHasTenMinutes) {
  const AttemptId id = launch();
  beat(599s);
  EXPECT_TRUE(is_live(world_.attempt(id).state));
  beat(2s);
  EXPECT_EQ(world_.attempt(id).state, AttemptState::Failed);
}

TEST_F(StallTest, ItFollowsTheUsualTimeBetweenTwoOffsets) {
  const AttemptId id = launch();
  world_.start_attempt(id);
  for (std::uint64_t i = 1; i <= 4; ++i) {
    beat(10s);
    world_.heartbeat(id, i);
  }
  beat(199s);
  EXPECT_TRUE(is_live(world_.attempt(id).state));
  beat(2s);
  EXPECT_EQ(world_.attempt(id).state, AttemptState::Failed);
}

// A command that sorts writes at its end, and shows nothing until then.
TEST_F(StallTest, WhatSealsItsSegmentHasTenMinutes) {
  const AttemptId id = launch();
  progress(id, 20);
  beat(599s);
  EXPECT_TRUE(is_live(world_.attempt(id).state));
  beat(2s);
  EXPECT_EQ(world_.attempt(id).state, AttemptState::Failed);
}

TEST_F(StallTest, NeverMeansNever) {
  JobSpec spec;
  spec.attempt_timeout = kNoTimeout;
  const AttemptId id = launch(spec);
  progress(id, 4);
  beat(3600s);
  EXPECT_TRUE(is_live(world_.attempt(id).state));
}

TEST_F(StallTest, AJobWhoseAttemptsAllStandStillEnds) {
  JobSpec spec;
  spec.checkpoint_interval = Duration(0);
  launch(spec);
  beat(4 * 3600s);
  EXPECT_EQ(world_.job(job_).state, JobState::Failed);
  EXPECT_NE(world_.job(job_).message.find("made no progress"), std::string::npos) << world_.job(job_).message;
}

}  // namespace
}  // namespace ontime::scheduler
