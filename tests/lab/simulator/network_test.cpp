// Messages that take differently long, packets that get lost, connections that break.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lab/simulator/simulator.h"
#include "lab/simulator/wire.h"
#include "tests/lab/simulator/small_cluster.h"

namespace ontime::lab {
namespace {

Scenario small() {
  Scenario scenario = small_cluster();
  scenario.jobs[0].count = 3;
  scenario.jobs[0].handling.checkpoint_interval = from_seconds(2);
  return scenario;
}

TimePoint at(double seconds) { return TimePoint(from_seconds(seconds)); }

TEST(Wire, KeepsTheOrderWithinAConnectionAndNotAcrossConnections) {
  Scenario scenario = small();
  scenario.network_delay = Distribution::uniform(0, 1);
  scenario.network.loss = 0.2;
  Wire wire(scenario, 1);
  TimePoint last;
  bool has_overtaken = false;
  for (int i = 0; i < 1000; ++i) {
    const Passage one = wire.send(0, Direction::ToMaster, at(0.01 * i));
    const Passage other = wire.send(1, Direction::ToMaster, at(0.01 * i + 0.005));
    ASSERT_TRUE(one.arrives && other.arrives);
    EXPECT_GE(*one.arrives, last);
    EXPECT_GE(*one.arrives, at(0.01 * i));
    last = *one.arrives;
    has_overtaken = has_overtaken || *other.arrives < *one.arrives;
  }
  EXPECT_TRUE(has_overtaken);
}

TEST(Wire, ALostPacketIsSentAgainAfterATimeOutThatDoubles) {
  Scenario scenario = small();
  scenario.network.loss = 0.5;
  scenario.network.retransmit = 1;
  scenario.network.give_up = 1e6;
  Wire wire(scenario, 3);
  std::vector<int> lost(20);
  for (int i = 0; i < 4000; ++i) {
    wire.connect(0);
    const double waited = seconds(wire.send(0, Direction::ToNode, at(0)).arrives.value() - at(0.001));
    int times = 0;
    while ((1 << times) - 1 < waited - 1e-6) ++times;
    EXPECT_NEAR(waited, (1 << times) - 1, 1e-6);
    ++lost[static_cast<std::size_t>(times)];
  }
  EXPECT_NEAR(lost[0], 2000, 150);
  EXPECT_NEAR(lost[1], 1000, 120);
  EXPECT_NEAR(lost[3], 250, 70);
}

TEST(Wire, NothingComesBehindAPacketThatIsGivenUpUntilItConnectsAnew) {
  Scenario scenario = small();
  scenario.network.loss = 0.9;
  scenario.network.give_up = 0.5;  // a packet that is lost twice
  Wire wire(scenario, 1);
  Passage passage;
  double now = 0;
  while (!passage.breaks) passage = wire.send(0, Direction::ToMaster, at(now += 1));
  EXPECT_EQ(*passage.breaks, at(now + 0.5));
  EXPECT_FALSE(passage.arrives);
  for (int i = 0; i < 20; ++i) {
    const Passage behind = wire.send(0, Direction::ToMaster, at(now + 0.01 * i));
    EXPECT_FALSE(behind.arrives || behind.breaks);
  }
  wire.connect(0);
  passage = wire.send(0, Direction::ToMaster, at(now + 1));
  EXPECT_TRUE(passage.arrives || passage.breaks);
}

TEST(Network, WithoutLossAndWithOneDelayNothingIsDifferent) {
  Scenario scenario = small();
  scenario.outages = {{.kind = Outage::Kind::Partition, .node = 1, .at = 9, .lasts = 1.5}};
  const std::string log = log_of(scenario, 4);
  scenario.network.retransmit = 7;
  scenario.network.give_up = 8;
  EXPECT_EQ(log_of(scenario, 4), log);
  scenario.network_delay = Distribution::uniform(0.001, 0.001);  // drawn for each message
  EXPECT_EQ(log_of(scenario, 4), log);
  scenario.network.loss = 1e-12;
  EXPECT_EQ(log_of(scenario, 4), log);
}

TEST(Network, TheSameSeedLosesTheSamePackets) {
  Scenario scenario = small();
  scenario.network_delay = Distribution::lognormal(0.01, 1);
  scenario.network.loss = 0.05;
  const std::string log = log_of(scenario, 4);
  EXPECT_EQ(log_of(scenario, 4), log);
  EXPECT_NE(log_of(scenario, 5), log);
}

// Connections break again and again, but no node is given up: each report arrives, none of the work is done twice.
TEST(Network, BrokenConnectionsLoseNoReport) {
  Scenario scenario = small();
  scenario.jobs[0].times.duration = Distribution::constant(20);
  scenario.heartbeat = 0.5;
  scenario.node_timeout = 1e5;
  scenario.network.loss = 0.2;
  scenario.network.give_up = 0.5;
  std::size_t registrations = 0;
  const Observer observer{[&](std::string_view line) { registrations += line.find("< node_registered") != line.npos; }};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Outcome outcome = run(scenario, seed, observer);
    ASSERT_TRUE(outcome.broken.empty()) << outcome.broken.front();
    for (const JobOutcome& job : outcome.jobs) {
      EXPECT_EQ(job.state, scheduler::JobState::Succeeded) << seed;
      EXPECT_NEAR(job.mapped_bytes, job.input_bytes, 1) << seed;
    }
  }
  EXPECT_GT(registrations, 20u * 3 * 5);
}

TEST(Network, LossMakesJobsLaterAndLosesNone) {
  Scenario scenario = small();
  scenario.jobs[0].times.duration = Distribution::constant(20);
  const auto mean_time = [&](double loss) {
    scenario.network.loss = loss;
    return summarise(run(scenario, 2).jobs).flow_time.value;
  };
  const double without = mean_time(0);
  EXPECT_GT(mean_time(0.3), without + 0.2);
}

}  // namespace
}  // namespace ontime::lab
