#pragma once
// How a simulated attempt moves through the segments it holds, and what it answers to a cut: the rule of a real runner
// (worker/runner/cut_points.h), with records of a fixed size in place of real ones: of a range it maps those that begin
// there. Between two changes of speed it maps at a constant rate. The segments it seals and what it gives back tile the
// range it was given.
//
// An application may take bytes before it maps them, as a command does whose pipe is filled. Then what is reported is
// what is taken, and a cut is about what is not taken yet; a segment is sealed when it is mapped.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/time.h"
#include "lab/simulator/record_times.h"
#include "scheduler/core/segment_times.h"

namespace ontime::lab {

// What an application does beside mapping bytes at a rate.
struct Habit {
  std::uint64_t reads_ahead = 0;                 // bytes that it takes before it maps them
  std::shared_ptr<const RecordTimes> records{};  // none: all bytes take alike long
  bool is_plain = true;                          // its segments have no start, and none of the above
};

class Motion {
 public:
  Motion() = default;
  // Stands at the begin of `held` until it is given a speed. record_bytes > 0: records begin at its multiples.
  Motion(ByteRange held, std::uint64_t record_bytes, Habit habit = {});

  // The segment begins; its first record is mapped when its start is over.
  void begin(TimePoint now, Duration start);
  bool is_starting(TimePoint now) const { return has_begun_ && now < start_over_; }

  void set_speed(double bytes_per_second, TimePoint now);
  double speed() const { return speed_; }

  double place(TimePoint now) const;  // where it maps, in bytes
  // Everything of its range below is taken: what a heartbeat says.
  std::uint64_t offset(TimePoint now) const { return is_starting(now) ? begin_ : taken(place(now)); }
  std::uint64_t records(TimePoint now) const;  // taken, since its launch: those that begin in its range
  scheduler::SegmentTimes times(TimePoint now) const;
  // What is sealed next.
  ByteRange segment() const { return {begin_, points_.empty() ? end_ : points_.front()}; }
  double length() const { return first_record(segment().end) - first_record(begin_); }  // bytes of its records
  // Where it is when it looks next whether it is to cut: at the end of its record, and of its start, in which it has
  // claimed the first record already.
  std::uint64_t next_look(TimePoint now) const;
  // When it comes to that place, or has mapped its segment.
  TimePoint reaches(std::uint64_t place, TimePoint now) const;
  TimePoint border_at(TimePoint now) const { return reaches(round_up(segment().end), now); }
  // When it would come to that place if nothing were sealed before.
  TimePoint comes_to(double place, TimePoint now) const;
  bool is_over() const { return begin_ >= end_; }
  double mapped(TimePoint now) const { return place(now) - first_record(start_); }  // bytes, since its launch

  // The boundary that is honoured; everything below stays here, from it on it is given back if `release`.
  std::uint64_t cut(std::uint64_t at, bool release, TimePoint now);
  // It stands at the end of its segment, which is sealed.
  void seal(TimePoint now);

 private:
  std::uint64_t records_below(std::uint64_t at) const { return (at + record_bytes_ - 1) / record_bytes_; }
  std::uint64_t round_up(std::uint64_t at) const { return records_below(at) * record_bytes_; }
  double first_record(std::uint64_t at) const { return static_cast<double>(round_up(at)); }
  bool is_even() const { return habit_.is_plain && record_bytes_ == 1; }  // bytes are taken all the time
  double work_of(double place) const { return habit_.records ? habit_.records->work_of(place) : place; }
  double work(TimePoint now) const;            // where it maps, in bytes of usual records
  std::uint64_t taken(double place) const;     // when it maps there
  std::uint64_t claimed(TimePoint now) const;  // where the first record begins that it has not begun to take
  bool has_taken(TimePoint now) const;
  TimePoint moved_at(TimePoint now) const;
  std::uint64_t first_end() const;  // of the first record of the current segment
  TimePoint first_mapped_at() const;

  std::uint64_t record_bytes_ = 1;
  Habit habit_;
  std::uint64_t start_ = 0;            // where it was launched
  std::uint64_t begin_ = 0;            // of the current segment
  std::uint64_t end_ = 0;              // of what it holds
  std::vector<std::uint64_t> points_;  // seal points strictly between begin_ and end_, ascending
  double base_ = 0;                    // work: stood there at since_
  double speed_ = 0;                   // work per second
  TimePoint since_;
  // Of the current segment.
  bool has_begun_ = false;
  TimePoint began_;
  TimePoint start_over_;
  TimePoint moved_;                 // when bytes were taken last, up to since_
  std::optional<TimePoint> first_;  // when its first record had been mapped, if that was before since_
};

}  // namespace ontime::lab
