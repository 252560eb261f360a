#include "lab/campaigns/forecast_tally.h"

#include "common/base/median.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ontime::lab {

void ForecastTally::add(const ForecastTrial& trial) {
  const auto shares = forecast_shares();
  const auto reading = static_cast<std::size_t>(std::find(shares.begin(), shares.end(), share_) - shares.begin());
  for (const JobOutcome& job : trial.jobs) {
    if (job.forecasts.size() <= reading) continue;
    const ForecastReading& seen = job.forecasts[reading];
    pocd_.add(seen.pocd, job.met());
    if (std::isnan(seen.median)) continue;
    ++ends_;
    inside_ += seen.low <= job.flow_time() && job.flow_time() <= seen.high ? 1 : 0;
    std::vector<double>& errors = trial.what.waves == 1 ? errors_of_one_wave_ : errors_of_more_;
    errors.push_back(std::abs(seen.median - job.flow_time()) / job.flow_time());
  }
}

double ForecastTally::inside() const { return static_cast<double>(inside_) / static_cast<double>(ends_); }

double ForecastTally::median(std::vector<double> values) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : median_of(std::move(values));
}

}  // namespace ontime::lab
