// The claim of split-resume: it makes deadlines that no policy of copies can make.
#include <gtest/gtest.h>

#include "lab/campaigns/division_scenario.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

Summary simulate(const std::string& policy, const std::string& world, double deadline, double load) {
  DivisionCase what;
  what.policy = policy;
  what.world = world;
  what.deadline = deadline;
  what.load = load;
  what.jobs = 40;
  const Result<Scenario> scenario = division_scenario(what);
  EXPECT_TRUE(scenario);
  const Outcome outcome = run(*scenario, 7);
  EXPECT_TRUE(outcome.broken.empty());
  return summarise(outcome.jobs);
}

class Division : public testing::TestWithParam<std::pair<double, double>> {};  // D in t_min, load

TEST_P(Division, MakesDeadlinesThatCopiesCannot) {
  const auto [deadline, load] = GetParam();
  EXPECT_LE(simulate("shed+", "pareto", deadline, load).pocd.value, 0.3);
  const Summary divided = simulate("split-resume", "pareto", deadline, load);
  EXPECT_GE(divided.pocd.value, 0.95);
  EXPECT_LT(divided.duplicated, 0.05);
}

INSTANTIATE_TEST_SUITE_P(, Division, testing::Values(std::pair{0.7, 0.4}, std::pair{0.7, 0.6}, std::pair{1.0, 0.4}));

TEST(DivisionAnywhere, MakesTightDeadlinesWhateverDurationsAreLike) {
  for (const std::string_view world : division_worlds()) {
    EXPECT_GE(simulate("split-resume", std::string(world), 1.2, 0.4).pocd.value, 0.95) << world;
  }
}

TEST(DivisionAnywhere, CostsLessMachineTimeThanDoingNothing) {
  const double alone = simulate("none", "pareto", 1.2, 0.4).machine_time.value;
  EXPECT_LT(simulate("split-resume", "pareto", 1.2, 0.4).machine_time.value, 0.9 * alone);
}

}  // namespace
}  // namespace ontime::lab
