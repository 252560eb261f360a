// Compares policies on the cluster of division_scenario.h and prints a table: PoCD with its 95 % interval, machine time
// per job, attempts per task, wasted bytes.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "common/flags/parse.h"
#include "lab/campaigns/division_scenario.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

struct Options {
  std::vector<std::string> worlds{"pareto"};
  std::vector<std::string> policies{"none", "split-resume"};
  std::vector<std::string> sets;
  std::vector<double> deadlines{0.7, 1.0, 1.2, 1.5, 2.0};
  std::vector<double> loads{0.2, 0.4, 0.6, 0.8};
  std::uint32_t jobs = 200;
  std::uint32_t seeds = 1;
  std::uint64_t first_seed = 1;
  double launch = 2;
  bool kill_on_miss = false;
};

void parse(CLI::App& app, Options& options) {
  app.add_option("--worlds", options.worlds, "durations: pareto, sticky, changing, lognormal, mixed, unknown")->delimiter(',');
  app.add_option("--policies", options.policies, "policies to compare")->delimiter(',');
  app.add_option("--set", options.sets, "POLICY:NAME=VALUE, a parameter of a policy");
  app.add_option("--deadlines", options.deadlines, "in t_min")->delimiter(',');
  app.add_option("--loads", options.loads, "share of the slots that the jobs would keep busy")->delimiter(',');
  app.add_option("--jobs", options.jobs, "per run");
  app.add_option("--runs", options.seeds, "runs per row");
  app.add_option("--seed", options.first_seed, "of the first run");
  app.add_option("--launch", options.launch, "seconds");
  app.add_flag("--kill-on-miss", options.kill_on_miss, "end jobs that have missed their deadline");
}

scheduler::StringMap parameters_of(const Options& options, const std::string& policy) {
  scheduler::StringMap parameters;
  for (const std::string& set : options.sets) {
    const std::size_t colon = set.find(':');
    const std::size_t equals = set.find('=');
    if (colon == std::string::npos || equals == std::string::npos || set.substr(0, colon) != policy) continue;
    parameters[set.substr(colon + 1, equals - colon - 1)] = set.substr(equals + 1);
  }
  return parameters;
}

bool print_row(const Options& options, DivisionCase what) {
  what.parameters = parameters_of(options, what.policy);
  what.jobs = options.jobs;
  what.launch = options.launch;
  what.kill_on_miss = options.kill_on_miss;
  const Result<Scenario> scenario = division_scenario(what);
  if (!scenario) {
    std::fprintf(stderr, "%s\n", scenario.error().message.c_str());
    return false;
  }
  std::vector<JobOutcome> jobs;
  for (std::uint32_t run = 0; run < options.seeds; ++run) {
    const Outcome outcome = lab::run(*scenario, options.first_seed + run);
    jobs.insert(jobs.end(), outcome.jobs.begin(), outcome.jobs.end());
  }
  const Summary summary = summarise(jobs);
  std::printf("| %s | %.2f | %.1f | %s | %.3f (%.2f-%.2f) | %.0f +- %.0f | %.1f | %.2f |\n", what.world.c_str(),
              what.deadline, what.load, what.policy.c_str(), summary.pocd.value, summary.pocd.low, summary.pocd.high,
              summary.machine_time.value, summary.machine_time.margin, summary.attempts, summary.duplicated);
  std::fflush(stdout);
  return true;
}

int main(int argc, char** argv) {
  CLI::App app("Compares dividing with copying in the simulator");
  Options options;
  parse(app, options);
  flags::parse_or_exit(app, argc, argv);
  std::printf(
      "| durations | D / t_min | load | policy | PoCD | machine time per job, s | attempts per task | wasted |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const std::string& world : options.worlds) {
    for (const double deadline : options.deadlines) {
      for (const double load : options.loads) {
        for (const std::string& policy : options.policies) {
          if (!print_row(
                  options,
                  DivisionCase{.world = world, .policy = policy, .parameters = {}, .deadline = deadline, .load = load}))
            return 1;
        }
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace ontime::lab

int main(int argc, char** argv) { return ontime::lab::main(argc, argv); }
