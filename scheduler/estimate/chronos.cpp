#include "scheduler/estimate/chronos.h"

#include <limits>

namespace ontime::scheduler::estimate {

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

}  // namespace ontime::scheduler::estimate
