#include "common/http/pace.h"

#include <algorithm>
#include <utility>

namespace ontime::http {

Pace::Pace(Duration silence, double bytes_per_second_min)
    : silence_(silence), bytes_per_second_min_(bytes_per_second_min), next_look_(Clock::now() + silence / kLooks) {}

// It counts its looks and not the time: a process that was stopped has not waited for the server.
bool Pace::is_late() {
  if (until_look() > Duration(0)) return false;
  next_look_ = Clock::now() + silence_ / kLooks;
  ++looks_;
  const std::size_t recent = bytes_ - std::exchange(seen_[looks_ % kLooks], bytes_);
  const std::size_t later_looks = looks_ < kLooks ? 0 : std::min(looks_ - kLooks, kLooks);
  const double least = bytes_per_second_min_ * seconds(silence_) * static_cast<double>(later_looks) / kLooks;
  return looks_ >= kLooks && static_cast<double>(recent) < std::max(least, 1.0);
}

void Pace::skip_wait() {
  if (until_look() <= Duration(0)) *this = Pace(silence_, bytes_per_second_min_);
}

}  // namespace ontime::http
