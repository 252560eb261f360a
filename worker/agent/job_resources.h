#pragma once
// What a job has on this worker besides its processes: the files that it brings with it, and a user. One thread.

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/files/temporary_directory.h"
#include "common/protocol/control.pb.h"
#include "worker/confine/confinement.h"

namespace ontime::worker {

// Files that jobs bring with them, in a private directory below $TMPDIR (or /tmp): each content once, however many jobs
// and attempts use it, and for each runner a directory with links to those of its job. Removed when no job needs them,
// and with this object.
class JobFiles {
 public:
  // The directory of a runner of this job, in which its files lie under their names; empty for a job without files. If
  // `user` is not 0, only that one can enter it.
  Result<std::string> make_directory(std::uint64_t runner, const wire::JobSetup& setup, uid_t user);
  void remove_directory(std::uint64_t runner);
  // Removes what no other job needs.
  void forget(JobId job);
  void forget_all_but(const std::set<JobId>& jobs);

 private:
  void forget_if(const std::function<bool(JobId)>& is_over);
  Result<std::string> keep(const wire::ShippedFile& file, JobId job);  // its path
  std::string directory_of(std::uint64_t runner) const { return scratch_.path() + "/runner-" + std::to_string(runner); }

  files::Scratch scratch_{"ontime-files-"};
  std::map<std::string, std::set<JobId>> content_;  // by path
  std::set<std::uint64_t> runners_;                 // that have a directory
};

// Which user of a range the attempts of each job on this worker run as, so that no job can touch another's. A job has
// its user as long as the worker knows a process of it. Afterwards the user goes to the end of the queue, and no other
// job gets it while any process of the machine still has it: one that hangs, or one that was left behind.
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
