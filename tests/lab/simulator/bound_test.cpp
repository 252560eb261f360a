// The bound: against everything that policies could do where that can be tried, and against those that there are.
#include "lab/simulator/bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "lab/scenario/purpose.h"
#include "lab/simulator/in_time.h"
#include "lab/simulator/least_cost.h"
#include "scheduler/policies/policy.h"
#include "tests/lab/simulator/optimal_policy.h"
#include "tests/lab/simulator/random_scenario.h"
#include "tests/lab/simulator/small_cluster.h"
#include "tests/support/sanitized.h"

namespace ontime::lab {
namespace {

using ontime::lab::test::OptimalPolicy;
using ontime::lab::test::SmallJob;
using ontime::test::fewer_if_sanitized;

// A Wald interval of four standard deviations for a share, and a little more where it is none or all.
double margin(double share, std::uint32_t of) { return 4 * std::sqrt(std::max(share * (1 - share), 1.0 / of) / of); }

double cost_of(const WorkOfJob& work, const AttemptLaw& law, std::uint64_t seed = 1) {
  Random random(seed, Purpose::Test, 7);
  return least_cost(work, law, {}, kForEver, [&] { return random.uniform(); });
}

AttemptLaw law_of(std::vector<double> times, double launch) {
  AttemptLaw law{.time = {}, .least = *std::ranges::min_element(times), .launch = {.least = launch}};
  law.time = [times, next = std::size_t{0}]() mutable { return times[next++ % times.size()]; };
  return law;
}

TEST(LeastCost, EndsWhatIsSlowWhereLaunchesCostLess) {
  EXPECT_NEAR(cost_of({.work = 1}, law_of({10, 4, 5}, 1)), 6, 1e-4);   // two launches and the second attempt
  EXPECT_NEAR(cost_of({.work = 1}, law_of({10, 4, 5}, 7)), 17, 1e-4);  // the first, whatever it is
  EXPECT_NEAR(cost_of({.work = 2}, law_of({10, 4, 5}, 1)), 12, 1e-4);
  EXPECT_NEAR(cost_of({.work = 1.5}, law_of({10, 4, 5}, 1)), 9.5, 1e-4);  // half of the third
  EXPECT_EQ(cost_of({.work = 3}, law_of({10, 4, 5}, 0)), 12);             // as if all were the fastest
}

TEST(LeastCost, KnowsThatRecordsAreWholeAndAttemptsEnd) {
  WorkOfJob job{.work = 1, .longest = 1, .record = 0.5, .deadline = 8};
  EXPECT_NEAR(cost_of(job, law_of({10}, 2)), 14, 1e-4);  // 6 s are enough for one record an attempt
  job.deadline = 6.9;
  EXPECT_EQ(cost_of(job, law_of({10}, 2)), kForEver);  // and 4.9 s for none
  job.record = 0;
  EXPECT_NEAR(cost_of(job, law_of({10}, 2)), 16, 1e-4);  // of a task that could be cut anywhere: three attempts
  job = {.work = 1, .longest = 0.25};
  EXPECT_NEAR(cost_of(job, law_of({10}, 2)), 18, 1e-4);
}

TEST(LeastCost, PaysAKeptProcessOnce) {
  const auto kept = [](std::vector<double> times) {
    AttemptLaw law = law_of(std::move(times), 3);
    law.keeps_processes = true;
    return law;
  };
  // 3 of launch. The first attempt maps a record of 2.5 s, which is less than a launch, and is cut.
  EXPECT_NEAR(cost_of({.work = 1, .longest = 1, .record = 0.25}, kept({10, 4, 4})), 3 + 2.5 + 3, 1e-4);
  // Where a task is one record, the first attempt is ended, and its process with it.
  EXPECT_NEAR(cost_of({.work = 1, .longest = 1, .record = 1}, kept({10, 4, 4})), 3 + 3 + 4, 1e-4);
  // In 5 s a process maps for 2 s.
  EXPECT_NEAR(cost_of({.work = 2, .longest = 1, .record = 0.01, .deadline = 5}, kept({4})), 8 + 4 * 3, 1e-4);
}

// P(T <= c) / (E[T; T <= c] + launch) at the best c, where all that is known is the law of T.
TEST(LeastCost, ComesToTheBestRateOfThoseThatDrawAgain) {
  const double t_min = 10, beta = 1.5, launch = 2;
  double best = 0;
  for (double c = t_min * 1.001; c < 1000; c *= 1.001) {
    const double survival = std::pow(t_min / c, beta);
    const double time = beta / (beta - 1) * (t_min - c * survival);  // E[T; T <= c]
    best = std::max(best, (1 - survival) / (time + launch));
  }
  const Distribution pareto = Distribution::pareto(t_min, beta);
  Random random(1, Purpose::Test, 3);
  AttemptLaw law{.time = [&] { return pareto.sample(random); }, .least = t_min, .launch = {.least = launch}};
  EXPECT_NEAR(cost_of({.work = 20000}, law) / 20000 * best, 1, 0.01);
  // At the mean speed of attempts, beta / (beta + 1) / t_min, it would take longer, without any launch.
  EXPECT_LT(cost_of({.work = 20000}, law) / 20000, t_min * (beta + 1) / beta);
}

TEST(LeastCost, CountsOnlyWhatNoPolicyCanSaveOfALaunch) {
  EXPECT_EQ(launch_law_of(Distribution::constant(3)).least, 3);
  EXPECT_EQ(launch_law_of(Distribution::constant(3)).hazard, kForEver);
  const LaunchLaw exponential = launch_law_of(Distribution::shifted_exponential(1, 3));
  EXPECT_NEAR(exponential.least + 1 / exponential.hazard, 3,
              1e-9);  // one that has lasted is no better than a fresh one
  const LaunchLaw pareto = launch_law_of(Distribution::pareto(2, 4));
  EXPECT_NEAR(pareto.least + 1 / pareto.hazard, 2.5, 1e-9);  // one that has lasted is worse
  const LaunchLaw lognormal = launch_law_of(Distribution::lognormal(1.5, 0.4));
  EXPECT_EQ(lognormal.least, 0);
  for (double x = 0.01; x < 60; x *= 1.01) {  // P(X > x + 0.01) / P(X > x), by numbers
    const auto survival = [](double at) { return std::erfc(std::log(at / 1.5) / 0.4 / std::sqrt(2)) / 2; };
    if (survival(x) < 1e-200) break;
    EXPECT_GE(survival(x + 1e-4) / survival(x), std::exp(-lognormal.hazard * 1e-4) * (1 - 1e-9)) << x;
  }
}

// How often the least cost is no more than what the slots have.
double bound_of(const SmallJob& job, std::uint32_t draws) {
  std::uint32_t met = 0;
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    Random random(draw, Purpose::Test, 9);
    AttemptLaw law{.time = {}, .least = kForEver, .launch = {.least = static_cast<double>(job.launch)}};
    for (const auto per_record : job.per_record) law.least = std::min<double>(law.least, per_record * job.per_attempt);
    law.time = [&] {
      return static_cast<double>(job.per_record[random.below(job.per_record.size())] * job.per_attempt);
    };
    const WorkOfJob work{.work = static_cast<double>(job.records) / job.per_attempt,
                         .record = 1.0 / job.per_attempt,
                         .deadline = static_cast<double>(job.deadline)};
    const double cost = least_cost(work, law, {}, kForEver, [&] { return random.uniform(); });
    met += cost <= job.slots * job.deadline * (1 + 1e-9) ? 1 : 0;
  }
  return static_cast<double>(met) / draws;
}

SmallJob small_job(std::uint64_t seed) {
  Random random(seed, Purpose::Test, 11);
  const auto pick = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random.below(bound)); };
  SmallJob job{.slots = 1 + pick(3), .records = 1 + pick(4), .per_attempt = 1 + pick(3), .launch = pick(3)};
  job.per_record.clear();
  for (std::uint32_t i = 2 + pick(2); i > 0; --i) job.per_record.push_back(1 + pick(5));
  const std::uint32_t least = job.launch + *std::ranges::min_element(job.per_record);
  job.deadline = std::min(10u, least + pick(6));
  return job;
}

TEST(Bound, IsNotExceededByAPolicyThatTriesEverything) {
  const std::uint32_t draws = fewer_if_sanitized(4000);
  double sum = 0, of_best = 0;
  std::uint32_t between = 0;
  for (std::uint64_t seed = 1; seed <= fewer_if_sanitized(120); ++seed) {
    const SmallJob job = small_job(seed);
    const double best = OptimalPolicy(job).pocd();
    const double bound = bound_of(job, draws);
    EXPECT_GE(bound + margin(bound, draws), best) << "seed " << seed;
    between += bound < 1 && best > 0 ? 1 : 0;
    sum += bound;
    of_best += best;
  }
  EXPECT_GT(between, fewer_if_sanitized(120) / 10);  // cases that tell something
  EXPECT_GT(of_best, 0.7 * sum);                     // or it would bound nothing
  std::printf("optimal %.3f, bound %.3f in the mean, %u cases between 0 and 1\n", of_best, sum, between);
}

constexpr double kUnit = 20;  // seconds: long beside messages and heartbeats

// One job of tasks of as many records as an attempt can map.
Scenario scenario_of(const SmallJob& job) {
  Scenario scenario;
  scenario.nodes = {{.count = job.slots, .slots = 1}};
  scenario.launch = Distribution::constant(job.launch * kUnit);
  scenario.network_delay = Distribution::constant(0);
  scenario.heartbeat = 0.5;
  scenario.node_timeout = 30;
  JobGroup& group = scenario.jobs[0];
  group.size.tasks = Distribution::constant(job.records / job.per_attempt);
  group.size.record_bytes = 1000;
  group.size.split_bytes = 1000 * job.per_attempt;
  std::vector<double> times;
  for (const auto per_record : job.per_record) times.push_back(per_record * job.per_attempt * kUnit);
  group.times.duration = Distribution::empirical(times);
  group.deadline.seconds = job.deadline * kUnit;
  group.known.history = 100;
  return scenario;
}

double pocd_of(const Scenario& scenario, std::uint32_t runs) {
  std::uint32_t met = 0;
  for (std::uint32_t seed = 1; seed <= runs; ++seed) met += run(scenario, seed).jobs.at(0).met() ? 1 : 0;
  return static_cast<double>(met) / runs;
}

TEST(Bound, IsAboveTheOptimalPolicyWhichIsAboveThoseThatThereAre) {
  const std::uint32_t runs = fewer_if_sanitized(300);
  const std::vector<SmallJob> jobs{
      {.slots = 1, .records = 6, .per_attempt = 6, .launch = 1, .per_record = {1, 1, 4}, .deadline = 11},
      {.slots = 2, .records = 6, .per_attempt = 6, .launch = 1, .per_record = {1, 2, 6}, .deadline = 8},
      {.slots = 3, .records = 6, .per_attempt = 3, .launch = 1, .per_record = {1, 2, 6}, .deadline = 7}};
  double of_best_policies = 0, of_optimal = 0;
  for (const SmallJob& job : jobs) {
    const double best = OptimalPolicy(job).pocd();
    Scenario scenario = scenario_of(job);
    scenario.yardstick = Yardstick::Bound;
    const double bound = pocd_of(scenario, 4 * runs);
    EXPECT_GE(bound + margin(bound, 4 * runs), best);
    EXPECT_GT(best, 0);
    scenario.yardstick = Yardstick::ClairvoyantBound;
    EXPECT_GE(pocd_of(scenario, runs), bound - margin(bound, runs));
    scenario.yardstick = Yardstick::None;
    std::printf("optimal %.3f, bound %.3f:", best, bound);
    double most = 0;
    for (const char* policy : {"none", "hadoop", "mantri", "shed+", "split-resume"}) {
      scenario.jobs[0].handling.policy = policy;
      const double tried = pocd_of(scenario, runs);
      EXPECT_LE(tried, best + margin(best, runs)) << policy;
      std::printf(" %s %.3f", policy, tried);
      most = std::max(most, tried);
    }
    std::printf("\n");
    of_best_policies += most;
    of_optimal += best;
  }
  EXPECT_GT(of_best_policies, 0.4 * of_optimal);  // with records that are so long no policy comes near
}

// Whether all of them can be: earliest deadline first finds out (W. Horn, "Some simple scheduling algorithms", 1974).
bool can_all(const std::vector<Demand>& demands) {
  std::vector<double> left;
  for (const Demand& demand : demands) left.push_back(demand.work);
  std::vector<double> instants;
  for (const Demand& demand : demands) instants.insert(instants.end(), {demand.from, demand.to});
  std::ranges::sort(instants);
  for (std::size_t i = 0; i + 1 < instants.size(); ++i) {
    for (double now = instants[i]; now < instants[i + 1];) {
      std::size_t first = demands.size();
      for (std::size_t d = 0; d < demands.size(); ++d) {
        const bool is_open = demands[d].from <= now && left[d] > 0;
        if (is_open && (first == demands.size() || demands[d].to < demands[first].to)) first = d;
      }
      if (first == demands.size()) break;
      const double worked = std::min(left[first], instants[i + 1] - now);
      left[first] = left[first] - worked < 1e-12 ? 0 : left[first] - worked;
      now += worked;
      if (left[first] == 0 && now > demands[first].to * (1 + 1e-12)) return false;
    }
  }
  return std::ranges::all_of(left, [](double one) { return one == 0; });
}

std::size_t most_of_all_subsets(const std::vector<Demand>& demands) {
  std::size_t most = 0;
  for (std::uint32_t subset = 1; subset < 1u << demands.size(); ++subset) {
    const auto size = static_cast<std::size_t>(std::popcount(subset));
    std::vector<Demand> chosen;
    for (std::size_t d = 0; d < demands.size(); ++d) {
      if ((subset >> d & 1) != 0) chosen.push_back(demands[d]);
    }
    if (size > most && can_all(chosen)) most = size;
  }
  return most;
}

TEST(InTime, CountsNoFewerThanTheBestOfAllSubsetsAndSeldomMore) {
  std::size_t count_sum = 0, most = 0, demanded = 0;
  for (std::uint64_t seed = 1; seed <= fewer_if_sanitized(400); ++seed) {
    Random random(seed, Purpose::Test, 2);
    std::vector<Demand> demands;
    for (std::uint64_t d = 0; d < 7; ++d) {
      const double work = 1 + 10 * random.uniform() * random.uniform();
      const double from = 15 * random.uniform();
      demands.push_back({from, from + work * (0.9 + 2 * random.uniform()), work});
    }
    const auto in_time = most_in_time(demands);
    const auto count = static_cast<std::size_t>(std::ranges::count(in_time, true));
    const std::size_t best = most_of_all_subsets(demands);
    EXPECT_GE(count, best) << "seed " << seed;
    count_sum += count;
    most += best;
    demanded += demands.size();
  }
  EXPECT_LT(most, demanded * 9 / 10);
  EXPECT_LT(count_sum, most * 105 / 100);
  std::printf("%zu instead of %zu, of %zu\n", count_sum, most, demanded);
}

TEST(InTime, CountsManyThatComeTogetherInParts) {
  std::vector<Demand> demands;
  for (int d = 0; d < 1200; ++d) demands.push_back({d * 0.5, d * 0.5 + 10, 1});  // twice what can be done
  const auto in_time = most_in_time(demands);
  const auto count = static_cast<std::size_t>(std::ranges::count(in_time, true));
  EXPECT_GE(count, 600u);
  EXPECT_LE(count, 600u + 3 * 10);
}

TEST(InTime, ServesTheShortestFirst) {
  const auto ends = shortest_first({{0, kForEver, 50}, {10, kForEver, 20}, {20, kForEver, 5}, {200, kForEver, 1}});
  EXPECT_EQ(ends, (std::vector<double>{75, 35, 25, 201}));
}

std::size_t counted(const Outcome& outcome) {
  return static_cast<std::size_t>(std::ranges::count_if(outcome.jobs, &JobOutcome::met));
}

// On whatever nodes, with regions that are dear, but with no luck: then it holds for each run, and not in the mean
// alone.
TEST(Bound, IsNotExceededInAnyRunWhereAttemptsHaveNoLuck) {
  std::size_t of_policies = 0, of_bound = 0;
  for (const auto& policy : scheduler::policies()) {
    for (std::uint64_t seed = 1; seed <= fewer_if_sanitized(40); ++seed) {
      SCOPED_TRACE(std::string(policy.name) + ", seed " + std::to_string(seed));
      Scenario scenario = test::scenario_without_luck(seed);
      for (JobGroup& group : scenario.jobs) group.handling.policy = policy.name;
      const std::size_t tried = counted(run(scenario, seed));
      scenario.yardstick = Yardstick::Bound;
      const std::size_t bound = counted(run(scenario, seed));
      EXPECT_LE(tried, bound);
      scenario.yardstick = Yardstick::ClairvoyantBound;
      EXPECT_LE(bound, counted(run(scenario, seed)));
      of_policies += tried;
      of_bound += bound;
    }
  }
  EXPECT_GT(of_policies, of_bound / 3);
  std::printf("met by policies %zu, at most %zu\n", of_policies, of_bound);
}

TEST(Bound, IsNoDearerAndNoSlowerThanAnyPolicy) {
  for (const auto& policy : scheduler::policies()) {
    Scenario scenario;
    scenario.nodes = {{.count = 6, .slots = 1}};
    scenario.jobs[0].count = 60;
    scenario.jobs[0].arrivals.load = 0.5;
    scenario.jobs[0].handling.policy = policy.name;
    scenario.jobs[0].deadline.seconds = 40;
    const Summary tried = summarise(run(scenario, 1).jobs);
    scenario.yardstick = Yardstick::Bound;
    const Summary bound = summarise(run(scenario, 1).jobs);
    EXPECT_GE(tried.machine_time.value, bound.machine_time.value) << policy.name;
    EXPECT_GE(tried.flow_time.value, bound.flow_time.value) << policy.name;
    EXPECT_LE(tried.pocd.value, bound.pocd.value) << policy.name;
    EXPECT_GT(bound.machine_time.value, 0.5 * tried.machine_time.value * 0.3) << policy.name;
  }
}

// 1,300 tasks on 90 slots: at the mean speed of attempts 2,320 s are needed, and a policy that draws again takes less.
TEST(Bound, IsNotBeatenByAPolicyThatDrawsAgain) {
  Scenario scenario;
  scenario.nodes = {{.count = 90, .slots = 1}};
  scenario.launch = Distribution::constant(2.5);
  scenario.keeps_runners = true;
  JobGroup& group = scenario.jobs[0];
  group.size.tasks = Distribution::constant(1300);
  group.times.duration = Distribution::pareto(100, 1.65);
  group.deadline.seconds = 2100;
  group.handling.policy = "split-resume";
  EXPECT_EQ(counted(run(scenario, 1)), 1u);
  scenario.yardstick = Yardstick::IdealWithLaunches;
  EXPECT_EQ(counted(run(scenario, 1)), 0u);
  scenario.yardstick = Yardstick::Bound;
  EXPECT_EQ(counted(run(scenario, 1)), 1u);
  scenario.jobs[0].deadline.seconds = 1440;  // 1300 * 100 / 90 = 1,444 s
  EXPECT_EQ(counted(run(scenario, 1)), 0u);
}

}  // namespace
}  // namespace ontime::lab
