#pragma once
// Open segments of a job that nobody is at wait for processes of the job that will soon be idle, where to load the
// application elsewhere would take too much of the time that the job has left. Not durable.

#include <cstddef>
#include <optional>

#include "scheduler/core/cluster.h"
#include "scheduler/core/outlook.h"

namespace ontime::scheduler {

class ProcessWait {
 public:
  // Whether `segments` of them, at least one, should wait at `now` instead of being launched where no process of the
  // job is: a launch there takes a good part of the time until the deadline, and as many attempts of the job are
  // expected to end before it would be over. A wait ends after the time of such a launch. O(live attempts), but not
  // more often than ten times a second.
  bool is_worth_it(const Cluster& cluster, JobId job, const Outlook& outlook, std::size_t segments, TimePoint now);
  // None waits, or one has been launched.
  void is_over() { since_.reset(); }

 private:
  std::size_t soon_idle(const Cluster& cluster, const Job& job, const Outlook& outlook, TimePoint now, Duration launch);

  std::optional<TimePoint> since_;  // some wait
  TimePoint counted_at_;
  std::size_t soon_idle_ = 0;  // at counted_at_
};

}  // namespace ontime::scheduler
