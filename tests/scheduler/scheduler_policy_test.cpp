// The places where policies plug in: races, cuts with copies behind them, and ended attempts, with a policy that does
// what the test says.
#include <gtest/gtest.h>

#include "tests/scheduler/ordered_policy.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

// Counts how often it is asked.
class Counting final : public Policy {
 public:
  Counting(int& asked, bool at_submission) : asked_(asked), at_submission_(at_submission) {}
  bool plans_at_submission() const override { return at_submission_; }
  Plan plan(const View& view) override {
    ++asked_;
    return {{}, view.now + 10s};
  }

 private:
  int& asked_;
  bool at_submission_;
};

TEST(PolicyGroup, AJobWhosePolicyIsMissingSaysSoUntilItIsBack) {
  bool is_known = true;
  Settings settings;
  settings.make_policy = [&](std::string_view name, const StringMap&) {
    return is_known || name == "none" ? make_policy("none", {}) : nullptr;
  };
  World world(settings);
  JobSpec spec = World::quiet_spec();
  spec.policy = "tomorrows";
  const JobId job = world.submit(100, 100, spec);
  EXPECT_EQ(world.job(job).policy_problem, "");
  is_known = false;
  world.restart();
  EXPECT_EQ(world.job(job).policy_problem,
            "The policy 'tomorrows' cannot be made: this master has no such policy. The job goes on under 'none', "
            "without speculation.");
  world.restart();
  EXPECT_EQ(world.job(job).decisions.size(), 1u);  // told once
  is_known = true;
  world.restart();
  EXPECT_EQ(world.job(job).policy_problem, "");
  EXPECT_EQ(world.job(job).decisions.size(), 2u);
}

TEST(PolicyGroup, IsAskedAtSubmissionsOnlyIfItWantsTo) {
  for (const bool at_submission : {true, false}) {
    int asked = 0;
    Settings settings;
    settings.make_policy = [&](std::string_view, const StringMap&) {
      return std::make_unique<Counting>(asked, at_submission);
    };
    World world(settings);
    world.register_node("a", 1);
    for (int job = 0; job < 3; ++job) world.submit(100, 100);
    EXPECT_EQ(asked, at_submission ? 3 : 1);
    world.pass(10s);
    EXPECT_EQ(asked, at_submission ? 4 : 2);
  }
}

Speculate race(TaskId task, std::uint32_t copies) {
  Speculate decision;
  decision.task = task;
  decision.work = WholeSegment{copies};
  return decision;
}

Speculate resume(TaskId task, std::uint64_t at, std::uint32_t copies) {
  Speculate decision = race(task, copies);
  decision.work = SharedTail{at, copies};
  return decision;
}

using PolicyTest = test::OrderedPolicyTest;

TEST_F(PolicyTest, ARestartCopyRacesTheWholeSegmentOnAnotherNode) {
  world_.register_node("a", 2);
  world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  world_.register_node("b", 1);
  order(race(original.task, 1));
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].range, (ByteRange{0, 100}));
  EXPECT_NE(launches[0].node, world_.attempt(original).node);
  EXPECT_TRUE(world_.attempt(launches[0].attempt).speculative);
}

TEST_F(PolicyTest, TheFirstToSealWinsAndTheOthersAreKilled) {
  world_.register_node("a", 3);
  const JobId job = world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  order(race(original.task, 2));
  const auto copies = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(copies.size(), 2u);
  world_.seal(copies[1].attempt, {0, 100});
  EXPECT_EQ(world_.attempt(original).state, AttemptState::Killed);
  EXPECT_EQ(world_.attempt(copies[0].attempt).state, AttemptState::Killed);
  EXPECT_EQ(world_.take<action::KillAttempt>().size(), 2u);
  EXPECT_EQ(world_.job(job).state, JobState::Committing);
}

TEST_F(PolicyTest, ResumeCutsFirstAndLaunchesCopiesBehindTheHonouredBoundary) {
  world_.register_node("a", 3);
  world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  order(resume(original.task, 33, 2));
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());
  ASSERT_EQ(world_.take<action::CutAttempt>().size(), 1u);
  world_.answer_cut(original, 35);
  const auto copies = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].range, (ByteRange{35, 100}));
  EXPECT_EQ(world_.attempt(original).held, (ByteRange{0, 100}));
}

TEST_F(PolicyTest, AnOriginalWhoseTailIsDoneStopsInFrontOfIt) {
  world_.register_node("a", 3);
  const JobId job = world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  order(resume(original.task, 33, 1));
  world_.answer_cut(original, 35);
  const AttemptId copy = world_.take_launch();
  world_.take<action::CutAttempt>();
  world_.seal(copy, {35, 100});
  const auto cuts = world_.take<action::CutAttempt>();
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].at, 35u);
  EXPECT_TRUE(cuts[0].release);
  EXPECT_EQ(world_.attempt(original).held, (ByteRange{0, 35}));
  world_.seal(original, {0, 35});
  EXPECT_EQ(world_.job(job).state, JobState::Committing);
}

TEST_F(PolicyTest, ACopyWhoseTailTheOriginalFinishesIsKilled) {
  world_.register_node("a", 3);
  const JobId job = world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  order(resume(original.task, 33, 1));
  world_.answer_cut(original, 35);
  const AttemptId copy = world_.take_launch();
  world_.seal(original, {0, 35});
  world_.seal(original, {35, 100});
  EXPECT_EQ(world_.attempt(copy).state, AttemptState::Killed);
  EXPECT_EQ(world_.job(job).state, JobState::Committing);
}

TEST_F(PolicyTest, AnAnswerThatNothingIsLeftToCutLaunchesNothing) {
  world_.register_node("a", 3);
  world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  order(resume(original.task, 99, 1));
  world_.answer_cut(original, 100);
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());
  EXPECT_FALSE(world_.attempt(original).cut.has_value());
}

TEST_F(PolicyTest, ReleaseGivesTheTailAway) {
  world_.register_node("a", 1);
  world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  world_.answer_cut(original, 40, true);
  EXPECT_EQ(world_.attempt(original).held, (ByteRange{0, 40}));
  world_.seal(original, {0, 40});
  const auto launches = world_.take<action::LaunchAttempt>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].range, (ByteRange{40, 100}));
}

TEST_F(PolicyTest, ReleaseOfEverythingEndsTheAttempt) {
  world_.register_node("a", 1);
  world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  world_.answer_cut(original, 0, true);
  EXPECT_EQ(world_.attempt(original).state, AttemptState::Killed);
  EXPECT_EQ(world_.take_launch().number, 1u);
}

TEST_F(PolicyTest, AnEndedAttemptsSegmentWaitsAgainUnlessSomebodyElseHoldsIt) {
  world_.register_node("a", 2);
  world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  order(race(original.task, 1));
  const AttemptId copy = world_.take_launch();
  order(EndAttempt{original, Reason::SlowerCopy});
  EXPECT_EQ(world_.attempt(original).state, AttemptState::Killed);
  EXPECT_TRUE(world_.take<action::LaunchAttempt>().empty());
  order(EndAttempt{copy, Reason::SlowerCopy});
  EXPECT_EQ(world_.take_launch().number, 2u);
}

TEST_F(PolicyTest, CopiesThatWaitedTooLongForASlotAreNotLaunched) {
  world_.register_node("a", 1);
  const JobId job = world_.submit(200, 100);
  const AttemptId original = world_.take_launch();
  order(race(original.task, 3));
  world_.seal(original, {0, 100});
  const AttemptId next = world_.take_launch();
  EXPECT_EQ(next.task.index, 1u);
  EXPECT_EQ(world_.job(job).tasks[0].attempts.size(), 1u);
}

TEST_F(PolicyTest, ACheckpointIsNotTakenWhileSeveralRace) {
  world_.register_node("a", 2);
  JobSpec spec;
  spec.checkpoint_interval = 2s;
  world_.submit(100, 100, spec);
  const AttemptId original = world_.take_launch();
  order(race(original.task, 1));
  world_.heartbeat(original, 50);
  world_.pass(2s);
  EXPECT_TRUE(world_.take<action::CutAttempt>().empty());
}

}  // namespace
}  // namespace ontime::scheduler
