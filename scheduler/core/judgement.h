#pragma once
// What a decision about an attempt that runs was worth when it was carried out, and what its job had spent by then. Not
// durable.

#include <cstdint>
#include <optional>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/segment_times.h"
#include "scheduler/policies/decision.h"

namespace ontime::scheduler {

// Instants in seconds after the job's submission, times in seconds.
struct Worth {
  double without = 0;  // when what is decided about is expected to be done if nothing is done
  double with = 0;     // and if it is carried out
  double price = 0;    // machine time that it costs beyond what it spares
  bool is_worth = true;
  bool is_binding = false;  // what is not worth it is refused: segments of the job need starts
  double least = 0;         // more than that has to be gained, unless a deadline hangs on it

  double gain() const { return without - with; }
};

struct Judgement {
  enum class What : std::uint8_t { Race, Cut, End };
  What what = What::Race;
  TaskId task;
  Reason reason = Reason::Late;
  std::optional<std::uint32_t> attempt{};  // number: that is ahead, and cut or ended if anything is
  Worth worth{};
  double work = 0;               // machine time that the job needs without copies, in seconds; 0: it is not known
  double rate = 0;               // bytes per second of the attempt; 0: it shows no pace
  std::optional<double> late{};  // seconds to the first byte of a segment beyond which it is late

  // What the cluster knows: of the job with this decision, and of the attempt before it.
  TimePoint at{};
  double spent = 0;             // seconds of machine time that promises have cost
  bool is_divided_more = true;  // nothing was regretted yet
  bool is_running = false;
  SegmentTimes segment{};
};

}  // namespace ontime::scheduler
