#include <cmath>
#include <utility>

#include "lab/foresight/plan.h"

namespace ontime::lab {

UnaidedJob::UnaidedJob(scheduler::math::FittedTail whole, double launch, const std::vector<double>& shares)
    : whole_(std::move(whole)), launch_(launch) {
  for (const double share : shares) ++tasks_[share];
}

double UnaidedJob::done_by(double time) const {
  double ln_all = 0;
  for (const auto& [share, count] : tasks_) {
    const double ln_survival = whole_.ln_survival((time - launch_) / share);
    if (ln_survival >= 0) return 0;
    ln_all += static_cast<double>(count) * std::log1p(-std::exp(ln_survival));
  }
  return std::exp(ln_all);
}

// By bisection between the launch and a time that is long enough.
double UnaidedJob::quantile(double q) const {
  double low = launch_;
  double high = launch_ + whole_.median() * tasks_.rbegin()->first;
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

}  // namespace ontime::lab
