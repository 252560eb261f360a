#pragma once
// Where a copy takes over, as the papers print it: the original reads on for b_extra bytes while the copy is being
// launched, so the copy starts at b_new and the original works up to there. What is shipped instead is
// linear_handover() of scheduler/policies/open_segments.h.

namespace ontime::scheduler::math {

// The original as its reports show it. Bytes; offsets are absolute, counts are from b_start. Times: instants with one
// origin, in any one unit.
struct OriginalPace {
  double b_start = 0;       // offset at which it began
  double b_end = 0;         // end of its range
  double b_done = 0;        // count processed at t_now: b_est (Chronos), b_proc (Shed+)
  double b_first = 0;       // count processed at t_first
  double t_launched = 0;    // t_lau
  double t_processing = 0;  // t_proc: processing began, t_lau <= t_proc <= t_FP
  double t_first = 0;       // t_FP: first progress report
  double t_now = 0;         // now; t_FP < t_now
};

struct Handover {
  double b_extra = 0;  // count of bytes that the original is expected to read during the launch
  double b_new = 0;    // offset at which the copy is to start; not rounded, not capped
};

// Chronos eq. 31 and Shed+ eqs. 15-16 (the same formula): all bytes since the start over the
// time since the first report, for t_FP - t_lau: too far ahead unless nothing was read before t_FP.
Handover handover_as_printed(const OriginalPace& pace);

// Shed eq. 14: the same over the time since processing began. b_new = b_start + b_done + b_extra.
Handover shed_handover(const OriginalPace& pace);

// Shed eq. 15 to the letter: eq. 14's b_proc is an offset, so adding b_start once more counts it twice.
double shed_b_new_as_printed(const OriginalPace& pace);

}  // namespace ontime::scheduler::math
