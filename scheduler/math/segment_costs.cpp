#include "scheduler/math/segment_costs.h"

#include <algorithm>

namespace ontime::scheduler::math {
namespace {

// Takes of a segment at once what took less than this share of its time: commands that read all before they work.
constexpr double kAtOnce = 0.1;

constexpr double kStartSpread = 0.15;  // of a start's length, by which it may be late without being slow

}  // namespace

Mapped& Mapped::operator+=(const Mapped& other) {
  bytes += other.bytes;
  seconds += other.seconds;
  fixed += other.fixed;
  moves += other.moves;
  return *this;
}

Mapped mapped_of_sealed(const SegmentTimes& times, double bytes) {
  const double age = seconds(times.age);
  const double timed = static_cast<double>(times.timed_bytes);
  const double mapping = timed > 0 ? bytes * seconds(times.last - times.first) / timed : 0;
  if (times.moves < 2 || mapping < kAtOnce * age) return {0, 0, age, 0};
  return {bytes, std::min(age, mapping), std::max(0.0, age - mapping), static_cast<double>(times.moves)};
}

Mapped learn_from_sealed(const SegmentTimes& times, double bytes, Beginning how, DurationSample& sample) {
  const Mapped mapped = mapped_of_sealed(times, bytes);
  const bool is_at_once = mapped.seconds <= 0;
  sample.add_fixed(is_at_once ? Beginning::AtOnce : how, mapped.fixed);
  sample.add_first(is_at_once ? mapped.fixed : seconds(times.first));
  return mapped;
}

Mapped mapped_so_far(const SegmentTimes& times, double taken, double usual_fixed) {
  double from = seconds(times.first);
  auto bytes = static_cast<double>(times.timed_bytes);
  double moves = times.moves;
  if (times.moves > 0 && 2 * usual_fixed < from) {
    from = usual_fixed;
    bytes = taken;
    ++moves;
  }
  if (moves < 2 || bytes <= 0) return {0, 0, times.moves > 0 ? from : seconds(times.age), 0};
  const double standing = (seconds(times.age) - from) * (moves - 1) / moves;
  return {bytes, std::max(seconds(times.last) - from, standing), from, moves};
}

double rest_of_start(double age, double usual) {
  const double beyond = age > usual * (1 + kStartSpread) ? age : kStartSpread * usual;
  return std::max(usual - age, beyond);
}

}  // namespace ontime::scheduler::math
