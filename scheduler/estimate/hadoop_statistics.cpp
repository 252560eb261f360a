#include "scheduler/estimate/hadoop_statistics.h"

#include <algorithm>
#include <cmath>

namespace ontime::scheduler::estimate {

void DurationStatistics::add(double duration) {
  ++count_;
  const double distance = duration - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (duration - mean_);
}

double DurationStatistics::deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

double DurationStatistics::mean_bound(Defects defects) const {
  if (count_ < 2) return defects == Defects::AsWritten ? 0 : mean_;
  return mean_ + 1.96 * deviation() / std::sqrt(static_cast<double>(count_));
}

double DurationStatistics::new_attempt(Defects defects) const {
  const double bound = mean_bound(defects);
  return bound + std::min(0.25 * bound, deviation() / 2);
}

}  // namespace ontime::scheduler::estimate
