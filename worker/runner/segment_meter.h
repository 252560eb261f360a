#pragma once
// Measures how an attempt comes along in one segment after another: what a segment needs before its first bytes are
// taken, and what its bytes need. Pure: time comes as an argument, once a block.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "worker/runner/pace.h"
#include "worker/segment_marks.h"

namespace ontime::worker {

class SegmentMeter {
 public:
  using TimePoint = RunClock::TimePoint;

  void begin(std::uint64_t at, TimePoint now) {
    marks_ = {at, now.time_since_epoch()};
    taken_ = mapped_at_first_ = at;
  }
  // All it has is sealed.
  void end() { marks_ = {}; }

  // Its first record begins there. What lies before it is another segment's, and is not taken.
  void first_record_at(std::uint64_t offset) { taken_ = mapped_at_first_ = offset; }

  // Nothing new is taken below this.
  std::uint64_t taken() const { return taken_; }
  // Everything below `offset` is, and everything below `mapped` has been mapped too. As long as nothing more has been,
  // it is taken at once with the first bytes. REQUIRES: offset > taken(), mapped <= offset.
  void take(std::uint64_t offset, std::uint64_t mapped, TimePoint now) {
    mapped = std::max(mapped, mapped_at_first_);
    taken_ = offset;
    if (marks_.moves > 0 && mapped == mapped_at_first_) return;
    marks_.last = now.time_since_epoch() - marks_.begun_at;
    if (marks_.moves == 0) {
      marks_.first = marks_.last;
      mapped_at_first_ = mapped;
    }
    marks_.timed_bytes = mapped - mapped_at_first_;
    if (marks_.moves < std::numeric_limits<std::uint32_t>::max()) ++marks_.moves;
  }

  const SegmentMarks& marks() const { return marks_; }
  Duration age(TimePoint now) const { return now.time_since_epoch() - marks_.begun_at; }

 private:
  SegmentMarks marks_;
  std::uint64_t taken_ = 0;
  std::uint64_t mapped_at_first_ = 0;  // all below was mapped when the first bytes were taken
};

}  // namespace ontime::worker
