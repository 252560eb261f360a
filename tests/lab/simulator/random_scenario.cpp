#include "tests/lab/simulator/random_scenario.h"

#include <algorithm>
#include <array>
#include <limits>

#include "lab/scenario/purpose.h"

namespace ontime::lab::test {
namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed, Purpose::Test) {}

  Scenario make(bool faults) {
    Scenario scenario;
    scenario.check_invariants = true;
    scenario.horizon = 1e7;
    scenario.nodes = {{.count = 1 + pick(5), .slots = 1 + pick(3), .slowness = Distribution::constant(1)},
                      {.count = pick(3), .slots = 1 + pick(2), .slowness = Distribution::uniform(1, 4)}};
    const std::uint32_t groups = 1 + pick(2);
    scenario.jobs.clear();
    for (std::uint32_t i = 0; i < groups; ++i) scenario.jobs.push_back(jobs());
    const std::array<Distribution, 3> launches{Distribution::constant(1), Distribution::uniform(0, 3), Distribution()};
    scenario.launch = launches[pick(3)];
    const double delay = pick(4) == 0 ? 0 : 0.001 * (1 + pick(200));
    scenario.network_delay = Distribution::constant(delay);
    scenario.heartbeat = 0.3 + 0.1 * pick(20);
    scenario.node_timeout = 3 * scenario.heartbeat + 1;
    scenario.cut_timeout = 0.2 + 2 * delay + pick(4);
    if (pick(3) == 0) scenario.speed_changes_every = 5;
    if (pick(3) == 0) scenario.node_correlation = 0.5;
    if (faults) add_faults(scenario);
    add_network(scenario, faults);
    add_disks(scenario, faults);
    return scenario;
  }

 private:
  std::uint32_t pick(std::uint32_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }

  JobGroup jobs() {
    JobGroup group;
    group.count = 1 + pick(3);
    group.size.tasks = Distribution::constant(1 + pick(12));
    group.size.split_bytes = 1000 + pick(2) * 24'000'001;
    group.size.record_bytes = 1 + pick(900);
    const std::array<Distribution, 4> durations{Distribution::pareto(4, 1.2), Distribution::lognormal(8, 0.8),
                                                Distribution::constant(6),
                                                Distribution::empirical({3, 4, 4, 5, 6, 9, 30})};
    group.times.duration = durations[pick(4)];
    group.deadline.seconds = pick(5) == 0 ? 0 : 8 + pick(40);
    group.handling.kill_on_miss = pick(6) == 0;
    if (pick(2) == 0) group.handling.checkpoint_interval = from_seconds(pick(3));
    if (pick(3) == 0) group.arrivals.one_by_one = true;
    if (pick(3) == 0) group.arrivals.rate = 0.1;
    if (pick(5) == 0) group.handling.attempt_timeout = from_seconds(60);
    if (pick(4) == 0) {
      group.times.skew.begins = Distribution::uniform(0, 1);
      group.times.skew.slowness = Distribution::lognormal(1, 1);
    }
    return group;
  }

  void add_faults(Scenario& scenario) {
    const std::uint32_t nodes = scenario.nodes[0].count + scenario.nodes[1].count;
    for (std::uint32_t i = pick(6); i > 0; --i) {
      Outage outage;
      outage.node = pick(nodes);
      outage.kind = pick(2) == 0 ? Outage::Kind::Crash : Outage::Kind::Partition;
      outage.at = 40 * random_.uniform();
      const bool is_for_ever = outage.node != 0 && pick(3) == 0;
      outage.lasts = is_for_ever ? kForEver : 15 * random_.uniform() * random_.uniform();
      scenario.outages.push_back(outage);
    }
    if (pick(3) == 0) scenario.crash_probability = 0.1;
  }

  // Delays that differ from message to message are no fault, packets that get lost are one.
  void add_network(Scenario& scenario, bool faults) {
    if (pick(3) == 0) scenario.network_delay = Distribution::uniform(0, 0.1);
    if (!faults || pick(3) != 0) return;
    scenario.network_delay = Distribution::lognormal(0.01, 1);
    scenario.network.loss = 0.01 * (1 + pick(15));
    scenario.network.give_up = 0.5 + pick(4);
  }

  void add_disks(Scenario& scenario, bool faults) {
    if (pick(3) == 0) scenario.commit = Distribution::uniform(0, 5);
    if (pick(3) == 0) scenario.nodes[0].disk = {.bytes_per_second = 1e7, .sync = Distribution::uniform(0, 0.5)};
    if (!faults || pick(4) != 0) return;
    Outage outage{.kind = Outage::Kind::DiskFull, .node = 0, .at = 30 * random_.uniform(), .lasts = 5};
    if (pick(2) == 0) outage.kind = Outage::Kind::DiskFails;
    scenario.outages.push_back(outage);
  }

  Random random_;
};

}  // namespace

void add_starts(Scenario& scenario, std::uint64_t seed) {
  Random random(seed, Purpose::Start);
  for (JobGroup& group : scenario.jobs) {
    const std::array<Distribution, 4> starts{Distribution(), Distribution::constant(3), Distribution::uniform(0, 12),
                                             Distribution::lognormal(0.5, 1)};
    group.times.start = starts[random.below(4)];
    group.times.start_of = static_cast<injection::StartOf>(random.below(3));
    if (random.below(2) == 0) group.times.reads_ahead = 1 + random.below(group.size.split_bytes);
    if (random.below(4) == 0) group.times.reads_ahead = std::numeric_limits<std::uint64_t>::max();
    // Of 10 records or some more each attempt draws all.
    if (random.below(3) == 0) {
      group.size.record_bytes = std::max(group.size.record_bytes, group.size.split_bytes / 10);
      group.times.record_time = Distribution::lognormal(1, 1);
    }
    if (random.below(3) != 0) group.times.workers_answer = random.below(2) == 0;
  }
}

Scenario random_scenario(std::uint64_t seed, bool faults) { return Maker(seed).make(faults); }

Scenario scenario_without_luck(std::uint64_t seed) {
  Scenario scenario = random_scenario(seed, false);
  scenario.check_invariants = false;
  scenario.launch = Distribution::constant(scenario.launch.mean());
  for (JobGroup& group : scenario.jobs) {
    group.count += 2;
    group.times.duration = Distribution::constant(6);
    group.arrivals = {};
  }
  return scenario;
}

}  // namespace ontime::lab::test
