#pragma once
// What a segment costs: T(bytes) = fixed + bytes x rate. The fixed part is the start, until the first bytes were taken,
// and the lag behind the last. All from the times of one segment by its runner's clock (core/segment_times.h).

#include "scheduler/core/segment_times.h"
#include "scheduler/math/durations.h"

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

// The costs of a sealed segment of so many bytes. If all bytes were taken at once, start and work cannot be told apart,
// and all of its time counts as fixed: a piece of it would take as long.
Mapped mapped_of_sealed(const SegmentTimes& times, double bytes);

// The same, and what it shows of starts goes into the sample. REQUIRES: the times are known.
Mapped learn_from_sealed(const SegmentTimes& times, double bytes, Beginning how, DurationSample& sample);

// The costs so far of a segment of which `taken` bytes were taken. Its rate is unknown before bytes were taken twice,
// because the first are a buffer. But if the start was mostly the first record's time (`usual_fixed` is less than half
// of it), the first bytes count. An attempt that takes nothing for longer than its usual interval slows down meanwhile.
Mapped mapped_so_far(const SegmentTimes& times, double taken, double usual_fixed);

// E[rest | it has lasted for `age`] of a start, or of a segment taken at once, that usually lasts `usual`. Beyond that
// it is somebody slow, who may well need as long again.
double rest_of_start(double age, double usual);

}  // namespace ontime::scheduler::math
