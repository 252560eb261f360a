#include "simulator/planned_jobs.h"

#include <algorithm>
#include <cmath>

#include "scheduler/policy/policy.h"

namespace ontime::simulator {
namespace {

constexpr double kTasksMax = 10e6;

// Jobs per second; 0: not a Poisson process.
double rate_of(const JobGroup& group, const Scenario& scenario) {
  if (group.arrivals.load <= 0) return group.arrivals.rate;
  double slowness = 0;
  for (const NodeGroup& nodes : scenario.nodes) slowness += nodes.slowness.mean() * nodes.count * nodes.slots;
  slowness /= slots_of(scenario);
  const double work = group.tasks.mean() * (group.duration.mean() * slowness + scenario.launch.mean());
  return group.arrivals.load * slots_of(scenario) / work;
}

std::vector<double> arrivals_of(const JobGroup& group, const Scenario& scenario, Random& random) {
  if (!group.arrivals.at.empty()) return group.arrivals.at;
  std::vector<double> at(group.count, 0);
  if (group.arrivals.one_by_one) {
    std::fill(at.begin() + 1, at.end(), kForEver);
    return at;
  }
  const double rate = rate_of(group, scenario);
  if (rate <= 0) return at;
  const Distribution gap = Distribution::shifted_exponential(0, 1 / rate);
  double now = 0;
  for (double& arrival : at) arrival = now += gap.sample(random);
  return at;
}

}  // namespace

std::vector<PlannedJob> plan_jobs(const Scenario& scenario, std::uint64_t seed) {
  std::vector<PlannedJob> planned;
  for (std::uint32_t index = 0; index < scenario.jobs.size(); ++index) {
    const JobGroup& group = scenario.jobs[index];
    Random arrivals(seed, Purpose::Arrivals, index);
    Random sizes(seed, Purpose::JobSize, index);
    for (const double at : arrivals_of(group, scenario, arrivals)) {
      const double tasks = std::clamp(std::ceil(group.tasks.sample(sizes)), 1.0, kTasksMax);
      planned.push_back({index, static_cast<std::uint32_t>(tasks), at});
    }
  }
  return planned;
}

scheduler::JobSpec spec_of(const JobGroup& group, std::uint32_t tasks) {
  scheduler::JobSpec spec;
  spec.application = group.name;
  spec.inputs = {{"/simulated/" + group.name, group.split_bytes * tasks, 0, scheduler::Codec::Plain}};
  spec.output = "/simulated/output";
  spec.split_bytes = group.split_bytes;
  spec.deadline = from_seconds(group.deadline);
  const scheduler::PolicyDescription* policy = scheduler::find_policy(group.policy);
  const bool restarts = policy != nullptr && policy->restarts;
  spec.checkpoint_interval = group.checkpoint ? from_seconds(*group.checkpoint)
                             : restarts       ? Duration(0)
                                              : scheduler::JobSpec{}.checkpoint_interval;
  spec.attempt_timeout = from_seconds(group.attempt_timeout);
  spec.attempts_max = group.attempts_max;
  spec.policy = group.policy;
  spec.policy_parameters = group.policy_parameters;
  spec.estimator = group.estimator;
  spec.kill_on_miss = group.kill_on_miss;
  return spec;
}

}  // namespace ontime::simulator
