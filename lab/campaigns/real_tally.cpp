#include <algorithm>

#include "lab/campaigns/real.h"

namespace ontime::lab {

void RealTally::add(const Outcome& outcome) {
  for (const JobOutcome& job : outcome.jobs) {
    StageTally& stage = stages_[job.group];
    ++stage.jobs;
    stage.met += job.met() ? 1 : 0;
    stage.machine_time += job.machine_time;
    if (job.has_ended()) stage.flow_times.push_back(job.flow_time());
    tasks_ += job.tasks;
    attempts_ += job.attempts;
    input_ += job.input_bytes;
    mapped_ += job.mapped_bytes;
    for (const ForecastReading& reading : job.forecasts) {
      const auto at = std::find(forecast_at_.begin(), forecast_at_.end(), reading.share) - forecast_at_.begin();
      forecasts_[static_cast<std::size_t>(at)].add(reading.pocd, job.met());
    }
  }
}

Calibration RealTally::all_forecasts() const {
  Calibration all;
  for (const Calibration& one : forecasts_) all.add(one);
  return all;
}

Estimate RealTally::pocd() const {
  std::vector<double> values;
  for (const StageTally& stage : stages_) values.push_back(stage.pocd());
  return estimate_of(values);
}

Estimate RealTally::machine_time_in(const RealTally& base) const {
  std::vector<double> values;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const double whole = base.stages_[i].machine_time_per_job();
    if (whole > 0) values.push_back(stages_[i].machine_time_per_job() / whole);
  }
  return estimate_of(values);
}

std::vector<double> RealTally::median_flow_times() const {
  std::vector<double> medians;
  for (const StageTally& stage : stages_) {
    std::vector<double> times = stage.flow_times;
    std::sort(times.begin(), times.end());
    medians.push_back(times.empty() ? 0 : (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2);
  }
  return medians;
}

}  // namespace ontime::lab
