// How long an attempt may go without a sign of life. The scheduler's use of it is in testdata/*.txt.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "scheduler/core/timers.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

class Patience : public testing::Test {
 protected:
  Patience() {
    segment_.range = {0, 100};
    attempt_.state = AttemptState::Running;
    attempt_.offset = 10;
    job_.offset_moves = 10;
    job_.offset_moves_ln = 10 * std::log(3.0);  // usually 3 s from one offset to the next
  }
  std::optional<Duration> progress(std::optional<double> launch = {}) const {
    return progress_limit(job_, attempt_, segment_, launch);
  }
  Duration answer() const { return answer_limit(job_, attempt_, segment_, 3s); }
  static void expect_near(std::optional<Duration> limit, Duration expected) {
    ASSERT_TRUE(limit);
    EXPECT_NEAR(seconds(*limit), seconds(expected), 1e-3);
  }
  Job job_;
  Attempt attempt_;
  Segment segment_;
};

TEST_F(Patience, ForProgressIsTwentyTimesTheUsualTimeBetweenTwoOffsets) { expect_near(progress(), 60s); }

TEST_F(Patience, ForProgressIsHalfAMinuteAtLeast) {
  job_.offset_moves_ln = 0;
  expect_near(progress(), 30s);
}

TEST_F(Patience, ForProgressIsTenMinutesWhereNothingIsKnown) {
  job_.offset_moves = 0;
  expect_near(progress(), 10min);
}

TEST_F(Patience, ForALaunchFollowsTheMeanLaunch) {
  attempt_.state = AttemptState::Launching;
  expect_near(progress(), 10min);
  expect_near(progress(4.0), 80s);
  expect_near(progress(3600.0), 10min);
}

TEST_F(Patience, ForSealingIsTenMinutesAtLeast) {
  attempt_.offset = 100;
  expect_near(progress(), 10min);
}

TEST_F(Patience, ForProgressIsWhatTheJobSays) {
  JobSpec spec;
  spec.attempt_timeout = 5s;
  segment_.stalls = 3;
  expect_near(progress_limit(Job(spec), attempt_, segment_, {}), 5s);
  spec.attempt_timeout = kNoTimeout;
  EXPECT_EQ(progress_limit(Job(spec), attempt_, segment_, {}), std::nullopt);
}

TEST_F(Patience, ForProgressIsDoubledByEachAttemptThatStoodStillAndByNoneThatDidNotAnswer) {
  segment_.stalls = 2;
  expect_near(progress(), 240s);
  segment_.silences = 5;
  expect_near(progress(), 240s);
}

TEST_F(Patience, ForAnAnswerIsDoubledByBoth) {
  attempt_.longest_gap = 1ms;
  job_.offset_moves = 0;
  EXPECT_EQ(answer(), 3s);
  segment_.silences = 1;
  EXPECT_EQ(answer(), 6s);
  segment_.stalls = 1;
  EXPECT_EQ(answer(), 12s);
}

TEST_F(Patience, ForAnAnswerFollowsTheLongestTimeBetweenTwoOffsets) {
  attempt_.longest_gap = 10s;
  EXPECT_EQ(answer(), 30s);
}

TEST_F(Patience, ForAnAnswerIsNeverLessThanTheJobsUsualTimesAllow) {
  for (const Duration own : {Duration(1ms), Duration(2s)}) {
    attempt_.longest_gap = own;
    expect_near(answer(), 9s);
  }
  job_.offset_moves = 2;
  EXPECT_EQ(answer(), 6s);
}

// It may be a straggler.
TEST_F(Patience, ForTheAnswerOfAnAttemptThatHasMappedNoRecordIsTenTimesTheUsualTime) {
  job_.offset_moves_ln = 10 * std::log(5.0);
  expect_near(answer(), 50s);
  job_.offset_moves_ln = 10 * std::log(0.1);
  EXPECT_EQ(answer(), 3s);
}

TEST_F(Patience, ForThatAnswerIsHalfAMinuteWhileNothingIsKnown) {
  job_.offset_moves = 2;
  expect_near(answer(), 30s);
}

TEST_F(Patience, IsNeverMuchMoreThanADay) {
  segment_.stalls = segment_.silences = 255;
  EXPECT_LE(answer(), 48h);
  EXPECT_LE(*progress(), 48h);
}

TEST(PatienceOfAScheduler, LearnsNothingFromAMoveToTheBeginOfARecord) {
  test::World world;
  const NodeId node = world.register_node("a", 1);
  const JobId job = world.submit(1000, 1000);
  const AttemptId id = world.take_launch();
  world.start_attempt(id);
  const auto reach = [&](Duration after, std::uint64_t offset, std::uint64_t records) {
    world.pass(after);
    world.send(event::Heartbeat{node, {{id, offset, records, 0}}});
  };
  reach(1ms, 90, 0);
  EXPECT_EQ(world.attempt(id).offset, 90u);
  EXPECT_EQ(world.attempt(id).longest_gap, Duration::zero());
  EXPECT_EQ(world.job(job).offset_moves, 0u);
  reach(2s, 190, 1);
  EXPECT_EQ(world.attempt(id).longest_gap, Duration(2s));
  EXPECT_EQ(world.job(job).offset_moves, 1u);
}

}  // namespace
}  // namespace ontime::scheduler
