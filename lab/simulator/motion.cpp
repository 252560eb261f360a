#include "lab/simulator/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ontime::lab {
namespace {

// No attempt takes longer than this for a segment; keeps times within what 64 bits of nanoseconds can hold.
constexpr double kSecondsMax = 4e9;

Duration time_for(double work, double speed) {
  return from_seconds(std::min(kSecondsMax, std::ceil(work / speed * 1e9) / 1e9));
}

}  // namespace

Motion::Motion(ByteRange held, std::uint64_t record_bytes, Habit habit)
    : record_bytes_(record_bytes),
      habit_(std::move(habit)),
      start_(held.begin),
      begin_(held.begin),
      end_(held.end),
      base_(work_of(first_record(held.begin))) {}

void Motion::begin(TimePoint now, Duration start) {
  has_begun_ = true;
  began_ = now;
  since_ = start_over_ = moved_ = now + start;
  first_.reset();
}

double Motion::work(TimePoint now) const {
  const double end = work_of(first_record(segment().end));
  return std::min(end, base_ + speed_ * seconds(std::max(now, since_) - since_));
}

double Motion::place(TimePoint now) const { return habit_.records ? habit_.records->place_of(work(now)) : work(now); }

void Motion::set_speed(double bytes_per_second, TimePoint now) {
  moved_ = moved_at(now);
  if (has_begun_ && !first_ && first_mapped_at() <= now) first_ = first_mapped_at();
  base_ = work(now);
  since_ = std::max(since_, now);
  speed_ = bytes_per_second;
}

std::uint64_t Motion::taken(double place) const {
  const std::uint64_t end = segment().end;
  const bool takes_ahead = has_begun_ && habit_.reads_ahead > 0;
  const auto at = static_cast<std::uint64_t>(place);
  if (at >= round_up(end) || (takes_ahead && round_up(end) - at <= habit_.reads_ahead)) return end;
  const std::uint64_t whole = (takes_ahead ? at + habit_.reads_ahead : at) / record_bytes_ * record_bytes_;
  return whole > round_up(begin_) ? whole : begin_;  // where its first record begins it has taken nothing
}

std::uint64_t Motion::records(TimePoint now) const { return records_below(offset(now)) - records_below(start_); }

scheduler::SegmentTimes Motion::times(TimePoint now) const {
  scheduler::SegmentTimes times;
  if (!has_begun_) return times;
  times.age = now - began_;
  if (is_starting(now)) return times;
  const std::uint64_t first = taken(first_record(begin_));
  const std::uint64_t records = records_below(offset(now)) - records_below(first);
  std::uint64_t moves = records + (first > begin_ ? 1 : 0);
  if (moves == 0) return times;
  if (is_even()) moves = std::max<std::uint64_t>(moves, 2);
  times.moves = static_cast<std::uint32_t>(std::min<std::uint64_t>(moves, std::numeric_limits<std::uint32_t>::max()));
  times.first = start_over_ - began_;
  times.last = is_even() ? times.age : moved_at(now) - began_;
  std::uint64_t mapped_at_first = round_up(begin_);
  if (first == begin_ && !is_even()) {  // a record is taken when it has been mapped
    times.first = std::min(times.last, first_mapped_at() - began_);
    mapped_at_first = first_end();
  }
  const std::uint64_t latest = habit_.reads_ahead > 0 ? round_up(offset(now)) : offset(now);
  const std::uint64_t mapped = latest - std::min(latest, habit_.reads_ahead);
  times.timed_bytes = mapped - std::min(mapped, mapped_at_first);
  return times;
}

std::uint64_t Motion::first_end() const { return std::min(segment().end, round_up(begin_) + record_bytes_); }

TimePoint Motion::first_mapped_at() const {
  const double left = work_of(first_record(first_end())) - base_;
  return first_ ? *first_ : since_ + time_for(std::max(0.0, left), speed_);
}

// When the latest bytes were taken: when it came to the place from which they are as far ahead as it takes.
TimePoint Motion::moved_at(TimePoint now) const {
  if (is_even() || !has_begun_) return moved_;
  const std::uint64_t latest = round_up(offset(now));
  const std::uint64_t ahead = std::min(latest, habit_.reads_ahead);
  const double work = work_of(static_cast<double>(latest - ahead));
  return work <= base_ ? moved_ : std::min(now, since_ + time_for(work - base_, speed_));
}

std::uint64_t Motion::next_look(TimePoint now) const {
  const std::uint64_t first = round_up(begin_);
  if (is_starting(now)) return habit_.reads_ahead > 0 ? first : claimed(now);
  return std::max(begin_, round_up(static_cast<std::uint64_t>(std::ceil(place(now)))));
}

std::uint64_t Motion::claimed(TimePoint now) const {
  const std::uint64_t end = round_up(segment().end);
  if (is_starting(now)) return std::min(end, round_up(begin_) + record_bytes_);
  const std::uint64_t next = next_look(now);
  if (!has_taken(now) || habit_.reads_ahead == 0) return next;
  return end - std::min(end, next) <= habit_.reads_ahead ? std::max(next, end) : round_up(next + habit_.reads_ahead);
}

bool Motion::has_taken(TimePoint now) const {
  return place(now) > first_record(begin_) || is_starting(now) || (has_begun_ && habit_.reads_ahead > 0);
}

TimePoint Motion::reaches(std::uint64_t place, TimePoint now) const {
  const double left = work_of(static_cast<double>(place)) - base_;
  return std::max(now, since_ + time_for(left, speed_));
}

TimePoint Motion::comes_to(double place, TimePoint now) const {
  return std::max(now, since_) + time_for(std::max(0.0, work_of(place) - work(now)), speed_);
}

std::uint64_t Motion::cut(std::uint64_t at, bool release, TimePoint now) {
  const std::uint64_t position = claimed(now);
  const std::uint64_t honoured = at > position ? round_up(at) : has_taken(now) ? position : begin_;
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
  base_ = work_of(first_record(begin_));
  since_ = now;
  has_begun_ = false;
}

}  // namespace ontime::lab
