// Nodes whose workers know when their machines end, as allocations of Slurm do: nothing that was mapped is lost.
#include <gtest/gtest.h>

#include <string>

#include "tests/lab/simulator/small_cluster.h"

namespace ontime::lab {
namespace {

// Four nodes of two slots that all end every two minutes and are back a second later; three jobs with deadlines.
Scenario allocations(Outage::Kind kind) {
  Scenario scenario = small_cluster();
  scenario.nodes = {{.count = 4, .slots = 2, .slowness = Distribution::constant(1)}};
  for (std::uint32_t end = 1; end <= 20; ++end) {
    for (std::uint32_t node = 0; node < 4; ++node) {
      scenario.outages.push_back({.kind = kind, .node = node, .at = 120.0 * end, .lasts = 1, .lead = 5});
    }
  }
  JobGroup& jobs = scenario.jobs[0];
  jobs.count = 3;
  jobs.size.tasks = Distribution::constant(10);
  jobs.times.duration = Distribution::uniform(60, 100);
  jobs.deadline.seconds = 900;
  jobs.handling.checkpoint_interval = from_seconds(20);
  return scenario;
}

struct Total {
  double mapped = 0;
  double input = 0;
  std::uint32_t on_time = 0;
};

Total total_of(const Scenario& scenario) {
  Total total;
  const Outcome outcome = run(scenario, 1);
  EXPECT_TRUE(outcome.broken.empty()) << outcome.broken.front();
  for (const JobOutcome& job : outcome.jobs) {
    EXPECT_EQ(job.state, scheduler::JobState::Succeeded);
    total.mapped += job.mapped_bytes;
    total.input += job.input_bytes;
    if (job.flow_time() <= job.deadline) ++total.on_time;
  }
  return total;
}

TEST(SimulatedTimeLimit, NothingIsMappedTwiceThoughAllNodesEndEveryTwoMinutes) {
  for (const char* policy : {"none", "split-resume", "hadoop"}) {
    Scenario scenario = allocations(Outage::Kind::TimeLimit);
    ASSERT_TRUE(choose_policy(scenario, *read_policy(policy)));
    const Total total = total_of(scenario);
    EXPECT_EQ(total.on_time, 3u) << policy;
    if (std::string(policy) == "hadoop") continue;  // its copies map what others map
    EXPECT_NEAR(total.mapped / total.input, 1, 1e-3) << policy;
  }
}

TEST(SimulatedTimeLimit, WithoutNoticeWhatWasNotSealedIsMappedAgain) {
  Scenario scenario = allocations(Outage::Kind::Crash);
  scenario.outages.resize(4);  // once: a job whose nodes die again and again fails
  ASSERT_TRUE(choose_policy(scenario, *read_policy("none")));
  const Total total = total_of(scenario);
  EXPECT_GT(total.mapped / total.input, 1.02);
}

}  // namespace
}  // namespace ontime::lab
