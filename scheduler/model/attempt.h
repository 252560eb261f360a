#pragma once
// One execution that works through open segments of a task, in order, on a slot of a node.
//
//   Launching --first record--> Running --> Succeeded   sealed everything it held
//       |                          |------> Failed      exited, crashed, threw, made no progress
//       |                          |------> Killed      lost a race, its job ended, a policy said so
//       '--------------------------'------> Lost        with its node

#include <cstdint>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/time.h"

namespace ontime::scheduler {

enum class AttemptState : std::uint8_t { Launching, Running, Succeeded, Failed, Killed, Lost };
constexpr bool is_live(AttemptState s) { return s == AttemptState::Launching || s == AttemptState::Running; }

// Where an attempt stood at an earlier report.
struct Mark {
  TimePoint at;
  std::uint64_t offset = 0;
};

struct Attempt {
  NodeId node;
  AttemptState state = AttemptState::Launching;
  bool speculative = false;  // raced another attempt from its launch on
  bool standby = false;      // gets ready, or is ready and waits to be told where to begin; maps nothing yet
  bool was_standby = false;  // and was told to begin; that order may have to be repeated
  bool cut_pending = false;  // a cut was asked for and not answered yet
  bool adopted = true;       // false between a master's restart and the worker's report that it still runs
  // What it still holds: open segments tile it. begin moves up with each seal, end down with a release.
  ByteRange held;
  std::uint64_t start_offset = 0;  // where it began; of a standby, where it might
  std::uint64_t launch_end = 0;    // where it would have ended if nothing had been cut
  std::uint64_t offset = 0;        // last reported: everything it held below is mapped
  std::uint64_t records = 0;       // last reported
  std::uint64_t output_bytes = 0;  // last reported
  TimePoint launched_at;           // t_lau
  TimePoint ready_at;              // launch overhead ended; epoch while launching
  TimePoint started_at;            // t_FP; epoch while launching. A standby starts when it is told where to begin
  TimePoint reported_at;           // of the last report about it; its launch counts
  TimePoint progressed_at;         // when offset last moved (launch counts)
  TimePoint ended_at;              // epoch while live
  // Where it stood one to two recent_window() ago, and less than one ago: how fast it has been of late. Its start at
  // first.
  Mark earlier;
  Mark later;
};

}  // namespace ontime::scheduler
