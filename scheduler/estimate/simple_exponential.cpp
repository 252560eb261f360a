#include "scheduler/estimate/simple_exponential.h"

#include <algorithm>
#include <cmath>

namespace ontime::scheduler::estimate {

double smooth(double alpha, double newest, double smoothed) { return alpha * newest + (1 - alpha) * smoothed; }

void SimpleExponentialEstimator::start(Reading first) {
  const double elapsed = first.time - launched_;
  now_ = before_ = {{launched_, 0}, elapsed > 0 ? first.progress / elapsed : 0, 0};
  last_gain_ = launched_;
  started_ = true;
}

void SimpleExponentialEstimator::observe(Reading reading) {
  if (!started_) start(reading);
  if (reading.time <= now_.reading.time && reading.progress <= now_.reading.progress) return;
  if (reading.time < now_.reading.time) return;
  // The weight follows the time since the last report, so one at the same instant has none.
  const double since_last = reading.time - now_.reading.time;
  const State& base = since_last == 0 ? before_ : now_;
  const double step = reading.time - base.reading.time;
  if (step <= 0) return;
  if (base.index == settings_.skip) settings_.window = std::max(settings_.window, reading.time - launched_);
  const double alpha = -std::expm1(-since_last / settings_.window);
  const double newest = (reading.progress - base.reading.progress) / step;
  if (reading.progress > now_.reading.progress) last_gain_ = reading.time;
  const State next{reading, smooth(alpha, newest, base.rate), base.index + 1};
  before_ = base;
  now_ = next;
}

std::optional<double> SimpleExponentialEstimator::forecast() const {
  if (!started_ || now_.index <= settings_.skip) return std::nullopt;
  return now_.rate;
}

std::optional<double> SimpleExponentialEstimator::completion() const {
  if (!started_) return std::nullopt;
  const std::optional<double> rate = forecast();
  const double left = std::clamp(1 - now_.reading.progress, 0.0, 1.0);
  if (defects_ == Defects::AsWritten) {
    return now_.reading.time + left / std::max(settings_.least_rate, rate.value_or(-1));
  }
  if (!rate) return std::nullopt;
  return left > 0 ? now_.reading.time + left / *rate : now_.reading.time;
}

bool SimpleExponentialEstimator::is_stagnated(double now) const {
  if (!started_) return false;
  const bool expired = now - last_gain_ > settings_.stagnated_after;
  return defects_ == Defects::AsWritten ? !expired : expired;
}

}  // namespace ontime::scheduler::estimate
