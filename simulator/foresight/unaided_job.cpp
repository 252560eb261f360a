#include "simulator/foresight/unaided_job.h"

#include <cmath>

namespace ontime::simulator {

UnaidedJob::UnaidedJob(double t_min, double beta, double launch, const std::vector<double>& shares)
    : whole_(t_min, beta), launch_(launch) {
  for (const double share : shares) ++tasks_[share];
}

double UnaidedJob::done_by(double time) const {
  double ln_all = 0;
  for (const auto& [share, count] : tasks_) {
    const double survival = whole_.survival((time - launch_) / share);
    if (survival >= 1) return 0;
    ln_all += static_cast<double>(count) * std::log1p(-survival);
  }
  return std::exp(ln_all);
}

// By bisection between the shortest possible time and one that is long enough.
double UnaidedJob::quantile(double q) const {
  double low = launch_;
  double high = launch_ + whole_.t_min() * tasks_.rbegin()->first;
  while (done_by(high) < q) high = launch_ + 2 * (high - launch_);
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (done_by(middle) < q ? low : high) = middle;
  }
  return high;
}

double UnaidedJob::machine_time() const {
  double sum = 0;
  for (const auto& [share, count] : tasks_) sum += static_cast<double>(count) * (launch_ + share * whole_.mean());
  return sum;
}

}  // namespace ontime::simulator
