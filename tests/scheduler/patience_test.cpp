// How long an attempt may go without a sign of life. The scheduler's use of it is in testdata/*.txt.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "scheduler/core/timers.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

class Patience : public testing::Test {
 protected:
  Patience() {
    segment_.range = attempt_.held = {0, 100};
    attempt_.state = AttemptState::Running;
    attempt_.offset = 10;
    usually(3s);
  }
  void usually(Duration between_offsets) { job_.between_offsets = times(3, between_offsets); }
  static UsualTime times(int count, Duration each) {
    UsualTime time;
    for (int i = 0; i < count; ++i) time.add(each);
    return time;
  }
  std::optional<Duration> progress() const { return progress_limit(job_, attempt_, segment_, sample_); }
  std::optional<Duration> progress(double launch) const {
    math::DurationSample sample;
    sample.add_launch(launch);
    return progress_limit(job_, attempt_, segment_, sample);
  }
  Duration answer() const { return answer_limit(job_, attempt_, segment_, 3s); }
  static void expect_near(std::optional<Duration> limit, Duration expected) {
    ASSERT_TRUE(limit);
    EXPECT_NEAR(seconds(*limit), seconds(expected), 1e-3);
  }
  math::DurationSample sample_;
  Job job_;
  Attempt attempt_;
  Segment segment_;
};

TEST_F(Patience, ForProgressIsTwentyTimesTheUsualTimeBetweenTwoOffsets) { expect_near(progress(), 60s); }

TEST_F(Patience, ForProgressIsHalfAMinuteAtLeast) {
  usually(1s);
  expect_near(progress(), 30s);
}

TEST_F(Patience, ForProgressIsTenMinutesWhereNothingIsKnown) {
  job_.between_offsets = {};
  expect_near(progress(), 10min);
}

TEST_F(Patience, ForALaunchFollowsTheMeanLaunch) {
  attempt_.state = AttemptState::Launching;
  expect_near(progress(), 10min);
  expect_near(progress(4.0), 80s);
  expect_near(progress(3600.0), 10min);
}

TEST_F(Patience, ForAStartIsTwentyTimesTheUsualOne) {
  attempt_.offset = 0;
  attempt_.segment = {.age = 40s};
  expect_near(progress(), 60s);
  sample_.add_fixed(math::Beginning::Cold, 8);
  expect_near(progress(), 160s);
  attempt_.segment.moves = 1;
  expect_near(progress(), 60s);
}

TEST_F(Patience, ForSealingFollowsTheUsualTimeToSealAndIsAMinuteAtLeast) {
  attempt_.offset = 100;
  expect_near(progress(), 10min);
  job_.to_seal = times(2, 4s);
  expect_near(progress(), 10min);
  job_.to_seal = times(3, 4s);
  expect_near(progress(), 80s);
  job_.to_seal = times(3, 1ms);
  expect_near(progress(), 1min);
  job_.to_seal = times(3, 2min);
  expect_near(progress(), 40min);
  job_.to_seal = times(50, 1ms);
  job_.to_seal.add(2min);
  expect_near(progress(), 6min);
}

// The attempt goes on mapping behind a checkpoint.
TEST_F(Patience, ForACheckpointsSealIsWhatARecordMayTakeToo) {
  attempt_.offset = 100;
  attempt_.held.end = 200;
  usually(10s);
  expect_near(progress(), 10min);
  job_.to_seal = times(3, 1ms);
  expect_near(progress(), 200s);
}

// It waits for the store itself, for a minute and a half.
TEST_F(Patience, OfAJobWithAStoreIsTwoMinutesAtLeast) {
  const auto limit = [&](const std::string& input, const std::string& output) {
    JobSpec spec;
    spec.inputs = {{"/local", 50, "1", Codec::Plain}, {input, 50, "1", Codec::Plain}};
    spec.output = output;
    Job job(spec);
    job.between_offsets = job.to_seal = times(3, 1ms);
    return progress_limit(job, attempt_, segment_, sample_);
  };
  for (const std::uint64_t offset : {10u, 100u}) {
    attempt_.offset = offset;
    for (const char* name : {"s3://bucket/in", "hdfs://host/in", "webhdfs://host/in", "http://host/in"}) {
      expect_near(limit(name, "/out"), 2min);
      expect_near(limit("/in", name), 2min);
    }
  }
  attempt_.offset = 10;
  expect_near(limit("/in", "/out://"), 30s);
  attempt_.state = AttemptState::Launching;
  sample_.add_launch(0.1);
  expect_near(limit("s3://bucket/in", "/out"), 2min);
  expect_near(limit("/in", "/out"), 30s);
}

TEST_F(Patience, ForProgressIsWhatTheJobSays) {
  JobSpec spec;
  spec.attempt_timeout = 5s;
  segment_.stalls = 3;
  expect_near(progress_limit(Job(spec), attempt_, segment_, sample_), 5s);
  spec.attempt_timeout = kNoTimeout;
  EXPECT_EQ(progress_limit(Job(spec), attempt_, segment_, sample_), std::nullopt);
}

TEST_F(Patience, ForProgressIsDoubledByEachAttemptThatStoodStillAndByNoneThatDidNotAnswer) {
  segment_.stalls = 2;
  expect_near(progress(), 240s);
  segment_.silences = 5;
  expect_near(progress(), 240s);
}

TEST_F(Patience, ForAnAnswerIsDoubledByBoth) {
  attempt_.longest_gap = 1ms;
  job_.between_offsets = {};
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
  job_.between_offsets = times(2, 3s);
  EXPECT_EQ(answer(), 6s);
}

// It may be a straggler.
TEST_F(Patience, ForAnAnswerIsThreeTimesTheLongestWayWhereTheLinkIsSlowAndHalfAMinuteAtMost) {
  attempt_.longest_gap = 1ms;
  job_.longest_way = 5s;
  expect_near(answer(), 15s);
  job_.longest_way = 50s;
  expect_near(answer(), 30s);
}

TEST_F(Patience, ForTheAnswerOfAnAttemptThatHasMappedNoRecordIsTenTimesTheUsualTime) {
  usually(5s);
  expect_near(answer(), 50s);
  usually(100ms);
  EXPECT_EQ(answer(), 3s);
}

TEST_F(Patience, ForThatAnswerIsHalfAMinuteWhileNothingIsKnown) {
  job_.between_offsets = times(2, 3s);
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
  reach(2s, 190, 1);
  EXPECT_EQ(world.attempt(id).longest_gap, Duration(2s));
  reach(2s, 290, 2);
  EXPECT_EQ(world.job(job).between_offsets.get(), std::nullopt);  // two so far
  reach(2s, 390, 3);
  EXPECT_NEAR(world.job(job).between_offsets.get().value_or(0), 2, 1e-9);
}

// An attempt answers between two records. A straggler may be in one for long, which says nothing of the link.
TEST(PatienceOfAScheduler, LearnsTheWayToAnAnswerFromWhatTookLongerThanARecord) {
  for (const bool is_link_slow : {false, true}) {
    test::World world;
    const NodeId node = world.register_node("a", 1);
    const JobId job = world.submit(100, 100);
    const AttemptId id = world.take_launch();
    world.start_attempt(id);
    world.pass(1s);
    world.heartbeat(id, 10);
    world.send(event::DrainRequested{node, true});
    for (std::uint64_t half = 1; half <= 5; ++half) {
      world.pass(500ms);
      if (is_link_slow) world.heartbeat(id, 10 + half);
    }
    world.answer_cut(id, 16, true);
    EXPECT_EQ(world.job(job).longest_way, is_link_slow ? Duration(1500ms) : Duration(0));
  }
}

// What was reported before a restart of the master is not known, and the seals behind checkpoints overlap with mapping.
TEST(PatienceOfAScheduler, LearnsFromTheLastSealsOfAttemptsThatItHasWatched) {
  test::World world;
  const NodeId node = world.register_node("a", 4);
  const JobId job = world.submit(400, 100);
  std::vector<AttemptId> ids;
  for (const action::LaunchAttempt& launch : world.take<action::LaunchAttempt>()) ids.push_back(launch.attempt);
  ASSERT_EQ(ids.size(), 4u);
  for (const AttemptId id : ids) world.start_attempt(id);
  for (std::uint32_t i = 0; i < 3; ++i) {
    world.send(event::Heartbeat{node, {{ids[i], 100 * (i + 1), 1, 0}}});
    world.pass(4s);
    world.seal_all(ids[i]);
  }
  EXPECT_NEAR(world.job(job).to_seal.get().value_or(0), 4, 1e-9);
  world.restart();
  world.register_node("a", 4, {{ids[3], 300, 0, 0}});
  world.seal_all(ids[3]);
  EXPECT_EQ(world.job(job).to_seal.longest(), Duration::zero());
}

}  // namespace
}  // namespace ontime::scheduler
