// The claim of split-resume: it makes deadlines that no policy of copies can make.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "lab/scenario/scenario_yaml.h"
#include "lab/simulator/simulator.h"
#include "lab/study/study.h"

namespace ontime::lab {
namespace {

const Study& study() {
  static const Study study = [] {
    std::ostringstream text;
    text << std::ifstream(ONTIME_SCENARIOS "/dividing-against-copying.yaml").rdbuf();
    return read_study(text.str()).value();
  }();
  return study;
}

// A smaller run of the study's point.
Summary simulate(const std::string& policy, const std::vector<std::string>& labels) {
  for (const PointOfAxes& place : places_of(study())) {
    if (place.labels != labels) continue;
    std::vector<Setting> settings = place.settings;
    settings.push_back({"jobs.0.count", YAML::Node(40), {}});
    const auto contender = std::find_if(study().policies.begin(), study().policies.end(),
                                        [&](const Contender& one) { return one.name == policy; });
    const auto scenario = scenario_of(study(), settings, filled_in(contender->run, settings));
    EXPECT_TRUE(scenario);
    const Outcome outcome = run(*scenario, 7);
    EXPECT_TRUE(outcome.broken.empty());
    return summarise(outcome.jobs);
  }
  ADD_FAILURE() << "the study has no such point";
  return {};
}

class Division : public testing::TestWithParam<std::pair<const char*, const char*>> {};  // D in t_min, load

TEST_P(Division, MakesDeadlinesThatCopiesCannot) {
  const auto [deadline, load] = GetParam();
  EXPECT_LE(simulate("shed+", {"pareto", load, deadline}).pocd.value, 0.3);
  const Summary divided = simulate("split-resume", {"pareto", load, deadline});
  EXPECT_GE(divided.pocd.value, 0.95);
  EXPECT_LT(divided.duplicated, 0.05);
}

INSTANTIATE_TEST_SUITE_P(, Division,
                         testing::Values(std::pair{"0.7", "0.4"}, std::pair{"0.7", "0.6"}, std::pair{"1.0", "0.4"}));

TEST(DivisionAnywhere, MakesTightDeadlinesWhateverDurationsAreLike) {
  for (const AxisValue& durations : study().axes.front().values) {
    EXPECT_GE(simulate("split-resume", {durations.label, "0.4", "1.2"}).pocd.value, 0.95) << durations.label;
  }
}

// Nobody knows what they take before they run, and by the time a tenth of each is mapped it is too late to divide them.
TEST(DivisionAnywhere, MakesADeadlineThatNoTaskOfANewJobWouldMake) {
  const auto scenario = read_scenario(R"(
nodes: [{count: 75, slots: 2}]
launch: {lognormal: [2s, 0.3]}
keeps_runners: yes
heartbeat: 1s
node_timeout: 30s
jobs: [{count: 1, tasks: 90, duration: {lognormal: [60s, 0.03]}, deadline: 42s, policy: "split-resume:fit=auto"}]
)");
  ASSERT_TRUE(scenario) << scenario.error().message;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) EXPECT_TRUE(run(*scenario, seed).jobs[0].met()) << seed;
}

double flow_time_of(const std::string& slots, const std::string& job) {
  const auto scenario =
      read_scenario("nodes: [{count: " + slots + ", slots: 1}]\nkeeps_runners: yes\nheartbeat: 1s\njobs: [{count: 1, " +
                    job + ", policy: auto}]\n");
  if (!scenario) ADD_FAILURE() << scenario.error().message;
  return scenario ? run(*scenario, 1).jobs[0].flow_time() : 0;
}

TEST(DivisionAnywhere, MoreFreeSlotsMakeAJobWithoutADeadlineNoSlower) {
  for (const std::string job :
       {"tasks: 10, duration: {lognormal: [600s, 0.3]}", "tasks: 10, duration: {lognormal: [180s, 0.3]}",
        "tasks: 2, duration: {pareto: [1000s, 3]}, history: 100"})
    EXPECT_LE(flow_time_of("500", job), 1.2 * flow_time_of("100", job)) << job;
}

TEST(DivisionAnywhere, MakesDeadlinesForWhichATaskNeedsMostOfTheSlots) {
  EXPECT_LE(flow_time_of("100", "tasks: 1, duration: {pareto: [1000s, 3]}, history: 100, deadline: 30s"), 30);
}

// Nothing was known of it while there was time. Then it goes on as a job without a deadline.
TEST(DivisionAnywhere, DividesWhatHasMissedItsDeadlineHoweverPoorTheOddsOfManyPiecesAre) {
  EXPECT_LE(flow_time_of("100", "tasks: 1, duration: {pareto: [1000s, 3]}, deadline: 30s"), 300);
}

// The mean of three runs; 0 if the scenario cannot be read.
double pocd_of_three(const Result<Scenario>& scenario) {
  if (!scenario) ADD_FAILURE() << scenario.error().message;
  double met = 0;
  for (std::uint64_t seed = 1; scenario && seed <= 3; ++seed) met += summarise(run(*scenario, seed).jobs).pocd.value;
  return met / 3;
}

// A rest is often launched a moment before the attempt that it was taken from ends. A launch takes a minute there.
TEST(DivisionAnywhere, WaitsForItsOwnProcessesWhereLaunchesAreDear) {
  const auto scenario = read_scenario(R"(
nodes: [{count: 100, slots: 1}]
launch: 60s
keeps_runners: yes
heartbeat: 1s
node_timeout: 30s
jobs:
  - count: 100
    tasks: 10
    arrivals: {load: 0.8}
    duration: {pareto: [120s, 1.5]}
    deadline: 240s
    policy: "split-resume:t_min=120s,beta=1.5,t_avg=60s,fit=flags"
)");
  EXPECT_GE(pocd_of_three(scenario), 0.9);
}

// The testbed of Shed+ under heavy load, sixty times as fast. What is injected as a launch takes its time in a process
// that is kept too: there is nothing to wait for, and to begin again elsewhere costs as much each time.
TEST(DivisionAnywhere, DoesNotTakeLaunchesForFreeWhereProcessesAreKept) {
  const auto scenario = read_scenario(R"(
nodes: [{count: 138, slots: 1}]
injection: {pace: 2s, slowdown: "pareto:1.5", launch: 1s}
jobs:
  - count: 100
    tasks: 10
    arrivals: {load: 0.8}
    deadline: 7.4s
    policy: split-resume
)");
  EXPECT_GE(pocd_of_three(scenario), 0.98);
}

TEST(DivisionAnywhere, CostsLessMachineTimeThanDoingNothing) {
  const double alone = simulate("none", {"pareto", "0.4", "1.2"}).machine_time.value;
  EXPECT_LT(simulate("split-resume", {"pareto", "0.4", "1.2"}).machine_time.value, 0.9 * alone);
}

}  // namespace
}  // namespace ontime::lab
