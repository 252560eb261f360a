#include "lab/simulator/motion.h"

#include <algorithm>
#include <cmath>

namespace ontime::lab {
namespace {

// No attempt takes longer than this for a segment; keeps times within what 64 bits of nanoseconds can hold.
constexpr double kSecondsMax = 4e9;

}  // namespace

Motion::Motion(ByteRange held, std::uint64_t record_bytes)
    : record_bytes_(record_bytes),
      start_(held.begin),
      begin_(held.begin),
      end_(held.end),
      base_(first_record(held.begin)) {}

double Motion::place(TimePoint now) const {
  return std::min(first_record(segment().end), base_ + speed_ * seconds(now - since_));
}

void Motion::set_speed(double bytes_per_second, TimePoint now) {
  base_ = place(now);
  since_ = now;
  speed_ = bytes_per_second;
}

std::uint64_t Motion::offset(TimePoint now) const {
  const auto at = static_cast<std::uint64_t>(place(now));
  const std::uint64_t end = segment().end;
  if (at >= round_up(end)) return end;
  const std::uint64_t mapped = at / record_bytes_ * record_bytes_;
  return mapped > round_up(begin_) ? mapped : begin_;  // where its first record begins it has mapped nothing
}

std::uint64_t Motion::records(TimePoint now) const { return records_below(offset(now)) - records_below(start_); }

std::uint64_t Motion::next_record(TimePoint now) const {
  return std::max(begin_, round_up(static_cast<std::uint64_t>(std::ceil(place(now)))));
}

TimePoint Motion::reaches(std::uint64_t place, TimePoint now) const {
  const double left = static_cast<double>(place) - base_;
  const double due = std::min(kSecondsMax, std::ceil(left / speed_ * 1e9) / 1e9);
  return std::max(now, since_ + from_seconds(due));
}

std::uint64_t Motion::cut(std::uint64_t at, bool release, TimePoint now) {
  const bool has_mapped = place(now) > first_record(begin_);
  const std::uint64_t position = next_record(now);
  const std::uint64_t honoured = at > position ? round_up(at) : has_mapped ? position : begin_;
  if (honoured >= end_) return end_;
  const auto place_in_points = std::lower_bound(points_.begin(), points_.end(), honoured);
  if (release) {
    end_ = honoured;
    points_.erase(place_in_points, points_.end());
  } else if (honoured > begin_ && (place_in_points == points_.end() || *place_in_points != honoured)) {
    points_.insert(place_in_points, honoured);
  }
  return honoured;
}

void Motion::seal(TimePoint now) {
  begin_ = segment().end;
  if (!points_.empty()) points_.erase(points_.begin());
  base_ = first_record(begin_);
  since_ = now;
}

}  // namespace ontime::lab
