#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "common/injection/injection.h"
#include "tests/injection/injections.h"

namespace ontime::injection {
namespace {

using namespace std::chrono_literals;

AttemptId attempt(std::uint32_t task, std::uint32_t number = 0, std::uint32_t job = 1) {
  return {{JobId{job}, task}, number};
}

DrawnFor drawn_for(AttemptId id, std::uint32_t tasks = 10, std::string_view node = "worker-1") {
  return {id, tasks, {1000, 3000}, node};
}

std::set<std::uint32_t> stragglers(const Injection& injection, std::uint32_t tasks, std::uint32_t job = 1) {
  std::set<std::uint32_t> chosen;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    if (is_straggler(injection, {JobId{job}, task}, tasks)) chosen.insert(task);
  }
  return chosen;
}

TEST(Draw, NothingInjectedIsNothingDrawn) { EXPECT_TRUE(draw({}, drawn_for(attempt(0))).is_none()); }

TEST(Draw, TheShareOfStragglersIsExactAndAtLeastOne) {
  Injection injection;
  injection.straggler = {0.1, 8};
  EXPECT_EQ(stragglers(injection, 10).size(), 1u);
  EXPECT_EQ(stragglers(injection, 11).size(), 2u);
  EXPECT_EQ(stragglers(injection, 3).size(), 1u);
  EXPECT_EQ(stragglers(injection, 1000).size(), 100u);
  injection.straggler = {0.07, 8};
  EXPECT_EQ(stragglers(injection, 100).size(), 7u);  // 0.07 * 100 > 7 in binary
  injection.straggler = {1, 8};
  EXPECT_EQ(stragglers(injection, 7).size(), 7u);
  injection.straggler = {1e-9, 8};
  EXPECT_EQ(stragglers(injection, 7).size(), 1u);
  injection.straggler = {0, 8};
  EXPECT_EQ(stragglers(injection, 7).size(), 0u);
}

TEST(Draw, StragglersDependOnSeedAndJobOnly) {
  Injection injection;
  injection.straggler = {0.2, 8};
  std::set<std::set<std::uint32_t>> choices;
  for (std::uint32_t job = 1; job <= 20; ++job) choices.insert(stragglers(injection, 30, job));
  for (injection.seed = 1; injection.seed <= 20; ++injection.seed) choices.insert(stragglers(injection, 30));
  EXPECT_EQ(choices.size(), 40u);
  EXPECT_EQ(stragglers(injection, 30), stragglers(injection, 30));
}

TEST(Draw, StragglersAreOriginalsOnly) {
  Injection injection;
  injection.pace = 2s;
  injection.straggler = {1, 8};
  EXPECT_DOUBLE_EQ(draw(injection, drawn_for(attempt(0))).bytes_per_second, 2000 / 16.0);
  EXPECT_DOUBLE_EQ(draw(injection, drawn_for(attempt(0, 1))).bytes_per_second, 2000 / 2.0);
  EXPECT_DOUBLE_EQ(draw(injection, drawn_for(attempt(0), 0)).bytes_per_second, 1000) << "tasks unknown";
}

TEST(Draw, WithoutAPaceTheFactorIsASlowDown) {
  Injection injection;
  injection.straggler = {1, 8};
  const Disturbance drawn = draw(injection, drawn_for(attempt(0)));
  EXPECT_EQ(drawn.bytes_per_second, 0);
  EXPECT_EQ(drawn.slowdown, 8);
}

TEST(Draw, AFreshAttemptDrawsItsOwnSlowDownAndTakesItToAnyNode) {
  Injection injection;
  injection.slowdown = Distribution::pareto(1, 1.5);
  std::set<double> factors;
  for (std::uint32_t number = 0; number < 100; ++number) {
    const double here = draw(injection, drawn_for(attempt(3, number))).slowdown;
    EXPECT_GE(here, 1);
    EXPECT_EQ(here, draw(injection, drawn_for(attempt(3, number), 10, "elsewhere")).slowdown);
    factors.insert(here);
  }
  EXPECT_GT(factors.size(), 98u);
}

TEST(Draw, AllFactorsMultiply) {
  Injection injection;
  injection.straggler = {1, 2};
  injection.slowdown = Distribution::constant(3);
  injection.nodes = {{"worker-*", 5}};
  injection.slow_nodes = {1, 7};
  EXPECT_EQ(draw(injection, drawn_for(attempt(0))).slowdown, 2 * 3 * 5 * 7);
}

TEST(Draw, TheLastNodeRuleThatMatchesCounts) {
  Injection injection;
  injection.nodes = {{"*", 2}, {"rack-*-a", 3}, {"rack-1-a", 4}, {"*b*c*", 5}};
  EXPECT_EQ(node_factor(injection, "other"), 2);
  EXPECT_EQ(node_factor(injection, ""), 2);
  EXPECT_EQ(node_factor(injection, "rack-2-a"), 3);
  EXPECT_EQ(node_factor(injection, "rack--a"), 3);
  EXPECT_EQ(node_factor(injection, "rack-a"), 2);
  EXPECT_EQ(node_factor(injection, "rack-1-a"), 4);
  EXPECT_EQ(node_factor(injection, "abbac"), 5);
  EXPECT_EQ(node_factor(injection, "acb"), 2);
}

TEST(Draw, SlowNodesAreAboutTheirShareAndStaySlow) {
  Injection injection;
  injection.slow_nodes = {0.2, 3};
  int slow = 0;
  for (int i = 0; i < 5000; ++i) {
    const double factor = node_factor(injection, "worker-" + std::to_string(i));
    EXPECT_TRUE(factor == 1 || factor == 3);
    slow += factor == 3 ? 1 : 0;
  }
  EXPECT_NEAR(slow, 1000, 120);
}

TEST(Draw, LaunchesVaryByAttempt) {
  Injection injection;
  injection.launch = Distribution::constant(2);
  EXPECT_EQ(draw(injection, drawn_for(attempt(0))).launch, 2s);
  injection.launch = Distribution::lognormal(2, 0.3);
  EXPECT_NE(draw(injection, drawn_for(attempt(0))).launch, draw(injection, drawn_for(attempt(0, 1))).launch);
  injection.launch = Distribution::pareto(3600, 0.1);
  for (std::uint32_t task = 0; task < 100; ++task)
    EXPECT_LE(draw(injection, drawn_for(attempt(task))).launch, kLaunchMax);
}

TEST(Draw, StartsVaryByAttemptAndTakeLongerWhereItIsSlow) {
  Injection injection;
  injection.start = Distribution::constant(3);
  injection.start_of = StartOf::Process;
  injection.reads_ahead = 4096;
  const Disturbance drawn = draw(injection, drawn_for(attempt(0)));
  EXPECT_EQ(drawn.start, 3s);
  EXPECT_EQ(drawn.start_of, StartOf::Process);
  EXPECT_EQ(drawn.reads_ahead, 4096u);
  injection.pace = 10s;
  injection.straggler = {1, 8};
  injection.nodes = {{"worker-1", 2}};
  EXPECT_EQ(draw(injection, drawn_for(attempt(0))).start, 48s);
  EXPECT_EQ(draw(injection, drawn_for(attempt(0, 1))).start, 6s) << "stragglers are originals only";
  injection.start = Distribution::lognormal(2, 0.3);
  EXPECT_NE(draw(injection, drawn_for(attempt(0, 1))).start, draw(injection, drawn_for(attempt(0, 2))).start);
  injection.start = Distribution::pareto(3600, 0.1);
  for (std::uint32_t task = 0; task < 100; ++task)
    EXPECT_LE(draw(injection, drawn_for(attempt(task))).start, kLaunchMax);
}

TEST(Draw, PausesComeWithTheirProbabilityAnywhere) {
  Injection injection;
  injection.pause_probability = 0.3;
  injection.pause = 10s;
  int pauses = 0;
  double places = 0;
  for (std::uint32_t task = 0; task < 5000; ++task) {
    const Disturbance drawn = draw(injection, drawn_for(attempt(task, 2)));
    if (drawn.is_none()) continue;
    EXPECT_EQ(drawn.pause, 10s);
    EXPECT_LT(drawn.pause_fraction, 1);
    places += drawn.pause_fraction;
    ++pauses;
  }
  EXPECT_NEAR(pauses, 1500, 150);
  EXPECT_NEAR(places / pauses, 0.5, 0.05);
}

TEST(Draw, AccidentsHappenToOriginalsAtTheirPlace) {
  Injection injection;
  injection.stall.places = {{3, std::uint64_t{500}}, {4, std::uint64_t{2000}}};
  injection.crash.places = {{3, 0.25}};
  const Disturbance drawn = draw(injection, drawn_for(attempt(3)));
  EXPECT_EQ(drawn.stall_at, 1500u);
  EXPECT_EQ(drawn.crash_at, 1500u);
  EXPECT_TRUE(draw(injection, drawn_for(attempt(3, 1))).is_none());
  EXPECT_TRUE(draw(injection, drawn_for(attempt(4))).is_none()) << "behind the end of the split";
  EXPECT_TRUE(draw(injection, drawn_for(attempt(5))).is_none());
}

TEST(Draw, AccidentsByProbabilityLieInTheSplit) {
  Injection injection;
  injection.crash.probability = 1;
  std::set<std::uint64_t> places;
  for (std::uint32_t task = 0; task < 1000; ++task) {
    const auto at = draw(injection, drawn_for(attempt(task))).crash_at;
    ASSERT_TRUE(at && *at >= 1000 && *at < 3000);
    places.insert(*at);
  }
  EXPECT_GT(places.size(), 700u);
}

// What a seed means must never change.
TEST(Draw, ASeedMeansTheSameForever) {
  Injection injection;
  injection.seed = 7;
  injection.straggler = {0.1, 8};
  injection.slowdown = Distribution::pareto(1, 1.5);
  EXPECT_EQ(stragglers(injection, 10), (std::set<std::uint32_t>{5}));
  EXPECT_DOUBLE_EQ(draw(injection, drawn_for(attempt(5, 1))).slowdown, 2.116437);
}

RC_GTEST_PROP(Draw, TheSameQuestionHasTheSameAnswerInAnyOrder, ()) {
  const Injection injection = test::any_injection();
  std::vector<AttemptId> ids;
  for (std::uint32_t i = 0; i < 20; ++i) ids.push_back(attempt(i % 7, i / 7, 1 + i % 2));
  std::map<AttemptId, Disturbance> first;
  for (const AttemptId id : ids) first[id] = draw(injection, drawn_for(id));
  std::reverse(ids.begin(), ids.end());
  for (const AttemptId id : ids) RC_ASSERT(draw(injection, drawn_for(id)) == first[id]);
}

}  // namespace
}  // namespace ontime::injection
