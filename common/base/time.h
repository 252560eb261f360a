#pragma once
// Time as the whole project uses it. A TimePoint is nanoseconds since the Unix epoch; the master's shell makes it from
// the wall clock once at start and from the steady clock after that, so it never runs backwards, not even across a
// restart. The scheduler only ever receives it as an argument.

#include <chrono>
#include <cstdint>

namespace ontime {

using Duration = std::chrono::nanoseconds;

// A clock type without now(): it exists to give TimePoint a type of its own.
struct ClusterTime {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<ClusterTime, Duration>;
  static constexpr bool is_steady = true;
};
using TimePoint = ClusterTime::time_point;

constexpr double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }
// Not beyond this, so that a sum with any time of day is one too, and what is not a number counts as this: policies and
// scenarios compute with times that nobody lives to see.
constexpr double kSecondsMost = 2e9;
constexpr Duration from_seconds(double s) {
  const double bounded = s < -kSecondsMost ? -kSecondsMost : s < kSecondsMost ? s : kSecondsMost;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(bounded));
}
constexpr std::int64_t to_unix_ns(TimePoint t) { return t.time_since_epoch().count(); }
constexpr TimePoint from_unix_ns(std::int64_t ns) { return TimePoint(Duration(ns)); }

}  // namespace ontime
