#include "scheduler/math/estimator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ontime::scheduler::estimate {

std::unique_ptr<Estimator> make_estimator(std::string_view name, double launched, const EstimatorSettings& settings) {
  if (name == "hadoop") return std::make_unique<HadoopEstimator>(launched);
  if (name == "exponential") return std::make_unique<ExponentialEstimator>(launched, settings.exponential_window);
  if (name == "simple-exponential") {
    return std::make_unique<SimpleExponentialEstimator>(
        launched, SmoothingSettings{settings.simple_exponential_window, settings.simple_exponential_skip});
  }
  if (name == "chronos") return std::make_unique<ChronosEstimator>();
  return nullptr;
}

std::vector<std::string_view> estimator_names() { return {"hadoop", "exponential", "simple-exponential", "chronos"}; }

double chronos_completion(Reading first, Reading now, pocd::Form form) {
  const double gained = now.progress - first.progress;
  if (!(gained > 0)) return std::numeric_limits<double>::infinity();
  const double whole = (now.time - first.time) / gained;  // time for progress 0 to 1
  return form == pocd::Form::AsPrinted ? first.time + whole : now.time + (1 - now.progress) * whole;
}

double byte_completion(ByteReading first, ByteReading now, double end) {
  if (now.offset >= end) return now.time;
  const double gained = now.offset - first.offset;
  if (!(gained > 0)) return std::numeric_limits<double>::infinity();
  return now.time + (end - now.offset) * (now.time - first.time) / gained;
}

void ChronosEstimator::observe(Reading reading) {
  if (first_ && (reading.time < now_.time || reading.progress < now_.progress)) return;
  if (!first_) first_ = reading;
  now_ = reading;
}

std::optional<double> ChronosEstimator::completion() const {
  if (!first_) return std::nullopt;
  if (now_.progress >= 1) return now_.time;
  if (now_.time == first_->time) return std::nullopt;
  return chronos_completion(*first_, now_);
}

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

namespace {

constexpr double kLeastProgress = 1e-4;

double runtime(double elapsed, double progress) { return elapsed / std::max(kLeastProgress, progress); }

}  // namespace

std::optional<double> hadoop_runtime(double start, double now, double progress) {
  if (start <= 0 || now <= start) return std::nullopt;
  return runtime(now - start, progress);
}

double hadoop_completion(double launched, double now, double progress) {
  return launched + (now - launched) / progress;
}

void HadoopEstimator::observe(Reading reading) { last_ = reading; }

std::optional<double> HadoopEstimator::completion() const {
  if (!last_ || last_->time <= launched_) return std::nullopt;
  return launched_ + runtime(last_->time - launched_, last_->progress);
}

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
