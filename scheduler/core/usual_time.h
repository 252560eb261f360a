#pragma once
// How long something usually takes.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "common/base/time.h"

namespace ontime::scheduler {

// The geometric mean, so that one long stop hardly counts.
class UsualTime {
 public:
  void add(Duration time) {
    time = std::max(kLeast, time);
    ++count_;
    sum_of_ln_ += std::log(seconds(time));
    longest_ = std::max(longest_, time);
  }
  // In seconds. None: too few were seen.
  std::optional<double> get() const {
    if (count_ < kKnown) return std::nullopt;
    return std::exp(sum_of_ln_ / static_cast<double>(count_));
  }
  Duration longest() const { return longest_; }

  static constexpr Duration kLeast = std::chrono::milliseconds(1);  // reports come no closer together

 private:
  static constexpr std::uint64_t kKnown = 3;
  std::uint64_t count_ = 0;
  double sum_of_ln_ = 0;
  Duration longest_{0};
};

}  // namespace ontime::scheduler
