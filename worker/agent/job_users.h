#pragma once
// Which user of a range the attempts of each job on this worker run as, so that no job can touch another's. A job has
// its user as long as the worker knows a process of it. Afterwards the user goes to the end of the queue, and no other
// job gets it while any process of the machine still has it: one that hangs, or one that was left behind.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "common/base/ids.h"
#include "worker/confine/identity.h"

namespace ontime::worker {

class JobUsers {
 public:
  using IsBusy = std::function<bool(uid_t)>;

  explicit JobUsers(UserRange range, IsBusy is_busy = has_processes);

  // The job's user: the one that it has, otherwise of those that are free the least recently used. Nothing if all are
  // taken.
  std::optional<uid_t> take(JobId job);
  // Of those that are free, the ones that have processes: what earlier jobs left, or an earlier worker with this range.
  std::vector<uid_t> left_behind() const;
  // The last process of the job that the worker knew has ended. The user that it had, if any.
  std::optional<uid_t> give_back(JobId job);

 private:
  const IsBusy is_busy_;
  std::deque<uid_t> waiting_;  // least recently used first
  std::map<JobId, uid_t> taken_;
};

}  // namespace ontime::worker
