#include "scheduler/math/estimator.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ontime::scheduler::math {
namespace {

constexpr double kExponentialWindow = 60;  // seconds

double when_done(Reading last, double rate) {
  const double left = std::clamp(1 - last.progress, 0.0, 1.0);
  if (left == 0) return last.time;
  return rate == 0 ? std::numeric_limits<double>::infinity() : last.time + left / rate;
}

}  // namespace

std::unique_ptr<Estimator> make_estimator(std::string_view name, double launched) {
  if (name == "exponential") return std::make_unique<ExponentialEstimator>(launched, kExponentialWindow);
  if (name == "simple-exponential") return std::make_unique<SimpleExponentialEstimator>(launched, SmoothingSettings{});
  return nullptr;
}

std::vector<std::string_view> estimator_names() { return {"hadoop", "exponential", "simple-exponential", "chronos"}; }

void ExponentialEstimator::observe(Reading reading) {
  if (reading.time <= last_.time || reading.progress < last_.progress) return;
  const double step = reading.time - last_.time;
  const double newest = (reading.progress - last_.progress) / step;
  const double weight_of_the_past = rate_ ? std::exp(-step / window_) : 0;
  rate_ = weight_of_the_past * rate_.value_or(0) + (1 - weight_of_the_past) * newest;
  last_ = reading;
}

std::optional<double> ExponentialEstimator::completion() const {
  if (!rate_) return std::nullopt;
  return when_done(last_, *rate_);
}

double smooth(double alpha, double newest, double smoothed) { return alpha * newest + (1 - alpha) * smoothed; }

void SimpleExponentialEstimator::observe(Reading reading) {
  if (!started_) {
    const double elapsed = reading.time - launched_;
    now_ = before_ = {{launched_, 0}, elapsed > 0 ? reading.progress / elapsed : 0, 0};
    started_ = true;
  }
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
  const State next{reading, smooth(alpha, newest, base.rate), base.index + 1};
  before_ = base;
  now_ = next;
}

std::optional<double> SimpleExponentialEstimator::forecast() const {
  if (!started_ || now_.index <= settings_.skip) return std::nullopt;
  return now_.rate;
}

std::optional<double> SimpleExponentialEstimator::completion() const {
  const std::optional<double> rate = forecast();
  if (!rate) return std::nullopt;
  return when_done(now_.reading, *rate);
}

}  // namespace ontime::scheduler::math
