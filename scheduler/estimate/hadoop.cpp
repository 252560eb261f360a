#include "scheduler/estimate/hadoop.h"

#include <algorithm>

namespace ontime::scheduler::estimate {
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

}  // namespace ontime::scheduler::estimate
