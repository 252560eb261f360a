#pragma once
// What a segment costs: T(bytes) = fixed + bytes x rate. The fixed part is the start, until the first bytes were taken,
// and the lag behind the last. All from the times of one segment by its runner's clock (core/segment_times.h).

#include "scheduler/core/segment_times.h"

namespace ontime::scheduler::math {

// Bytes that were mapped, and how long that took besides starts and lags. Sums over segments of one attempt.
struct Mapped {
  double bytes = 0;
  double seconds = 0;
  double fixed = 0;  // seconds of starts and lags
  double moves = 0;  // how often bytes were taken: how much it says

  Mapped& operator+=(const Mapped& other);
  // Bytes per second; 0: it cannot be told.
  double rate() const { return bytes > 0 && seconds > 0 ? bytes / seconds : 0; }
};

// Of a segment of so many bytes that was sealed. Where all bytes were taken at once, nobody can tell its start from its
// work, and all of it is fixed: a piece of it would take as long.
Mapped mapped_of_sealed(const SegmentTimes& times, double bytes);

// Of a segment that is worked on, so many bytes of which were taken. Nothing is known of its rate before bytes were
// taken twice, as the first are a buffer; of a start that is mostly the first record's time (`usual_fixed` is less than
// half of it) the first bytes count. An attempt that has taken nothing for longer than from one time to the next slows
// down as that lasts.
Mapped mapped_so_far(const SegmentTimes& times, double taken, double usual_fixed);

// E[rest | it has lasted for `age`] of a start, or of a segment taken at once, that usually lasts `usual`. Beyond that
// it is somebody slow, who may well need as long again.
double rest_of_start(double age, double usual);

}  // namespace ontime::scheduler::math
