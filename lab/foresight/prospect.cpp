#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/foresight/recorded_job.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {

double ascending_quantile(std::span<const double> ascending, double q) {
  if (ascending.empty()) return kForEver;
  const double rank = std::ceil(q * static_cast<double>(ascending.size())) - 1;
  const auto last = static_cast<double>(ascending.size() - 1);
  return ascending[static_cast<std::size_t>(std::clamp(rank, 0.0, last))];
}

Prospect foresee(const Scenario& scenario, std::uint32_t runs, std::uint64_t seed) {
  Prospect prospect;
  prospect.runs = runs;
  std::vector<JobOutcome> outcomes;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const Outcome outcome = lab::run(scenario, seed + run);
    for (const JobOutcome& job : outcome.jobs) {
      if (job.group != 0) continue;
      outcomes.push_back(job);
      prospect.attempts += static_cast<double>(job.attempts) / runs;
      if (job.has_ended()) prospect.flow_times.push_back(job.flow_time());
    }
  }
  const Summary summary = summarise(outcomes);
  prospect.pocd = summary.pocd;
  prospect.machine_time = summary.machine_time;
  std::vector<double>& times = prospect.flow_times;
  std::sort(times.begin(), times.end());
  prospect.mean =
      times.empty() ? kForEver : std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  prospect.low = ascending_quantile(times, 0.1);
  prospect.median = ascending_quantile(times, 0.5);
  prospect.high = ascending_quantile(times, 0.9);
  return prospect;
}

}  // namespace ontime::lab
