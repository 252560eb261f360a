// Systems that divide what a straggler has left. Attempts map 10 % of their split per second.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "scheduler/policies/baselines/baselines.h"
#include "tests/policy/baseline_world.h"

namespace ontime::scheduler {
namespace {

using test::BaselineWorld;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::SizeIs;

constexpr std::uint64_t kSplit = BaselineWorld::kSplit;

TEST(SkewTuneShares, EndTogether) {
  EXPECT_THAT(skewtune_shares(90, std::vector<double>{0, 0, 0}, 0), ElementsAre(30, 30, 30));
  EXPECT_THAT(skewtune_shares(90, std::vector<double>{0, 30}, 0), ElementsAre(60, 30));
  EXPECT_THAT(skewtune_shares(90, std::vector<double>{0, 90}, 1), ElementsAre(90));         // it would come too late
  EXPECT_THAT(skewtune_shares(10, std::vector<double>{0, 0, 0, 0}, 2), ElementsAre(5, 5));  // not below 4 each
}

RC_GTEST_PROP(SkewTuneShares, AddUpAndLeaveEachSlotTwoOverheads, ()) {
  const double work = *rc::gen::inRange(1, 10'000) / 10.0;
  const double overhead = *rc::gen::inRange(0, 100) / 10.0;
  auto available = *rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(0, 5000), [](int tenths) { return tenths / 10.0; }));
  available.push_back(0);
  std::sort(available.begin(), available.end());
  const std::vector<double> shares = skewtune_shares(work, available, overhead);
  RC_ASSERT(!shares.empty() && shares.size() <= available.size());
  RC_ASSERT(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - work) < 1e-6 * (1 + work));
  for (std::size_t i = 1; i < shares.size(); ++i) {
    RC_ASSERT(shares[i] >= 2 * overhead - 1e-9);
    RC_ASSERT(std::abs((available[i] + shares[i]) - (available[0] + shares[0])) < 1e-6 * (1 + work));
  }
}

TEST(YtsaurusPieces, AreOneToFiveOfTheLeastTimeEach) {
  EXPECT_EQ(ytsaurus_pieces(50, 60, 5), 1u);
  EXPECT_EQ(ytsaurus_pieces(130, 60, 5), 2u);
  EXPECT_EQ(ytsaurus_pieces(1e6, 60, 5), 5u);
  EXPECT_EQ(ytsaurus_pieces(10, 0, 5), 5u);
}

// Three of four tasks are done at 10 s, when the fourth has mapped a tenth.
struct Straggler {
  explicit Straggler(const std::string& policy, StringMap parameters) {
    world.slow_down({{3, 1}});
    job = world.submit_tasks(4, policy, parameters);
  }
  const std::vector<Attempt>& attempts() const { return world.job(job).tasks[3].attempts; }

  BaselineWorld world{4};
  JobId job;
};

TEST(SkewTune, DividesTheLongestRestAmongAllSlots) {
  Straggler straggler("skewtune", {{"overhead", "1s"}});
  straggler.world.advance(12.5);
  ASSERT_THAT(straggler.attempts(), SizeIs(5));  // its own slot takes a piece too
  EXPECT_EQ(straggler.attempts()[0].state, AttemptState::Succeeded);
  const std::uint64_t cut = straggler.attempts()[1].start_offset;
  EXPECT_NEAR(static_cast<double>(cut - 3 * kSplit), 0.115 * kSplit, 0.015 * kSplit);
  for (std::size_t piece = 2; piece < 5; ++piece) {
    const auto begin = static_cast<double>(straggler.attempts()[piece].start_offset);
    const double whole = static_cast<double>(4 * kSplit - cut);
    EXPECT_NEAR(begin, static_cast<double>(cut) + whole * static_cast<double>(piece - 1) / 4, 0.01 * kSplit);
  }
  straggler.world.advance(5);
  EXPECT_NE(straggler.world.job(straggler.job).state, JobState::Running);
}

TEST(SkewTune, LeavesWhatIsDoneInTwoOverheads) {
  Straggler straggler("skewtune", {{"overhead", "46s"}});
  straggler.world.advance(20);
  EXPECT_THAT(straggler.attempts(), SizeIs(1));
  EXPECT_EQ(straggler.world.declined(straggler.job, 3), Reason::RemainingShorterThanLaunch);
}

TEST(Dataflow, GivesAnIdleSlotHalfOfTheLongestRest) {
  Straggler straggler("dataflow", {{"check", "5s"}, {"t_avg", "1s"}});
  straggler.world.advance(17);  // at 15 s it has mapped 15 % and has 85 s left, of which 42 s are given away
  ASSERT_THAT(straggler.attempts(), SizeIs(2));
  EXPECT_EQ(straggler.attempts()[0].state, AttemptState::Running);
  EXPECT_NEAR(static_cast<double>(straggler.attempts()[1].start_offset - 3 * kSplit), 0.58 * kSplit, 0.02 * kSplit);
  EXPECT_EQ(straggler.attempts()[0].held.end, straggler.attempts()[1].start_offset);
}

TEST(Ytsaurus, DividesALargeRestAndCopiesASmallSplit) {
  Straggler large("ytsaurus", {{"min_time", "20s"}, {"min_bytes", "1"}});
  large.world.advance(19);
  EXPECT_THAT(large.attempts(), SizeIs(1));  // too young
  large.world.advance(3);
  ASSERT_THAT(large.attempts(), SizeIs(2));
  EXPECT_EQ(large.attempts()[0].state, AttemptState::Succeeded);  // one piece: the least time is the median rest
  Straggler small("ytsaurus", {{"min_time", "20s"}});
  small.world.advance(22);
  ASSERT_THAT(small.attempts(), SizeIs(2));
  EXPECT_EQ(small.attempts()[1].start_offset, 3 * kSplit);
  EXPECT_EQ(small.attempts()[0].state, AttemptState::Running);
}

}  // namespace
}  // namespace ontime::scheduler
