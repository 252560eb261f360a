#include "tests/pocd/handover.h"

namespace ontime::scheduler::math {
namespace {

Handover handover(const OriginalPace& pace, double b_extra) { return {b_extra, pace.b_start + pace.b_done + b_extra}; }

}  // namespace

Handover handover_as_printed(const OriginalPace& pace) {
  return handover(pace, pace.b_done / (pace.t_now - pace.t_first) * (pace.t_first - pace.t_launched));
}

Handover shed_handover(const OriginalPace& pace) {
  return handover(pace, pace.b_done / (pace.t_now - pace.t_processing) * (pace.t_first - pace.t_launched));
}

double shed_b_new_as_printed(const OriginalPace& pace) { return pace.b_start + shed_handover(pace).b_new; }

}  // namespace ontime::scheduler::math
