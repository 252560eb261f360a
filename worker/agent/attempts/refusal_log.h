#pragma once
// What stores refuse to attempts, as lines of the worker's log. Attempts ask again and again, so lines are bounded.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "common/base/time.h"

namespace ontime::worker {

// How many lines may be written. Pure; time comes as an argument.
class LineBudget {
 public:
  static constexpr unsigned kLinesMax = 10;  // in each period
  static constexpr Duration kPeriod = std::chrono::seconds(10);

  // Whether one more may be written now, and if so how many could not since the one before.
  std::optional<std::uint64_t> take(std::chrono::steady_clock::time_point now);

 private:
  std::optional<std::chrono::steady_clock::time_point> begin_;  // of the period; none: nothing was written yet
  unsigned lines_ = 0;
  std::uint64_t left_out_ = 0;
};

class RefusalLog {
 public:
  // Any thread.
  void add(const std::string& path, const std::string& message);

 private:
  std::mutex mutex_;
  LineBudget budget_;
};

}  // namespace ontime::worker
