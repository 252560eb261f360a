#pragma once
// Tasks at which nothing can be wrong until they are reported again. A look that finds nothing to do at such a task
// finds nothing at the next one either, however late it is by then, so it is left out: what a decision costs grows with
// the tasks that were reported since the last one and with those that are late or slow, not with those that run.
//
// Quiet are tasks of which each open segment
//   - waits, or has only attempts of which nothing is known yet, or
//   - has several attempts that race, or
//   - has one, which runs and shows a pace at which a fresh one would not save enough, by the durations of now; or
//     which will not be replaced for another reason (will_not_be_replaced()), by all that the look goes by.
// Only being late for its deadline could make the policy act then, and that is asked for here. Derived from the
// outlook, and never needed: without it all is looked at again.
//
// What can end a task's quiet: it is reported (the outlook says which were), its end comes near (a calendar), or what
// the look goes by changes. Only the last takes a pass over all tasks, as do more reports than the outlook remembers.
//
// Threads: none of its own. Memory: 24 bytes for each task that was launched, and 8 in the calendar.

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "scheduler/core/outlook.h"
#include "scheduler/math/durations.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {

class QuietTasks {
 public:
  // A look at a job's first `tasks` tasks. What it refers to must outlive it.
  struct Look {
    const JobView& job;
    const math::Durations& durations;  // of usual attempts
    const math::Durations& warm;       // by which attempts are replaced
    const Target& target;
    double now = 0;
    double horizon = 0;  // how many segments end before then is counted
    std::uint32_t tasks = 0;
    bool may_replace = false;  // attempts are replaced where that saves time; else nothing is slow
  };

  // Begins a look. Returns the tasks that are not quiet, ascending: to be looked at, and remembered, before end().
  std::vector<std::uint32_t> begin(const Look& look);
  // Segments of quiet tasks that are expected to be sealed before the horizon.
  std::uint32_t ending() const { return ending_; }
  // The look has taken a pass over all tasks.
  bool has_passed_all() const { return has_passed_all_; }
  // A fresh attempt would not save enough of what one needs that takes `pace` seconds for each byte.
  bool is_fast(double pace) const { return pace <= fast_; }
  // `segments`: all that somebody works on.
  void remember(std::uint32_t task, const std::vector<OpenSegment>& segments);
  // Ends the look at the tasks that begin() has returned.
  void end(const std::vector<std::uint32_t>& looked_at);

 private:
  struct Ends {
    std::uint32_t revision = 0;       // of the task's outlook when it was looked at; 0: it is not quiet
    std::uint32_t segments : 30 = 0;  // that are expected to be sealed
    bool is_by_basis : 1 = false;     // quiet only by all that the look went by
    bool is_counted : 1 = false;      // in ending_
    float first = std::numeric_limits<float>::infinity();  // of their completions, seconds after submission; rounded
    float last = -std::numeric_limits<float>::infinity();  // away from each other
  };
  struct Paces {
    float pace = 0;  // seconds per byte of the slowest; rounded up
    float sure = 0;  // the least that its error leaves possible, of any; rounded up
  };
  struct Basis {  // what entries rest on
    math::Durations durations;
    double warm_launch = 0;
    Target target;
    bool is_last_round = false;
  };
  using Instant = std::pair<float, std::uint32_t>;  // of a task: its first end

  // Its segments are in time, and all of them end before the horizon or none.
  bool is_quiet(std::uint32_t task) const {
    const Ends& ends = ends_[task];
    if (ends.revision != look_->job.outlook->revision(task)) return false;
    return ends.last <= look_->target.due && (ends.last < look_->horizon || ends.first >= look_->horizon);
  }
  bool is_like_others(const Paces& paces) const {
    return !look_->may_replace || is_fast(paces.pace) || paces.sure <= median_;
  }
  bool learn_usual();
  bool drop_outdated();
  bool is_left_alone(const OpenSegment& segment) const;
  void count(std::uint32_t task);
  void forget(std::uint32_t task);
  void take_due(std::vector<std::uint32_t>& to);
  std::vector<std::uint32_t> pass_over_all();

  std::vector<Ends> ends_;
  std::vector<Paces> paces_;             // of all that are quiet and not by basis: like others'
  std::vector<std::uint32_t> restless_;  // not quiet after the last look, nor done; ascending
  std::vector<Instant> calendar_;        // of quiet tasks that are not counted; a heap, the first on top, if is_heap_
  bool is_heap_ = false;
  bool has_passed_all_ = false;
  bool has_by_basis_ = false;
  std::uint32_t ending_ = 0;
  const Look* look_ = nullptr;                              // during one
  std::uint64_t learnt_ = 0;                                // Outlook::learnt() that the entries rest on
  std::uint64_t refreshes_ = 0;                             // Outlook::refreshes() of the last look
  double horizon_ = 0;                                      // of the last look
  double last_ = -std::numeric_limits<double>::infinity();  // no quiet one ends later
  Basis basis_;
  bool may_replace_ = false;
  float slowest_ = 0;  // no pace is greater
  double median_ = 0;  // of usual attempts, seconds per byte
  double fast_ = 0;    // is_fast() up to here
};

}  // namespace ontime::scheduler
