#include "lab/campaigns/division_scenario.h"

#include <algorithm>

#include "common/base/units.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab {
namespace {

constexpr double kBeta = 1.5;

std::string in_seconds(double value) { return std::to_string(value) + "s"; }

}  // namespace

std::vector<std::string_view> division_worlds() { return {"pareto", "sticky", "changing", "lognormal", "mixed", "unknown"}; }

Result<Scenario> division_scenario(const DivisionCase& what) {
  const std::vector<std::string_view> worlds = division_worlds();
  if (std::find(worlds.begin(), worlds.end(), what.world) == worlds.end()) {
    return bad_input("there is no world '" + what.world + "'.");
  }
  Scenario scenario;
  scenario.nodes = {{what.nodes, 1, Distribution::constant(1)}};
  if (what.world == "mixed") scenario.nodes.front().slowness = Distribution::lognormal(1, 0.5);
  scenario.launch = Distribution::constant(what.launch);
  scenario.heartbeat = 1;
  scenario.node_timeout = 30;
  JobGroup& group = scenario.jobs.front();
  group.count = what.jobs;
  group.arrivals.load = what.load;
  group.duration = what.world == "lognormal" ? Distribution::lognormal(2 * what.t_min, 0.8)
                                             : Distribution::pareto(what.t_min, kBeta);
  group.deadline = what.deadline * what.t_min;
  group.kill_on_miss = what.kill_on_miss;
  group.policy = what.policy;
  group.policy_parameters = what.parameters;
  const bool wants_durations = what.policy != "none" && what.policy != "hadoop";
  if (what.world != "unknown" && what.world != "lognormal" && wants_durations) {
    group.policy_parameters.emplace("t_min", in_seconds(what.t_min));
    group.policy_parameters.emplace("beta", std::to_string(kBeta));
    group.policy_parameters.emplace("t_avg", in_seconds(what.launch));
    group.policy_parameters.emplace("fit", "flags");
  }
  if (what.world == "sticky") scenario.node_correlation = 0.8;
  if (what.world == "changing") scenario.speed_changes_every = what.t_min;
  if (const Status fine = check(scenario); !fine) return fine.error();
  return scenario;
}

}  // namespace ontime::lab
