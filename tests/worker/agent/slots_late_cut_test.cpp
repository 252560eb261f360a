// Cuts of a runner that is busy: inside a record, in its start, in a full pipe. The worker answers for it.
#include <gtest/gtest.h>

#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using namespace test;

constexpr Duration kAnswerTime = std::chrono::milliseconds(1);

class LateCut : public testing::Test {
 protected:
  LateCut() {
    EXPECT_TRUE(world.set_up());
    runner = world.launch_and_start(id);
    world.new_reports();
  }
  ClaimWord& claims() { return runner->block().claims; }
  std::vector<wire::Report> reports_until(std::size_t count) {
    std::vector<wire::Report> all;
    world.settle_until([&] {
      for (wire::Report& report : world.new_reports()) all.push_back(std::move(report));
      return all.size() >= count;
    });
    return all;
  }

  const AttemptId id = SlotsWorld::attempt(0);
  SlotsWorld world{2, {}, kAnswerTime};
  std::unique_ptr<FakeRunner> runner;
};

TEST_F(LateCut, IsAnsweredBehindWhatTheRunnerHasInHand) {
  ASSERT_TRUE(claims().claim(130));
  ASSERT_TRUE(world.cut(id, 50, true));
  const auto reports = reports_until(1);
  ASSERT_TRUE(reports[0].has_cut());
  EXPECT_EQ(reports[0].cut().at(), 130u);
  EXPECT_TRUE(reports[0].cut().release());
  EXPECT_TRUE(runner->is_alive());
  EXPECT_FALSE(claims().claim(131));
  EXPECT_EQ(claims().take_cut(130), (Cut{130, true}));
  runner->seals(0, 130);
  runner->finishes();
  EXPECT_TRUE(reports_until(1)[0].has_sealed());
  world.settle_until([&] { return world.slots.attempt_count() == 0; });
  EXPECT_EQ(world.slots.runner_count(), 1u);  // it may run another
}

TEST_F(LateCut, InItsStartGivesAllOfItBack) {
  ASSERT_TRUE(world.cut(id, 0, true));
  EXPECT_EQ(reports_until(1)[0].cut().at(), 0u);
}

TEST_F(LateCut, IsNotAnsweredTwiceWhenTheRunnerHasBegunToAnswer) {
  ASSERT_TRUE(world.cut(id, 50, true));
  ASSERT_TRUE(claims().take_answer(130));
  bool is_over = false;
  asio::steady_timer later(world.io, 2 * kAnswerTime);  // timers end in order
  later.async_wait([&](const asio::error_code&) { is_over = true; });
  world.settle_until([&] { return is_over; });
  EXPECT_TRUE(world.new_reports().empty());
  runner->answers_cut(140);
  EXPECT_EQ(reports_until(1)[0].cut().at(), 140u);
}

TEST_F(LateCut, ThatWasNotSeenYetMayBeFollowedByALowerOne) {
  ASSERT_TRUE(claims().claim(130));
  ASSERT_TRUE(world.cut(id, 500, false));
  EXPECT_EQ(reports_until(1)[0].cut().at(), 500u);
  ASSERT_TRUE(world.cut(id, 50, true));
  const auto reports = reports_until(1);
  EXPECT_EQ(reports[0].cut().at(), 130u);
  EXPECT_TRUE(reports[0].cut().release());
  EXPECT_EQ(claims().take_cut(130), (Cut{130, true}));
}

// A checkpoint, and the next one, within one record: the master asks no third if the second is not answered.
TEST_F(LateCut, ThatWasNotSeenYetAnswersTheNextCheckpoint) {
  ASSERT_TRUE(claims().claim(130));
  for (const std::uint64_t at : {50u, 60u, 200u}) {
    ASSERT_TRUE(world.cut(id, at, false));
    const auto reports = reports_until(1);
    ASSERT_TRUE(reports[0].has_cut());
    EXPECT_EQ(reports[0].cut().at(), 130u);
    EXPECT_FALSE(reports[0].cut().release());
  }
  EXPECT_EQ(claims().take_cut(130), (Cut{130, false}));
  runner->seals(0, 130);
  EXPECT_TRUE(reports_until(1)[0].has_sealed());
}

// What releases behind a checkpoint that the runner has not found is answered at once, as it stands still for its
// master otherwise: it stops at the border that is there.
TEST_F(LateCut, ThatWasNotSeenYetAnswersOneThatReleasesBehindIt) {
  ASSERT_TRUE(claims().claim(130));
  ASSERT_TRUE(world.cut(id, 300, false));
  EXPECT_EQ(reports_until(1)[0].cut().at(), 300u);
  ASSERT_TRUE(world.cut(id, 400, true));
  const auto reports = reports_until(1);
  EXPECT_EQ(reports[0].cut().at(), 300u);
  EXPECT_TRUE(reports[0].cut().release());
  EXPECT_EQ(claims().take_cut(130), (Cut{300, true}));
  runner->seals(0, 300);
  EXPECT_TRUE(reports_until(1)[0].has_sealed());
}

TEST_F(LateCut, StaysWithinWhatTheAttemptHoldsWhateverTheRunnerWrites) {
  ASSERT_TRUE(claims().claim(~std::uint64_t{0}));
  ASSERT_TRUE(world.cut(id, 50, true));
  EXPECT_EQ(reports_until(1)[0].cut().at(), 1000u);
  EXPECT_TRUE(runner->is_alive());
}

}  // namespace
}  // namespace ontime::worker
