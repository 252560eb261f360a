#pragma once
// How long answers took, all of them, in order to say how long most and the slowest did.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/base/time.h"

namespace ontime::load {

class Latencies {
 public:
  void add(Duration latency) { all_.push_back(latency); }
  void add(const Latencies& others) { all_.insert(all_.end(), others.all_.begin(), others.all_.end()); }
  std::size_t count() const { return all_.size(); }

  // The shortest that `share` (0 to 1) of all did not exceed, in milliseconds; 0 if there are none.
  double quantile_ms(double share) const {
    if (all_.empty()) return 0;
    std::vector<Duration> sorted = all_;
    const auto last = sorted.size() - 1;
    const auto at = std::min(last, static_cast<std::size_t>(share * static_cast<double>(sorted.size())));
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
    return 1e3 * seconds(sorted[at]);
  }

 private:
  std::vector<Duration> all_;
};

// "500 answers, p50 1.2 ms, p99 8.0 ms, slowest 9.1 ms"
std::string describe(const Latencies& latencies);

}  // namespace ontime::load
