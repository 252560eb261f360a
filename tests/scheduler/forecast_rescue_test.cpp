// A forecast counts what the policy will do about late work.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "scheduler/forecast/forecast.h"
#include "tests/scheduler/four_tasks.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

JobSpec due_in_30s(const std::string& policy) {
  return World::quiet_spec(policy, {{"t_min", "8s"}, {"beta", "4"}, {"t_avg", "1s"}, {"fit", "flags"}}, {}, 30s);
}

// The first attempt of the job that was submitted last, once it is seen to take 50 s. Of another job there may be
// tasks.
AttemptId late_attempt(World& world, std::uint32_t other_tasks = 0) {
  const AttemptId attempt = world.take_launch();
  world.start_attempt(attempt);
  if (other_tasks > 0) world.submit(other_tasks * 100, 100, due_in_30s("shed+"));
  world.pass(4s);
  world.heartbeat(attempt, 8);
  return attempt;
}

// A late attempt of a job under shed+, with a free slot beside it that another job may want.
double pocd_beside(std::uint32_t other_tasks) {
  Settings settings;
  settings.make_policy = [](std::string_view, const StringMap&) { return make_policy("none", {}); };
  World world(settings);
  world.register_node("a", 2);
  const JobId job = world.submit(100, 100, due_in_30s("shed+"));
  late_attempt(world, other_tasks);
  return forecast(world.scheduler(), job, world.now())->pocd;
}

TEST(ForecastRescue, CopiesThatGetNoSlotSaveNothing) {
  EXPECT_GT(pocd_beside(0), 0.8);
  EXPECT_LT(pocd_beside(20), 0.1);
}

// Of one slow attempt in the only slot, which would be in time.
double median_in_own_slot(const std::string& policy) {
  Settings settings;
  settings.make_policy = [](std::string_view, const StringMap&) { return make_policy("none", {}); };
  World world(settings);
  world.register_node("a", 1);
  JobSpec spec = due_in_30s(policy);
  spec.deadline = 200s;
  const JobId job = world.submit(100, 100, spec);
  late_attempt(world);
  return forecast(world.scheduler(), job, world.now())->median;
}

TEST(ForecastRescue, ASlowAttemptIsBegunAnewInItsSlotWhereThatSavesTime) {
  EXPECT_GT(median_in_own_slot("none"), 40);
  EXPECT_LT(median_in_own_slot("split-resume"), 30);
  EXPECT_GT(median_in_own_slot("shed+"), 40) << "only copies of what is late";
}

class ForecastOfACut : public test::OrderedPolicyTest {
 protected:
  Forecast of(JobId job) { return forecast(world_.scheduler(), job, world_.now()).value(); }
  void cut(TaskId task, Handover handover) {
    Speculate decision;
    decision.task = task;
    decision.work = GivenTail{{{20, 1}, {60, 1}}, handover};
    order(decision);
  }
  void expect_help(Handover handover) {
    world_.register_node("a", 3);
    const JobId job = world_.submit(100, 100, due_in_30s("split-resume"));
    const AttemptId attempt = late_attempt(world_);
    EXPECT_GT(of(job).pocd, 0.9);
    cut(attempt.task, handover);
    EXPECT_GT(of(job).pocd, 0.9);
    world_.heartbeat(attempt, 8);
    EXPECT_GT(of(job).pocd, 0.9);
  }
};

// An attempt that has stopped takes seconds to be known for it.
TEST_F(ForecastOfACut, WhatWillBeLaunchedAtTheAnswerHelps) { expect_help(Handover::Predicted); }
// What stands by for its work has the slots meanwhile.
TEST_F(ForecastOfACut, WhatStandsByForTheAnswerHelps) { expect_help(Handover::Ready); }

TEST_F(ForecastOfACut, AnAttemptThatNeverHasToMoveIsEndedIfItDoesNotAnswer) {
  world_.register_node("a", 2);
  JobSpec spec = due_in_30s("none");
  spec.deadline = 100s;
  spec.attempt_timeout = kNoTimeout;
  const JobId job = world_.submit(100, 100, spec);
  const AttemptId attempt = world_.take_launch();
  world_.start_attempt(attempt);
  for (int second = 0; second < 20; ++second) {
    world_.pass(1s);
    world_.heartbeat(attempt, 0);
  }
  EXPECT_EQ(of(job).pocd, 0);
  cut(attempt.task, Handover::Predicted);
  EXPECT_NEAR(of(job).median, 20 + 1 + 30 + 1 + 9.5, 1.5) << "it has 30 s to answer, then a launch and the work follow";
  EXPECT_GT(of(job).pocd, 0.9);
}

// Does nothing, and says one thing of each job.
class Says final : public Policy {
 public:
  explicit Says(Note note) : note_(std::move(note)) {}
  Plan plan(const View& view) override {
    Plan plan;
    if (note_.text.empty()) return plan;
    for (const JobView& job : view.jobs) plan.add(Note{job.id, note_.text, note_.number, note_.policy});
    return plan;
  }

 private:
  Note note_;  // of whatever job
};

// Of a job with one late attempt, whose policy has done nothing yet and said so much.
double pocd_after(const std::string& policy, const Note& note = {}) {
  Settings settings;
  settings.make_policy = [&](std::string_view, const StringMap&) { return std::make_unique<Says>(note); };
  World world(settings);
  world.register_node("a", 20);
  JobSpec spec = World::quiet_spec();
  spec.deadline = 20s;
  spec.policy = policy;
  spec.policy_parameters = {{"t_min", "8s"}, {"beta", "2"}, {"t_avg", "1s"}, {"fit", "flags"}};
  const JobId job = world.submit(100, 100, spec);
  const AttemptId attempt = world.take_launch();
  world.start_attempt(attempt);
  world.pass(4s);
  world.heartbeat(attempt, 10);  // it would take 40 s
  return forecast(world.scheduler(), job, world.now())->pocd;
}

// Of a job without a deadline whose only attempt is as fast as others, seconds after submission.
double median_end_beside(std::uint32_t free_slots, const std::string& policy) {
  Settings settings;
  settings.make_policy = [](std::string_view, const StringMap&) { return make_policy("none", {}); };
  World world(settings);
  world.register_node("a", 1 + free_slots);
  const StringMap parameters{{"t_min", "8s"}, {"beta", "4"}, {"t_avg", "1s"}, {"fit", "flags"}};
  const JobId job = world.submit(1000, 1000, World::quiet_spec(policy, parameters, {}, Duration::zero()));
  const AttemptId attempt = world.take_launch();
  world.start_attempt(attempt);
  world.pass(2s);
  world.heartbeat(attempt, 200);
  return forecast(world.scheduler(), job, world.now())->median;
}

TEST(ForecastRescue, WhatIsLeftIsSharedAmongFreeSlots) {
  const double alone = median_end_beside(3, "none");
  EXPECT_NEAR(alone, 10, 1);
  EXPECT_NEAR(median_end_beside(0, "split-resume"), alone, 1);
  const double shared = median_end_beside(3, "split-resume");
  EXPECT_LT(shared, 0.7 * alone);
  EXPECT_GT(shared, 2 + 1 + 8.0 * 0.9 / 4) << "with a launch, and no faster than four of the fastest attempts";
}

// Three of four tasks took 8 s to start and 3 s to map; after 25 s the last one is still in its start, beside free
// slots.
class ForecastOfALateStart : public test::FourTasksTest<> {
 protected:
  double median_under(const std::string& policy) {
    run(World::quiet_spec(policy, {}, {}, Duration::zero()));
    seal(2, test::times_of(11, 8, 10.7, 10));
    wait(14);
    report(3, 0, {25s, 0s, 0s, 0, 0});
    return forecast(world_.scheduler(), job_, world_.now())->median;
  }
};

TEST_F(ForecastOfALateStart, WithoutSpeculationItMayTakeAsLongAgain) { EXPECT_GT(median_under("none"), 45); }

TEST_F(ForecastOfALateStart, ItIsRacedAtOnceByAFreshOne) {
  const double median = median_under("split-resume");
  EXPECT_GT(median, 25 + 8 + 3);
  EXPECT_LT(median, 25 + 8 + 3 + 4);
}

// Three of four tasks took all their bytes at once and 11 s for them; the last one has taken its own as well, and is at
// work on them for 14 s, which is not yet late. Slots are free.
class ForecastOfBytesTakenAtOnce : public test::FourTasksTest<> {
 protected:
  double pocd_under(const std::string& policy, Duration deadline) {
    run(World::quiet_spec(policy, {}, {}, deadline), 8, 1);
    seal(2, test::times_of(11, 8, 8, 1));
    wait(3);
    report(3, 1000, test::times_of(14, 8, 8, 1));
    return forecast(world_.scheduler(), job_, world_.now())->pocd;
  }
};

TEST_F(ForecastOfBytesTakenAtOnce, WithoutSpeculationTheyMayTakeLong) { EXPECT_LT(pocd_under("none", 40s), 0.9); }
TEST_F(ForecastOfBytesTakenAtOnce, NobodyDividesThem) { EXPECT_LT(pocd_under("split-resume", 22s), 0.8); }
TEST_F(ForecastOfBytesTakenAtOnce, TheyAreRacedOnceTheyAreLate) { EXPECT_GT(pocd_under("split-resume", 40s), 0.93); }

// Starts what is launched, which is done so many seconds later.
void run_round(World& world, int seconds) {
  const auto launched = world.take<action::LaunchAttempt>();
  for (const auto& launch : launched) world.start_attempt(launch.attempt);
  for (int second = 0; second < seconds; ++second) {
    world.pass(1s);
    world.heartbeat(NodeId{1});
  }
  for (const auto& launch : launched) world.seal_all(launch.attempt);
}

TEST(ForecastLevel, IsTheJobsOwnWhereEarlierJobsWereQuicker) {
  World world;
  world.register_node("a", 4);
  const JobId earlier = world.submit(400, 100);
  run_round(world, 1);
  world.commit(earlier);
  const JobId job = world.submit(800, 100);
  run_round(world, 10);
  for (const auto& launch : world.take<action::LaunchAttempt>()) world.start_attempt(launch.attempt);
  const Forecast made = forecast(world.scheduler(), job, world.now()).value();
  EXPECT_NEAR(made.median, 21, 2);
  EXPECT_GT(made.low, 18);
  EXPECT_LT(made.high, 30);
}

// Of a job with far more tasks than slots, seconds after submission.
double median_end_under(const std::string& policy) {
  Settings settings;
  settings.make_policy = [](std::string_view, const StringMap&) { return make_policy("none", {}); };
  World world(settings);
  world.register_node("a", 3);
  const JobId job = world.submit(
      40000, 100,
      World::quiet_spec(policy, {{"t_min", "8s"}, {"beta", "1.5"}, {"t_avg", "1s"}, {"fit", "flags"}}, {}, 1000s));
  for (const auto& launch : world.take<action::LaunchAttempt>()) world.start_attempt(launch.attempt);
  world.pass(4s);
  return forecast(world.scheduler(), job, world.now())->median;
}

TEST(ForecastRescue, DoesNotDelayAJobOfManyTasksOnFewSlots) {
  const double none = median_end_under("none");
  for (const char* policy : {"hadoop", "late", "mantri", "s-restart", "s-resume", "shed+", "split-resume"}) {
    EXPECT_LT(median_end_under(policy), none) << policy;
  }
}

TEST(ForecastRescue, WhatAPolicyWillDoAboutLatePiecesCounts) {
  const double none = pocd_after("none");
  const double restarts = pocd_after("s-restart");
  EXPECT_LT(none, 0.2);
  EXPECT_GT(restarts, none + 0.3);
  EXPECT_GT(pocd_after("shed+"), restarts);
  EXPECT_GT(pocd_after("split-resume"), 0.9);
}

TEST(ForecastRescue, AutoDoesWhatItHasChosen) {
  const auto chosen = [](const std::string& policy) { return Note{{}, "auto chooses X: it is best", {}, policy}; };
  EXPECT_LT(pocd_after("auto", chosen("none")), 0.2);
  EXPECT_GT(pocd_after("auto", chosen("split-resume")), 0.9);
}

TEST(ForecastRescue, ChronosLaunchesAsManyAsItHasChosen) {
  const auto r = [](std::uint32_t number) { return Note{{}, "so many", number}; };
  EXPECT_LT(pocd_after("s-resume", Note{{}, "none is worth it"}), 0.2);
  EXPECT_GT(pocd_after("s-resume", r(4)), pocd_after("s-resume", r(0)) + 0.1);
  EXPECT_LT(pocd_after("s-restart", r(0)), 0.2);
}

}  // namespace
}  // namespace ontime::scheduler
