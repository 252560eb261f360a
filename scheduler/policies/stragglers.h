#pragma once
// Looks through running jobs for the pieces of tasks that their own pace will not bring in by the deadline, and says
// what fresh attempts could do for them. One pass over the outlook's flat arrays; the tasks themselves are touched only
// where something is late or raced.

#include <cstdint>
#include <vector>

#include "scheduler/policies/decision.h"
#include "scheduler/policies/pieces.h"

namespace ontime::scheduler {

struct WatchedJob {
  const JobView* view = nullptr;
  estimate::Durations durations;
  bool is_lost = false;  // some task cannot be in time, whatever is done
};

struct Straggler {
  std::uint32_t job = 0;  // position among the watched ones
  TaskId task;
  std::uint64_t segment = 0;
  std::uint64_t resume_at = 0;  // where the copies are to take over
  NodeId node;                  // of the attempt that is ahead
  double completion = 0;        // by that attempt, seconds after submission
  double ln_copy = 0;           // ln of a copy's probability to miss the deadline
  bool is_told = false;         // there is a Decline for the task already
};

struct FoundStragglers {
  std::vector<Straggler> pieces;  // that copies could bring in; in order of job and task
  std::vector<AttemptId> slower;  // attempts of late or raced tasks that are not the first on any piece
  std::vector<Decline> declined;  // late tasks that copies are no use for, at most one each, in the same order
};

// Sets is_lost of the jobs. A copy works on what is behind the hand-over and has what the launch leaves of the time for
// it; Shed+'s eqs. 6 and 9 give it all that is left now and all the time. `straggler_shape`: the shape of a copy's Pareto
// tail is the straggler's own (eq. 14), otherwise the application's.
FoundStragglers find_stragglers(const View& view, std::vector<WatchedJob>& jobs, bool straggler_shape);

}  // namespace ontime::scheduler
