#pragma once
// Tasks at which nothing can be wrong until they are reported again. A look that finds nothing to do at such a task
// finds nothing at the next one either, however late it is by then, so it is left out: what a decision costs grows with
// the tasks that were reported since the last one and with those that are late or slow, not with those that run.
//
// Quiet are tasks of which each open segment waits or has one attempt, which runs and shows a pace at which a fresh one
// would not save enough, by the durations of now. Only being late for its deadline could make the policy act then, and
// that is asked for here. Derived from the outlook, and never needed: without it all is looked at again.
//
// What most looks read of a task is kept apart, as they come to all of them: 16 bytes and its revision.
//
// Threads: none of its own. Memory: 24 bytes for each task that was launched.

#include <cstdint>
#include <limits>
#include <vector>

#include "scheduler/core/outlook.h"
#include "scheduler/math/durations.h"
#include "scheduler/policies/open_segments.h"

namespace ontime::scheduler {

class QuietTasks {
 public:
  // To be called before a pass over the job's first `tasks` tasks.
  // `may_replace`: attempts are replaced where that saves time; else nothing is slow.
  void begin(const Outlook& outlook, std::uint32_t tasks, const math::Durations& durations, bool may_replace);

  // A fresh attempt would not save enough of what one needs that takes `pace` seconds for each byte.
  bool is_fast(double pace) const { return pace <= fast_; }
  // Its segments are quiet and expected to be sealed by `due`, in seconds after submission, all of them before
  // `horizon` or none. REQUIRES: task < tasks.
  bool is_quiet(std::uint32_t task, double horizon, double due) const {
    const Ends& ends = ends_[task];
    if (ends.revision != outlook_->revision(task)) return false;
    return ends.last <= due && (ends.last < horizon || ends.first >= horizon);
  }
  // How many are expected to be sealed before the horizon, and whether there are several. REQUIRES: is_quiet().
  std::uint32_t ending(std::uint32_t task, double horizon) const {
    return ends_[task].last < horizon ? ends_[task].segments : 0;
  }
  bool is_divided(std::uint32_t task) const { return ends_[task].is_divided; }
  // `segments`: all that somebody works on. `is_divided`: it has several open ones, those that wait counted.
  void remember(std::uint32_t task, const std::vector<OpenSegment>& segments, bool is_divided);

 private:
  struct Ends {
    std::uint32_t revision = 0;       // of the task's outlook when it was looked at; 0: it is not quiet
    std::uint32_t segments : 31 = 0;  // that somebody works on
    bool is_divided : 1 = false;
    float first = std::numeric_limits<float>::infinity();  // of their completions, seconds after submission; rounded
    float last = -std::numeric_limits<float>::infinity();  // away from each other
  };
  struct Paces {
    float pace = 0;  // seconds per byte of the slowest; rounded up
    float sure = 0;  // the least that its error leaves possible, of any; rounded up
  };
  bool is_like_others(const Paces& paces) const {
    return !may_replace_ || is_fast(paces.pace) || paces.sure <= median_;
  }
  void drop_unlike();

  std::vector<Ends> ends_;
  std::vector<Paces> paces_;          // like others', of all that are quiet
  const Outlook* outlook_ = nullptr;  // during a pass
  std::uint64_t learnt_ = 0;          // Outlook::learnt() that the entries rest on
  bool may_replace_ = false;
  double median_ = 0;  // of usual attempts, seconds per byte
  double fast_ = 0;    // is_fast() up to here
};

}  // namespace ontime::scheduler
