// How fast the simulator is with the whole scheduler in the loop: attempt lifetimes a minute and events a second of one
// core by policy, the time of an event by the number of nodes, and a run of the size of Chronos' evaluation.
//   bench_simulator                 lifetimes and growth: about a minute
//   bench_simulator --large POLICY  2,700 jobs with about 1,000,000 tasks
//   bench_simulator --nodes N       an event with N nodes, for a count of its instructions (valgrind --tool=callgrind)
//   bench_simulator --checkpoints   how much longer a run with checkpoints takes than without, by policy
//   bench_simulator --quick         a little of everything, to see that it runs
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "common/base/distribution.h"
#include "lab/simulator/simulator.h"

namespace {

using namespace ontime::lab;
using ontime::Distribution;

struct Used {
  double seconds = 0;  // of the processor, by this process
  double mebibytes = 0;
};

Used used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double user = static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
  return {user, static_cast<double>(usage.ru_maxrss) / 1024};
}

// Nodes about half busy, jobs of very different sizes, no checkpoints.
Scenario cluster(std::uint32_t nodes, std::uint32_t jobs, const std::string& policy) {
  Scenario scenario;
  scenario.nodes = {{.count = nodes, .slots = 1, .slowness = Distribution::constant(1)}};
  JobGroup& group = scenario.jobs[0];
  group.count = jobs;
  group.size.tasks = Distribution::lognormal(150, 1.3);
  group.arrivals.rate = 0.025 * nodes / 1000;
  group.times.duration = Distribution::pareto(20, 1.5);
  group.deadline.seconds = 80;
  group.handling.checkpoint_interval = ontime::Duration(0);
  group.handling.policy = policy;
  return scenario;
}

double measure(const Scenario& scenario, std::uint32_t nodes) {
  const double before = used().seconds;
  const Outcome outcome = run(scenario, 1);
  const Used after = used();
  const double seconds = after.seconds - before;
  std::printf(
      "%-13s %6u nodes %9llu attempts %11llu events %8.2f s  %5.2f M lifetimes/min  %5.2f M events/s  %6.3f us/event  "
      "%4.0f MiB\n",
      scenario.jobs[0].handling.policy.c_str(), nodes, static_cast<unsigned long long>(outcome.attempts),
      static_cast<unsigned long long>(outcome.events), seconds, 60e-6 * static_cast<double>(outcome.attempts) / seconds,
      1e-6 * static_cast<double>(outcome.events) / seconds, 1e6 * seconds / static_cast<double>(outcome.events),
      after.mebibytes);
  std::fflush(stdout);
  return seconds;
}

// In turn, so that other work on the machine weighs alike.
void compare_checkpoints(const std::string& policy) {
  Scenario scenario = cluster(150, 280, policy);
  scenario.jobs[0].size.tasks = Distribution::constant(50);
  scenario.jobs[0].arrivals = {};
  scenario.jobs[0].arrivals.load = 0.7;
  double without = 0;
  double with = 0;
  for (int turn = 0; turn < 3; ++turn) {
    scenario.jobs[0].handling.checkpoint_interval = ontime::Duration(0);
    without += measure(scenario, 150);
    scenario.jobs[0].handling.checkpoint_interval = std::chrono::seconds(5);
    with += measure(scenario, 150);
  }
  std::printf("%-13s with checkpoints %.2f times as long\n", policy.c_str(), with / without);
}

// As many events at every size: fewer jobs per node the more nodes there are, all of them about half busy.
void measure_event(std::uint32_t nodes, bool quick) {
  Scenario scenario = cluster(nodes, quick ? 10 : 100 + nodes / 50, "none");
  scenario.jobs[0].times.duration = Distribution::lognormal(60, 0.3);  // no long tail in which all but a few nodes idle
  scenario.jobs[0].size.tasks = Distribution::constant(quick ? 10 : 300);
  scenario.jobs[0].arrivals = {};
  scenario.jobs[0].arrivals.load = 0.5;
  measure(scenario, nodes);
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const bool quick = !arguments.empty() && arguments[0] == "--quick";
  if (arguments.size() == 2 && arguments[0] == "--large") {
    Scenario scenario = cluster(2000, 2700, arguments[1]);
    scenario.jobs[0].size.tasks = Distribution::lognormal(150, 1.343);
    scenario.jobs[0].arrivals.rate = 0.025;
    measure(scenario, 2000);
    return 0;
  }
  if (arguments.size() == 2 && arguments[0] == "--nodes") {
    measure_event(static_cast<std::uint32_t>(std::stoul(arguments[1])), false);
    return 0;
  }
  if (arguments.size() == 1 && arguments[0] == "--checkpoints") {
    for (const char* policy : {"none", "hadoop", "split-resume"}) compare_checkpoints(policy);
    return 0;
  }
  if (!quick && !arguments.empty()) {
    std::fputs("usage: bench_simulator [--quick | --large POLICY | --nodes N | --checkpoints]\n", stderr);
    return 2;
  }
  for (const char* policy :
       {"none", "hadoop", "mantri", "clone", "s-restart", "s-resume", "shed+", "ese", "split-resume"}) {
    measure(cluster(quick ? 50 : 1000, quick ? 5 : 300, policy), quick ? 50 : 1000);
  }
  for (const std::uint32_t nodes : {100u, 1000u, 10'000u}) measure_event(nodes, quick);
}
