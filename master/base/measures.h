#pragma once
// How long the master's own work takes, since it has started: for monitoring. Control thread only.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/time.h"

namespace ontime::master {

// What came over the connections that should not have. Control thread only.
struct SessionCounters {
  std::uint64_t refused = 0;    // by the handshake, because there were too many, or never registered
  std::uint64_t forbidden = 0;  // requests beyond the rights of their client
  std::uint64_t malformed = 0;  // frames that closed their connection
  std::uint64_t stuck = 0;      // peers that did not read what they were sent, and were closed
};

// How many durations fell between bounds that double: 0.25 ms, 0.5 ms ... 32.768 s, and beyond.
class Histogram {
 public:
  static constexpr std::size_t kBounds = 18;
  static constexpr Duration bound(std::size_t index) { return std::chrono::microseconds(250) * (1ll << index); }

  // Below 0 counts as 0.
  void add(Duration value) {
    value = std::max(value, Duration(0));
    std::size_t index = 0;
    while (index < kBounds && value > bound(index)) ++index;
    ++counts_[index];
    sum_ += value;
  }

  // [i]: at most bound(i), and more than the bound before it; [kBounds]: more than all of them.
  const std::array<std::uint64_t, kBounds + 1>& counts() const { return counts_; }
  Duration sum() const { return sum_; }

 private:
  std::array<std::uint64_t, kBounds + 1> counts_{};
  Duration sum_{0};
};

struct Measures {
  Histogram journal;          // from handing a batch over to the journal thread until it is durable
  Histogram heartbeat_lag;    // by how much later than the interval a heartbeat came after the one before it
  std::uint64_t records = 0;  // that became durable
};

}  // namespace ontime::master
