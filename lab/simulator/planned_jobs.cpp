#include <algorithm>
#include <cmath>

#include "lab/scenario/scenario.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab {
namespace {

constexpr double kTasksMax = 10e6;

std::vector<double> arrivals_of(const JobGroup& group, const Scenario& scenario, Random& random) {
  if (!group.arrivals.at.empty()) return group.arrivals.at;
  std::vector<double> at(group.count, 0);
  if (!group.trace.empty()) {
    std::transform(group.trace.begin(), group.trace.end(), at.begin(), [](const TraceJob& job) { return job.at; });
    return at;
  }
  if (group.arrivals.one_by_one) {
    std::fill(at.begin() + 1, at.end(), kForEver);
    return at;
  }
  if (group.arrivals.every > 0) {
    for (std::size_t job = 0; job < at.size(); ++job) at[job] = group.arrivals.every * static_cast<double>(job);
    return at;
  }
  double rate = group.arrivals.rate;
  if (group.arrivals.load > 0) {  // check() has seen to it that the work can be said
    rate = group.arrivals.load * slots_of(scenario) / mean_work(scenario, group).value();
  }
  if (rate <= 0) return at;
  const Distribution gap = Distribution::shifted_exponential(0, 1 / rate);
  double now = 0;
  for (double& arrival : at) arrival = now += gap.sample(random);
  return at;
}

double deadline_of(const JobGroup& group, double scale) {
  if (group.deadline_means > 0) return group.deadline_means * group.duration.mean() * scale;
  if (group.deadline_minima > 0) return group.deadline_minima * group.duration.least() * scale;
  return group.deadline;
}

// A whole number of records.
std::uint64_t split_bytes_of(const JobGroup& group, double scale) {
  const double records = static_cast<double>(group.split_bytes) / static_cast<double>(group.record_bytes) * scale;
  return scale == 1 ? group.split_bytes
                    : group.record_bytes * static_cast<std::uint64_t>(std::max(1.0, std::round(records)));
}

}  // namespace

std::vector<PlannedJob> plan_jobs(const Scenario& scenario, std::uint64_t seed) {
  std::vector<PlannedJob> planned;
  for (std::uint32_t index = 0; index < scenario.jobs.size(); ++index) {
    const JobGroup& group = scenario.jobs[index];
    Random arrivals(seed, Purpose::Arrivals, index);
    Random sizes(seed, Purpose::JobSize, index);
    Random scales(seed, Purpose::JobScale, index);
    const std::vector<double> all = arrivals_of(group, scenario, arrivals);
    for (std::size_t job = 0; job < all.size(); ++job) {
      const double drawn = std::clamp(std::ceil(group.tasks.sample(sizes)), 1.0, kTasksMax);
      const double scale = group.scale.is_constant() ? group.scale.median() : group.scale.sample(scales);
      const std::uint32_t tasks = group.trace.empty() ? static_cast<std::uint32_t>(drawn) : group.trace[job].tasks;
      planned.push_back({index, tasks, all[job], scale, deadline_of(group, scale)});
      if (!group.file_bytes.empty()) {
        planned.back().tasks = static_cast<std::uint32_t>(scheduler::count_splits(spec_of(group, planned.back())));
      }
    }
  }
  return planned;
}

scheduler::JobSpec spec_of(const JobGroup& group, const PlannedJob& planned) {
  scheduler::JobSpec spec;
  spec.application = group.name;
  spec.split_bytes = split_bytes_of(group, planned.scale);
  for (const std::uint64_t bytes : group.file_bytes) {
    const std::string path = "/simulated/" + group.name + "/" + std::to_string(spec.inputs.size());
    spec.inputs.push_back({path, bytes, "0", scheduler::Codec::Plain});
  }
  if (spec.inputs.empty()) {
    spec.inputs = {{"/simulated/" + group.name, spec.split_bytes * planned.tasks, "0", scheduler::Codec::Plain}};
  }
  spec.output = "/simulated/output";
  spec.deadline = from_seconds(planned.deadline);
  spec.checkpoint_interval =
      group.checkpoint ? from_seconds(*group.checkpoint) : scheduler::default_checkpoint_interval(group.policy);
  spec.attempt_timeout = from_seconds(group.attempt_timeout);
  spec.attempts_max = group.attempts_max;
  spec.policy = group.policy;
  spec.policy_parameters = group.policy_parameters;
  spec.estimator = group.estimator;
  spec.kill_on_miss = group.kill_on_miss;
  return spec;
}

}  // namespace ontime::lab
