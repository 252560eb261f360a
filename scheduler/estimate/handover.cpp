#include "scheduler/estimate/handover.h"

#include <algorithm>

namespace ontime::scheduler::estimate {
namespace {

Handover handover(const OriginalPace& pace, double b_extra) { return {b_extra, pace.b_start + pace.b_done + b_extra}; }

}  // namespace

Handover linear_handover(const OriginalPace& pace) {
  const double rate = (pace.b_done - pace.b_first) / (pace.t_now - pace.t_first);
  return handover(pace, rate * (pace.t_processing - pace.t_launched));
}

Handover handover_as_printed(const OriginalPace& pace) {
  return handover(pace, pace.b_done / (pace.t_now - pace.t_first) * (pace.t_first - pace.t_launched));
}

Handover shed_handover(const OriginalPace& pace) {
  return handover(pace, pace.b_done / (pace.t_now - pace.t_processing) * (pace.t_first - pace.t_launched));
}

double shed_b_new_as_printed(const OriginalPace& pace) { return pace.b_start + shed_handover(pace).b_new; }

std::optional<double> usable_offset(const Handover& handover, double b_end) {
  if (!(handover.b_new < b_end)) return std::nullopt;
  return handover.b_new;
}

double capped_offset(const Handover& handover, double b_end) { return std::min(handover.b_new, b_end); }

}  // namespace ontime::scheduler::estimate
