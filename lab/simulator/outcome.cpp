#include <algorithm>
#include <cmath>

#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

constexpr double kZ95 = 1.959963984540054;

}  // namespace

Mean mean_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? kZ95 * std::sqrt(squares / (n - 1) / n) : 0};
}

bool JobOutcome::met() const {
  return state == scheduler::JobState::Succeeded && (deadline <= 0 || flow_time() <= deadline);
}

Share share_of(std::uint64_t successes, std::uint64_t trials) {
  if (trials == 0) return {};
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double square = kZ95 * kZ95;
  const double middle = (share + square / (2 * n)) / (1 + square / n);
  const double half = kZ95 / (1 + square / n) * std::sqrt(share * (1 - share) / n + square / (4 * n * n));
  return {share, std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

Summary summarise(std::span<const JobOutcome> jobs) {
  Summary summary;
  summary.jobs = jobs.size();
  std::uint64_t met = 0;
  double tasks = 0;
  double attempts = 0;
  double input = 0;
  double mapped = 0;
  std::vector<double> machine_times;
  std::vector<double> flow_times;
  for (const JobOutcome& job : jobs) {
    met += job.met() ? 1 : 0;
    summary.unfinished += job.has_ended() ? 0 : 1;
    tasks += job.tasks;
    attempts += job.attempts;
    input += job.input_bytes;
    mapped += job.mapped_bytes;
    machine_times.push_back(job.machine_time);
    if (job.has_ended()) flow_times.push_back(job.flow_time());
  }
  summary.pocd = share_of(met, jobs.size());
  summary.machine_time = mean_of(machine_times);
  summary.flow_time = mean_of(flow_times);
  summary.attempts = tasks > 0 ? attempts / tasks : 0;
  summary.duplicated = input > 0 ? std::max(0.0, mapped / input - 1) : 0;
  return summary;
}

}  // namespace ontime::lab
