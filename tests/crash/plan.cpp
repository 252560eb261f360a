#include "tests/crash/plan.h"

#include <algorithm>
#include <random>

#include "common/base/kill_point.h"
#include "scheduler/policies/policy.h"

namespace ontime::test {
namespace {

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t n) { return random() % n; }  // the bias is nobody's concern

// Passed a few times at most in the life of a process.
bool is_rare(std::string_view point) {
  for (const std::string_view often : {"journal-before-write", "journal-written", "batch", "action", "message", "order",
                                       "report", "output", "event", "run-", "store-part", "store-segment", "hdfs-"}) {
    if (point.starts_with(often)) return false;
  }
  return true;
}

bool is_of_other_outputs(std::string_view point, Outputs outputs) {
  return (point.starts_with("store-") && outputs == Outputs::OnDisk) ||
         (point.starts_with("hdfs-") && outputs != Outputs::InHdfs);
}

Death random_death(Random& random, Side side, Outputs outputs) {
  std::vector<std::string> points;
  for (const auto& [point, of] : points_of(outputs)) {
    if (of == side) points.push_back(point);
  }
  std::string point = points[below(random, points.size())];
  const std::uint64_t most = is_rare(point) ? 2 : std::uint64_t{2} << below(random, 5);
  return {std::move(point), static_cast<std::uint32_t>(1 + below(random, most))};
}

}  // namespace

std::vector<std::pair<std::string, Side>> points_of(Outputs outputs) {
  std::vector<std::pair<std::string, Side>> all;
  for (const KillPointDescription& point : kKillPoints) {
    if (is_of_other_outputs(point.name, outputs)) continue;
    if (point.program == "master" || point.program == "all") all.emplace_back(point.name, Side::Master);
    if (point.program != "master") all.emplace_back(point.name, Side::Worker);
  }
  return all;
}

Plan random_plan(std::uint64_t seed, Outputs outputs) {
  Random random(seed);
  Plan plan;
  const std::uint64_t who = below(random, 3);
  if (who != 1) plan.master = random_death(random, Side::Master, outputs);
  if (who != 0) plan.worker = random_death(random, Side::Worker, outputs);
  const auto& policies = scheduler::policies();
  plan.policy = policies[below(random, policies.size())].name;
  if (below(random, 3) == 0) plan.power = random();
  const auto needs_kill = [](const std::optional<Death>& death) {
    return death && (death->point.find("discard") != death->point.npos || death->point.starts_with("exit"));
  };
  plan.kills_a_job = needs_kill(plan.master) || needs_kill(plan.worker) || below(random, 8) == 0;
  plan.repeat = "--seed " + std::to_string(seed);
  return plan;
}

Plan plan_for(const std::string& point, std::uint32_t passing, Side side) {
  Plan plan;
  (side == Side::Master ? plan.master : plan.worker) = Death{point, passing};
  // An attempt that dies behind its first seal leaves a part of two pieces: started, cut, sealed, cut.
  if (point.starts_with("stitch")) {
    plan.worker = Death{"event-sent", 4};
    plan.splits = "1";
  }
  plan.kills_a_job = point.find("discard") != point.npos || point.starts_with("exit");
  plan.repeat = "--point " + point + " --passing " + std::to_string(passing);
  plan.repeat += side == Side::Master ? " --in master" : " --in worker";
  return plan;
}

Plan plan_for(const Fault& fault, Side side) {
  Plan plan;
  plan.fault = fault;
  plan.fault_side = side;
  plan.repeat = "--fault " + fault.op + ":" + fault.error + " --passing " + std::to_string(fault.passing);
  plan.repeat += side == Side::Master ? " --in master" : " --in worker";
  return plan;
}

}  // namespace ontime::test
