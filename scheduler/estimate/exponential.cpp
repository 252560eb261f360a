#include "scheduler/estimate/exponential.h"

#include <cmath>
#include <limits>
#include <utility>

namespace ontime::scheduler::estimate {

double ExponentialEstimator::weight_of_the_past(double step) const {
  if (!value_) return 0;
  return std::exp(defects_ == Defects::AsWritten ? step / window_ : -step / window_);
}

void ExponentialEstimator::observe(Reading reading) {
  if (reading.time <= last_.time || reading.progress < last_.progress) return;
  const double step = reading.time - last_.time;
  const double gained = reading.progress - last_.progress;
  last_ = reading;
  if (defects_ == Defects::AsWritten && !std::exchange(first_seen_, true)) return;
  if (smoothed_ == Smoothed::TimePerProgress && gained == 0) return;  // no finite time per progress
  const double newest = smoothed_ == Smoothed::Rate ? gained / step : step / gained;
  const double weight = weight_of_the_past(step);
  value_ = weight * value_.value_or(0) + (1 - weight) * newest;
}

std::optional<double> ExponentialEstimator::completion() const {
  if (!value_) return std::nullopt;
  const double left = 1 - last_.progress;
  if (smoothed_ == Smoothed::TimePerProgress) return last_.time + left * *value_;
  if (*value_ == 0) return left > 0 ? std::numeric_limits<double>::infinity() : last_.time;
  return last_.time + left / *value_;
}

}  // namespace ontime::scheduler::estimate
