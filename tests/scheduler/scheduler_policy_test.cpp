// Groups of jobs with one policy, what is kept of its decisions, and deadlines that end a job. How decisions are
// carried out is in testdata/*.txt.
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

// Counts the jobs that it is shown.
struct Shown {
  std::size_t all = 0, last = 0;
};

class CountingJobs final : public Policy {
 public:
  CountingJobs(bool may_wait, Shown& shown) : may_wait_(may_wait), shown_(shown) {}
  bool may_plan_behind_submission() const override { return may_wait_; }
  Plan plan(const View& view) override {
    shown_.last = view.jobs.size();
    shown_.all += shown_.last;
    return {{}, view.now + 1h};
  }

 private:
  bool may_wait_;
  Shown& shown_;
};

Shown shown_of(std::size_t jobs, bool may_wait) {
  Shown shown;
  Settings settings;
  settings.make_policy = [&](std::string_view, const StringMap&) {
    return std::make_unique<CountingJobs>(may_wait, shown);
  };
  World world(settings);
  world.register_node("a", 1);
  for (std::size_t job = 0; job < jobs; ++job) {
    world.submit(100, 100);
    world.pass(1ms);
  }
  world.pass(1s);
  return shown;
}

// A pass over all jobs at each of so many submissions would show it 8,002,000.
TEST(PolicyGroup, IsNotShownThousandsOfJobsThatWaitAtEachSubmissionIfItMayPlanLater) {
  const Shown shown = shown_of(4000, true);
  EXPECT_LT(shown.all, 80'000u);
  EXPECT_EQ(shown.last, 4000u) << "the last ones are shown before long";
  EXPECT_EQ(shown_of(400, false).all, 80'200u);
}

using PolicyTest = test::OrderedPolicyTest;

TEST_F(PolicyTest, WhatWasDecidedIsKeptWithTheJobAcrossARestart) {
  world_.register_node("a", 1);
  world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  Speculate decision;
  decision.task = original.task;
  decision.work = GivenTail{{{40, 1}, {60, 2}, {80, 1}}};
  order(decision);
  world_.restart();
  const std::vector<DecisionAt>& decisions = world_.job(original.task.job).decisions;
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].decision.reason, "late");
  EXPECT_EQ(decisions[0].decision.pieces, 3u);
  EXPECT_EQ(decisions[0].decision.copies, 4u);
}

TEST(OnMiss, AJobThatAsksForItIsKilledAtItsDeadline) {
  World world;
  world.register_node("a", 1);
  JobSpec spec = World::quiet_spec();
  spec.deadline = 2s;
  spec.kill_on_miss = true;
  const JobId job = world.submit(100, 100, spec);
  world.pass(1900ms);
  EXPECT_EQ(world.job(job).state, JobState::Running);
  world.pass(200ms);
  EXPECT_EQ(world.job(job).state, JobState::Killed);
}

TEST(OnMiss, OtherwiseItIsFinished) {
  World world;
  world.register_node("a", 1);
  JobSpec spec = World::quiet_spec();
  spec.deadline = 2s;
  const JobId job = world.submit(100, 100, spec);
  world.pass(3s);
  EXPECT_EQ(world.job(job).state, JobState::Running);
}

}  // namespace
}  // namespace ontime::scheduler
