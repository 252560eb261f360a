// The ideal cluster, where the answer is known, and against policies where none can be better.
#include "lab/simulator/ideal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/scenario/purpose.h"
#include "scheduler/policies/policy.h"
#include "tests/lab/simulator/random_scenario.h"
#include "tests/lab/simulator/small_cluster.h"
#include "tests/support/sanitized.h"

namespace ontime::lab {
namespace {

using ontime::test::fewer_if_sanitized;

// A cluster on which a job of one task takes 10 s, if all six slots share it.
Scenario six_slots() {
  Scenario scenario = small_cluster();
  scenario.yardstick = Yardstick::Ideal;
  scenario.jobs[0].size.tasks = Distribution::constant(1);
  scenario.jobs[0].times.duration = Distribution::constant(60);
  return scenario;
}

JobGroup job_of(double work, double at, double deadline) {
  JobGroup group;
  group.size.tasks = Distribution::constant(1);
  group.times.duration = Distribution::constant(6 * work);
  group.arrivals.at = {at};
  group.deadline.seconds = deadline;
  return group;
}

std::size_t met(const Outcome& outcome) {
  return static_cast<std::size_t>(std::ranges::count_if(outcome.jobs, &JobOutcome::met));
}

double flow_time(const Outcome& outcome) { return summarise(outcome.jobs).flow_time.value; }

TEST(Ideal, SharesAJobAmongAllSlots) {
  const Outcome outcome = run(six_slots(), 1);
  ASSERT_EQ(outcome.jobs.size(), 1u);
  EXPECT_NEAR(outcome.jobs[0].flow_time(), 10, 1e-9);
  EXPECT_NEAR(outcome.jobs[0].machine_time, 60, 1e-9);
  EXPECT_NEAR(outcome.utilisation(), 1, 1e-9);
}

TEST(Ideal, TakesTheMeanSpeedOfAFreshAttempt) {
  Scenario scenario = six_slots();
  scenario.jobs[0].times.duration = Distribution::pareto(120, 1.5);  // speed: beta / (beta + 1) / t_min
  EXPECT_NEAR(flow_time(run(scenario, 1)), 200.0 / 6, 1e-3);
  scenario.jobs[0].times.duration = Distribution::lognormal(120, 0.8);  // exp(sigma^2 / 2) / median
  EXPECT_NEAR(flow_time(run(scenario, 1)), 20 * std::exp(-0.32), 1e-2);
  scenario.jobs[0].times.duration = Distribution::empirical({30, 60});
  EXPECT_NEAR(flow_time(run(scenario, 1)), 40.0 / 6, 1e-9);
  scenario.jobs[0].times.duration = Distribution::uniform(0, 60);  // so fast that there is no mean
  EXPECT_EQ(flow_time(run(scenario, 1)), 0);
}

TEST(Ideal, CountsSlowNodesForWhatTheyDo) {
  Scenario scenario = six_slots();
  scenario.nodes = {{.count = 3, .slots = 1}, {.count = 5, .slots = 3, .slowness = Distribution::constant(5)}};
  EXPECT_NEAR(flow_time(run(scenario, 1)), 10, 1e-9);
}

TEST(Ideal, CountsTheWorkOfAJobByItsBytes) {
  Scenario scenario = six_slots();
  scenario.jobs[0].size.tasks = Distribution::constant(4);
  scenario.jobs[0].size.split_lengths = Distribution::constant(0.5);
  EXPECT_NEAR(flow_time(run(scenario, 1)), 20, 1e-6);
  scenario.jobs[0].size.scale = Distribution::constant(3);
  EXPECT_NEAR(flow_time(run(scenario, 1)), 60, 1e-6);
  scenario.jobs[0].times.skew.begins = Distribution::constant(0.9);
  scenario.jobs[0].times.skew.slowness = Distribution::constant(10);
  EXPECT_NEAR(flow_time(run(scenario, 1)), 60, 1e-6);
}

TEST(Ideal, TakesThePaceOfAnInjectionButNoStragglers) {
  Scenario scenario = process_defaults();
  scenario.yardstick = Yardstick::Ideal;
  scenario.nodes[0].count = 4;
  scenario.jobs[0].size.tasks = Distribution::constant(6);
  scenario.injection->pace = std::chrono::seconds(10);
  scenario.injection->straggler = {0.5, 8};
  scenario.injection->nodes = {{"worker-1", 2}, {"worker-2", 2}};
  EXPECT_NEAR(flow_time(run(scenario, 1)), 20, 1e-6);
}

TEST(Ideal, GivesUpTheLongestOfThoseThatCannotAllBeInTime) {
  Scenario scenario = six_slots();
  scenario.jobs = {job_of(50, 0, 55), job_of(10, 0, 60), job_of(10, 0, 65), job_of(100, 0, 20)};
  const Outcome outcome = run(scenario, 1);
  EXPECT_NEAR(outcome.jobs[1].flow_time(), 10, 1e-9);
  EXPECT_NEAR(outcome.jobs[2].flow_time(), 20, 1e-9);
  EXPECT_NEAR(outcome.jobs[0].flow_time(), 70, 1e-9);  // late, but before the hopeless one
  EXPECT_NEAR(outcome.jobs[3].flow_time(), 170, 1e-9);
  EXPECT_EQ(met(outcome), 2u);
}

// One job of six slots for 10 s each.
TEST(Ideal, CountsTheLaunchesThatAJobCannotDoWithout) {
  Scenario scenario = six_slots();
  scenario.yardstick = Yardstick::IdealWithLaunches;
  scenario.launch = Distribution::constant(5);
  scenario.jobs = {job_of(10, 0, 15)};
  const Outcome alone = run(scenario, 1);
  EXPECT_EQ(met(alone), 1u);
  EXPECT_NEAR(alone.jobs[0].machine_time, 90, 1e-9);  // 60 of work, and six launches
  scenario.jobs = {job_of(10, 0, 14.9)};
  EXPECT_EQ(met(run(scenario, 1)), 0u);
  scenario.jobs = {job_of(10, 0, 30), job_of(15, 0, 30)};  // 12 s and 18 s of all slots
  EXPECT_EQ(met(run(scenario, 1)), 2u);
  scenario.jobs = {job_of(10, 0, 30), job_of(15.1, 0, 30)};
  EXPECT_EQ(met(run(scenario, 1)), 1u);
  scenario.jobs = {job_of(10, 0, 0)};  // nothing is due
  EXPECT_NEAR(run(scenario, 1).jobs[0].flow_time(), 10, 1e-9);
}

TEST(Ideal, AndTheBoundHaveOneParameter) {
  Scenario scenario = six_slots();
  const auto chosen = [&](const std::string& text) {
    EXPECT_TRUE(choose_policy(scenario, *read_policy(text))) << text;
    return scenario.yardstick;
  };
  EXPECT_EQ(chosen("ideal:launches=yes"), Yardstick::IdealWithLaunches);
  EXPECT_EQ(chosen("ideal"), Yardstick::Ideal);
  EXPECT_EQ(chosen("bound:clairvoyant=yes"), Yardstick::ClairvoyantBound);
  EXPECT_EQ(chosen("bound"), Yardstick::Bound);
  EXPECT_EQ(chosen("none"), Yardstick::None);
  EXPECT_EQ(choose_policy(scenario, *read_policy("ideal:launches=maybe")).error().message,
            "--policy-set launches=maybe: policy ideal wants yes or no");
  EXPECT_EQ(choose_policy(scenario, *read_policy("bound:launches=yes")).error().message,
            "policy bound has no parameter 'launches'; choose one of: clairvoyant");
}

// The mean of Pareto durations is beta / (beta - 1), their mean speed beta / (beta + 1) in t_min.
TEST(Ideal, TellsTheLoadByWholeAttemptsAndAtMeanSpeed) {
  Scenario scenario = six_slots();
  EXPECT_FALSE(offered_load(scenario, 1));  // all at once
  scenario.jobs[0].count = 61;
  scenario.jobs[0].arrivals.every = 20;
  scenario.launch = Distribution::constant(0);
  scenario.jobs[0].times.duration = Distribution::pareto(20, 1.5);
  const auto load = offered_load(scenario, 1);
  ASSERT_TRUE(load);
  EXPECT_NEAR(load->by_attempts, 20 * 3.0 / (20 * 6), 1e-9);
  EXPECT_NEAR(load->at_mean_speed, 20 * 2.5 / 1.5 / (20 * 6), 1e-3);
  scenario.launch = Distribution::constant(10);
  EXPECT_NEAR(offered_load(scenario, 1)->by_attempts, (20 * 3.0 + 10) / (20 * 6), 1e-9);
  EXPECT_NEAR(offered_load(scenario, 1)->at_mean_speed, load->at_mean_speed, 1e-12);
}

TEST(Ideal, KnowsTheMeanSpeedOfTimesThatMayBeShort) {
  Scenario scenario = six_slots();
  scenario.jobs[0].count = 61;
  scenario.jobs[0].arrivals.every = 20;
  scenario.launch = Distribution::constant(0);
  // E(T) E(1 / T): of Weibull times with shape 2 pi / 2, of gamma times with shape 3 3 / 2.
  for (const auto& [times, luck] :
       {std::pair{Distribution::weibull(20, 2), 1.5707963267948966}, std::pair{Distribution::gamma(20, 3), 1.5}}) {
    scenario.jobs[0].times.duration = times;
    const auto load = offered_load(scenario, 1);
    ASSERT_TRUE(load);
    EXPECT_NEAR(load->by_attempts / load->at_mean_speed, luck, 1e-9);
  }
  scenario.nodes[0].slowness_changes.push_back({5, Distribution::constant(3)});
  EXPECT_FALSE(offered_load(scenario, 1)) << "it is another one from then on";
}

TEST(Ideal, LetsAJobWithAnEarlierDeadlineOvertake) {
  Scenario scenario = six_slots();
  scenario.jobs = {job_of(50, 0, 100), job_of(20, 10, 20)};
  const Outcome outcome = run(scenario, 1);
  EXPECT_NEAR(outcome.jobs[1].flow_time(), 20, 1e-9);
  EXPECT_NEAR(outcome.jobs[0].flow_time(), 70, 1e-9);
  EXPECT_EQ(met(outcome), 2u);  // one of them to the last moment
}

TEST(Ideal, ServesTheLeastWorkFirstWhereNothingIsDue) {
  Scenario scenario = six_slots();
  scenario.jobs = {job_of(50, 0, 0), job_of(20, 10, 0), job_of(5, 20, 0)};
  const Outcome outcome = run(scenario, 1);
  EXPECT_NEAR(outcome.jobs[2].flow_time(), 5, 1e-9);
  EXPECT_NEAR(outcome.jobs[1].flow_time(), 25, 1e-9);
  EXPECT_NEAR(outcome.jobs[0].flow_time(), 75, 1e-9);
}

TEST(Ideal, KnowsJobsThatComeOneByOneAndTheHorizon) {
  Scenario scenario = six_slots();
  scenario.jobs[0].count = 5;
  scenario.jobs[0].arrivals.one_by_one = true;
  scenario.horizon = 45;
  const Outcome outcome = run(scenario, 1);
  ASSERT_EQ(outcome.jobs.size(), 5u);
  EXPECT_NEAR(outcome.jobs[3].submitted, 30, 1e-9);
  EXPECT_NEAR(outcome.jobs[3].ended, 40, 1e-9);
  EXPECT_FALSE(outcome.jobs[4].has_ended());
}

// Attempts have no luck, and nodes are as slow as they are.
Scenario without_luck(std::uint64_t seed, bool has_deadlines) {
  Random random(seed, Purpose::Test, 1);
  Scenario scenario = test::scenario_without_luck(seed);
  for (JobGroup& group : scenario.jobs) {
    group.handling.kill_on_miss = false;
    group.handling.attempt_timeout = from_seconds(0);
    group.deadline.seconds = has_deadlines ? 5 + static_cast<double>(random.below(60)) : 0;
  }
  return scenario;
}

// They all come at once, so what is not known yet does not matter.
TEST(Ideal, IsNotExceededByAnyPolicyWhereAttemptsHaveNoLuck) {
  std::size_t of_bound = 0;
  std::size_t of_policies = 0;
  for (const auto& policy : scheduler::policies()) {
    for (std::uint64_t seed = 1; seed <= fewer_if_sanitized(30); ++seed) {
      SCOPED_TRACE(std::string(policy.name) + ", seed " + std::to_string(seed));
      Scenario scenario = without_luck(seed, true);
      for (JobGroup& group : scenario.jobs) group.handling.policy = policy.name;
      const Outcome tried = run(scenario, seed);
      scenario.yardstick = Yardstick::Ideal;
      const Outcome ideal = run(scenario, seed);
      ASSERT_EQ(ideal.jobs.size(), tried.jobs.size());
      EXPECT_LE(met(tried), met(ideal));
      scenario.yardstick = Yardstick::IdealWithLaunches;
      const Outcome launched = run(scenario, seed);
      EXPECT_LE(met(tried), met(launched));
      EXPECT_LE(met(launched), met(ideal));
      of_bound += met(ideal);
      of_policies += met(tried);
    }
  }
  EXPECT_GT(of_policies, of_bound / 3);  // or it would bound nothing
}

TEST(Ideal, IsNoSlowerThanAnyPolicyWhereNothingIsDue) {
  for (const auto& policy : scheduler::policies()) {
    for (std::uint64_t seed = 1; seed <= fewer_if_sanitized(30); ++seed) {
      SCOPED_TRACE(std::string(policy.name) + ", seed " + std::to_string(seed));
      Scenario scenario = without_luck(seed, false);
      for (JobGroup& group : scenario.jobs) {
        group.handling.policy = policy.name;
        group.arrivals.rate = 0.1;
      }
      const Outcome tried = run(scenario, seed);
      scenario.yardstick = Yardstick::Ideal;
      EXPECT_GE(flow_time(tried), flow_time(run(scenario, seed)));
    }
  }
}

// Whether these jobs of one cluster can all be in time, by earliest deadline first.
bool can_all(std::vector<JobGroup> jobs) {
  Scenario scenario = six_slots();
  scenario.jobs = std::move(jobs);
  return scenario.jobs.empty() || met(run(scenario, 1)) == scenario.jobs.size();
}

// Of all subsets the largest that can be in time. Earliest deadline first finds out, as nothing is given up then.
std::size_t most_in_time(const std::vector<JobGroup>& jobs) {
  std::size_t most = 0;
  for (std::uint32_t subset = 1; subset < 1u << jobs.size(); ++subset) {
    const auto size = static_cast<std::size_t>(std::popcount(subset));
    if (size <= most) continue;
    std::vector<JobGroup> chosen;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      if (subset >> job & 1) chosen.push_back(jobs[job]);
    }
    if (can_all(std::move(chosen))) most = size;
  }
  return most;
}

// docs/research/simulator.md has the share.
TEST(Ideal, SeldomMeetsFewerThanOneWhoKnowsWhatWillCome) {
  std::size_t ideal = 0;
  std::size_t foreseen = 0;
  for (std::uint64_t seed = 1; seed <= fewer_if_sanitized(500); ++seed) {
    Random random(seed, Purpose::Test, 2);
    std::vector<JobGroup> jobs;
    for (int job = 0; job < 7; ++job) {
      const double work = 1 + 10 * random.uniform() * random.uniform();
      jobs.push_back(job_of(work, 10 * random.uniform(), work * (1 + 3 * random.uniform())));
    }
    Scenario scenario = six_slots();
    scenario.jobs = jobs;
    const std::size_t met_now = met(run(scenario, 1));
    const std::size_t met_then = most_in_time(jobs);
    EXPECT_LE(met_now, met_then) << "seed " << seed;
    ideal += met_now;
    foreseen += met_then;
  }
  EXPECT_LT(ideal, foreseen);
  EXPECT_GT(ideal, foreseen * 97 / 100);
  std::printf("%zu instead of %zu\n", ideal, foreseen);
}

}  // namespace
}  // namespace ontime::lab
