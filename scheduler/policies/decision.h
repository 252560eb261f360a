#pragma once
// What a policy may ask for. The ApplicationMaster carries it out: cuts, launches, kills.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "scheduler/core/reason.h"

namespace ontime::scheduler {

// When the tail that fresh attempts take over is cut off.
enum class Handover : std::uint8_t {
  Predicted,  // now, at an offset beyond the straggler that it is expected to reach while they are launched
  Ready       // when the first of them is ready to map; until then the straggler goes on
};

// Race the open segment that begins at `segment`, or a tail of it, with fresh attempts.
//
//   resume_at empty                       the segment from its begin (restart); the attempt on it goes on
//   resume_at, release = false            the tail from there on; the attempt that is cut goes on and races for it too
//   resume_at, release = true             the same, but the attempt that is cut stops at the cut
//   resume_at, release, borders           the tail is divided at the borders into segments of their own
//
// The attempt that is cut is the one that has got farthest; it may stand beyond resume_at by the time it is asked, then
// the tail begins where it stands and borders before that are left out. With Handover::Ready resume_at is the earliest
// offset to cut at (0: wherever it stands).
struct Speculate {
  TaskId task;
  std::uint64_t segment = 0;
  std::optional<std::uint64_t> resume_at;
  bool release = false;
  Handover handover = Handover::Predicted;
  std::vector<std::uint64_t> borders;    // ascending offsets, beyond resume_at; only with release
  std::vector<std::uint32_t> copies{1};  // fresh attempts per piece; one more entry than borders
  Reason reason = Reason::Late;
  // For people: when the task was expected to be done (seconds after submission), its probability to make the deadline
  // before and after this decision. NaN: not known.
  double completion = std::numeric_limits<double>::quiet_NaN();
  double pocd_before = std::numeric_limits<double>::quiet_NaN();
  double pocd_after = std::numeric_limits<double>::quiet_NaN();
};

// Divide an open segment that nobody works on; each piece then waits for an attempt of its own. Not for segments with
// an unknown end.
struct Divide {
  TaskId task;
  std::uint64_t segment = 0;
  std::vector<std::uint64_t> borders;  // ascending, within the segment
  Reason reason = Reason::DivideAtStart;
};

// Tasks of the job that are launched from now on start with so many attempts besides the original.
struct CloneTasks {
  JobId job;
  std::uint32_t copies = 0;
  Reason reason = Reason::Clone;
};

struct EndAttempt {
  AttemptId attempt;
  Reason reason = Reason::SlowerCopy;
};

// Nothing was done for this task although one might have expected it.
struct Decline {
  TaskId task;
  Reason reason = Reason::OnSchedule;
};

// For people, stored with the job: which parameters were chosen and why ("r = 2: ...").
struct Note {
  JobId job;
  std::string text;
};

using Decision = std::variant<Speculate, Divide, CloneTasks, EndAttempt, Decline, Note>;

}  // namespace ontime::scheduler
