// What sets the times of a job's attempts apart: their nodes, their records, or luck.
#include "scheduler/policies/node_effects.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "scheduler/forecast/evidence.h"
#include "scheduler/forecast/forecast.h"
#include "scheduler/forecast/remainder.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using Seen = NodeEffects::Seen;

// Eight nodes with two attempts each, which are equally fast but for what `slow` says.
std::vector<Seen> sixteen(const std::vector<std::pair<std::size_t, double>>& slow) {
  std::vector<Seen> seen;
  for (std::uint32_t attempt = 0; attempt < 16; ++attempt)
    seen.push_back({NodeId{1 + attempt / 2}, 0.05 * (attempt % 3)});
  for (const auto& [attempt, times] : slow) seen[attempt].ln_time += std::log(times);
  return seen;
}

TEST(NodeEffects, ANodeWhoseAttemptsAreAllSlowIsSlow) {
  const NodeEffects effects(sixteen({{0, 4}, {1, 4}, {2, 4}, {3, 4}}));
  EXPECT_GT(std::exp(effects.of(NodeId{1})), 3);
  EXPECT_LE(std::exp(effects.of(NodeId{1})), 4.1);
  EXPECT_NEAR(effects.of(NodeId{5}), 0, 0.05);
  EXPECT_LT(effects.within(), 0.4) << "nodes explain nearly all";
}

TEST(NodeEffects, OneSlowAttemptOfTwoIsLuck) {
  const NodeEffects effects(sixteen({{0, 4}}));
  EXPECT_EQ(effects.within(), 1);
  EXPECT_EQ(effects.of(NodeId{1}), 0);
}

TEST(NodeEffects, OneAttemptANodeTellsNothing) {
  const NodeEffects effects({{NodeId{1}, 0}, {NodeId{2}, 1}, {NodeId{3}, 2}});
  EXPECT_EQ(effects.within(), 1);
  EXPECT_EQ(NodeEffects().within(), 1);
}

TEST(NodeEffects, NothingIsKnownOfAnotherNode) { EXPECT_EQ(NodeEffects(sixteen({{0, 4}, {1, 4}})).of(NodeId{99}), 0); }

RC_GTEST_PROP(NodeEffects, DoNotDependOnTheUnitOfTime, ()) {
  std::vector<Seen> seen;
  for (int attempt = *rc::gen::inRange(0, 40); attempt > 0; --attempt)
    seen.push_back({NodeId{*rc::gen::inRange(1u, 6u)}, *rc::gen::inRange(0, 400) / 100.0});
  const NodeEffects effects(seen);
  RC_ASSERT(effects.within() > 0 && effects.within() <= 1);
  for (Seen& attempt : seen) attempt.ln_time += 3;
  const NodeEffects scaled(seen);
  RC_ASSERT(std::abs(scaled.within() - effects.within()) < 1e-6);
  for (std::uint32_t node = 1; node < 6; ++node)
    RC_ASSERT(std::abs(scaled.of(NodeId{node}) - effects.of(NodeId{node})) < 1e-6);
}

// Two slots of each node; the first two attempts of one take 10 s, and those of the other four times as long.
TEST(NodeEffects, WhatANodeIsSlowByIsNotExpectedOfOthers) {
  test::World world;
  world.register_node("fast", 2);
  world.register_node("slow", 2);
  JobSpec spec = test::World::quiet_spec();
  spec.deadline = std::chrono::seconds(45);
  const JobId job = world.submit(600, 100, spec);
  const auto first = world.take<action::LaunchAttempt>();
  const auto is_fast = [&](AttemptId id) { return world.attempt(id).node == NodeId{1}; };
  for (const auto& launch : first) world.start_attempt(launch.attempt);
  for (std::uint64_t second = 1; second <= 10; ++second) {
    world.pass(std::chrono::seconds(1));
    for (const auto& launch : first) {
      const AttemptId id = launch.attempt;
      world.heartbeat(id, id.task.index * 100 + (is_fast(id) ? second * 10 : second * 5 / 2));
    }
  }
  for (const auto& launch : first) {
    if (is_fast(launch.attempt)) world.seal_all(launch.attempt);
  }
  const auto second = world.take<action::LaunchAttempt>();
  EXPECT_EQ(second.size(), 2u);
  for (const auto& launch : second) world.start_attempt(launch.attempt);
  const Forecast expected = forecast(world.scheduler(), job, world.now()).value();
  EXPECT_NEAR(expected.median, 40, 2);
  EXPECT_GT(expected.pocd, 0.8) << "the two that follow on the fast node end after 20 s";
}

// Both attempts of a slow node have taken all bytes at once, and are at work on them for twice as long as those that
// followed each other on the other node were.
TEST(NodeEffects, WhatShowsNoPaceTellsOfItsNodeOnceItIsLate) {
  test::World world;
  world.register_node("fast", 2);
  world.register_node("slow", 2);
  const JobId job = world.submit(600, 100);
  const auto sealed = [&](AttemptId id) {
    const ByteRange range{id.task.index * 100ULL, id.task.index * 100ULL + 100};
    const SegmentTimes times{std::chrono::seconds(10), std::chrono::seconds(1), std::chrono::seconds(1), 0, 1};
    world.send(event::SegmentSealed{NodeId{1}, id, range, range.end, {}, {}, times});
  };
  std::vector<AttemptId> slow;
  for (int round = 0; round < 2; ++round) {
    std::vector<AttemptId> fast;
    for (const auto& launch : world.take<action::LaunchAttempt>()) {
      world.start_attempt(launch.attempt);
      (world.attempt(launch.attempt).node == NodeId{1} ? fast : slow).push_back(launch.attempt);
    }
    for (int second = 0; second < 10; ++second) {
      world.pass(std::chrono::seconds(1));
      for (const std::uint32_t node : {1u, 2u}) world.heartbeat(NodeId{node});
    }
    for (const AttemptId id : fast) sealed(id);
  }
  ASSERT_EQ(slow.size(), 2u);
  for (const AttemptId id : slow) {
    const SegmentTimes times{std::chrono::seconds(20), std::chrono::seconds(1), std::chrono::seconds(1), 0, 1};
    world.send(event::Heartbeat{NodeId{2}, {{id, id.task.index * 100ULL + 100, 100, 0, times}}});
  }
  const JobView of_job{job, world.scheduler().cluster().find_job(job), world.scheduler().outlook(job), {}};
  const View view{world.scheduler().cluster(), world.scheduler().resources(), {&of_job, 1}, world.now()};
  const NodeEffects effects = node_effects_of(view, of_job);
  EXPECT_GT(effects.of(NodeId{2}), effects.of(NodeId{1}) + 0.4);
}

// Splits of 1000 bytes, whose speed is drawn anew every 100 bytes, which are a record.
TEST(Grain, AFewBytesVaryMoreThanMany) {
  const Grain grain{0, 100, 100, 1000};
  EXPECT_EQ(grain.of(1000), 1);
  EXPECT_NEAR(grain.of(200), std::sqrt(5), 1e-9) << "one draw instead of five, of which the mean varies";
  EXPECT_EQ(grain.of(10), grain.of(200)) << "one draw, as well";
  EXPECT_EQ((Grain{1, 100, 100, 1000}.of(10)), 1) << "the attempt's own speed";
  EXPECT_EQ(Grain{}.of(10), 1);
}

TEST(Grain, ALongRecordIsAsLongForWhoMapsItAgain) {
  EXPECT_EQ((Grain{0.25, 100, 100, 1000}.sticks(100)), 0.75);
  EXPECT_EQ((Grain{0.25, 100, 100, 1000}.sticks(2000)), 0.375) << "of twenty records";
  EXPECT_EQ((Grain{1, 100, 100, 1000}.sticks(100)), 0);
  EXPECT_EQ((Grain{0.25, 100, 0, 1000}.sticks(100)), 0) << "bytes are taken all the time";
}

}  // namespace
}  // namespace ontime::scheduler
