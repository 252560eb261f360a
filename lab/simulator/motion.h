#pragma once
// How a simulated attempt moves through the segments it holds, and what it answers to a cut: the rule of a real runner
// (worker/runner/cut_points.h), with records of a fixed size in place of real ones: of a range it maps those that begin
// there. Between two changes of speed it maps at a constant rate. The segments it seals and what it gives back tile the
// range it was given.

#include <cstdint>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/time.h"

namespace ontime::lab {

class Motion {
 public:
  Motion() = default;
  // Stands at the begin of `held` until it is given a speed. record_bytes > 0: records begin at its multiples.
  Motion(ByteRange held, std::uint64_t record_bytes);

  void set_speed(double bytes_per_second, TimePoint now);
  double speed() const { return speed_; }

  double place(TimePoint now) const;  // where it is, in bytes
  // Everything of its range below is mapped: what a heartbeat says.
  std::uint64_t offset(TimePoint now) const;
  std::uint64_t records(TimePoint now) const;  // mapped, since its launch: those that begin in its range
  // What is sealed next.
  ByteRange segment() const { return {begin_, points_.empty() ? end_ : points_.front()}; }
  double length() const { return first_record(segment().end) - first_record(begin_); }  // bytes of its records
  // Where the first record begins that it has not begun to map.
  std::uint64_t next_record(TimePoint now) const;
  // When it comes to that place, or has mapped its segment.
  TimePoint reaches(std::uint64_t place, TimePoint now) const;
  TimePoint border_at(TimePoint now) const { return reaches(round_up(segment().end), now); }
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

  std::uint64_t record_bytes_ = 1;
  std::uint64_t start_ = 0;            // where it was launched
  std::uint64_t begin_ = 0;            // of the current segment
  std::uint64_t end_ = 0;              // of what it holds
  std::vector<std::uint64_t> points_;  // seal points strictly between begin_ and end_, ascending
  double base_ = 0;                    // stood there at since_
  double speed_ = 0;                   // bytes per second
  TimePoint since_;
};

}  // namespace ontime::lab
