#pragma once
// What a job has on this worker besides its processes: directories to work in, with the files that it brings, and a
// user.

#include <sys/types.h>

#include <asio/any_io_executor.hpp>
#include <asio/thread_pool.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
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

// Directories of the runners whose job brings files or starts programs, below a private one in $TMPDIR (or /tmp). Each
// has its own copies of the job's files. Removed when the runner has ended, and with this object.
//
// Called on the worker's one thread, which must not be held up: it speaks for all jobs, and a job may bring many files
// and its programs leave any number. So whatever takes longer for a job that has more is done on threads: one for what
// runners wait for, in the order in which it was asked for, and one that removes what they have left.
class JobFiles {
 public:
  // `before_each`: call to the disk that a thread does.
  using Hook = std::function<void()>;
  explicit JobFiles(
      asio::any_io_executor executor, Hook before_each = [] {});
  ~JobFiles();

  using Setup = std::shared_ptr<const wire::JobSetup>;
  using Made = std::function<void(const Status&)>;
  // The directory of a runner of this job, in which its files lie under their names once `made` was called: later, on
  // the executor, unless this object goes. Empty for a job that needs none, and `made` is not called. Only `user` can
  // enter it. A runner's number is its own for good: the directory of one that left is removed later.
  Result<std::string> make_directory(std::uint64_t runner, const Setup& setup, uid_t user, Made made);
  // From now on no user has it.
  void remove_directory(std::uint64_t runner);

 private:
  // On the first thread.
  Status fill(const std::string& directory, const wire::JobSetup& setup, uid_t user);
  Status write(const std::string& directory, const wire::ShippedFile& file);

  std::string directory_of(std::uint64_t runner) const { return scratch_.path() + "/runner-" + std::to_string(runner); }
  void start_threads();

  const asio::any_io_executor executor_;
  const Hook before_each_;
  files::Scratch scratch_{"ontime-files-"};
  std::set<std::uint64_t> runners_;           // that have a directory
  std::optional<asio::thread_pool> filling_;  // since one was wanted, as the other
  std::optional<asio::thread_pool> removing_;
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
  // The free users that still have processes, left by earlier jobs or by an earlier worker with this range.
  std::vector<uid_t> left_behind() const;
  // The last process of the job that the worker knew has ended. The user that it had, if any.
  std::optional<uid_t> give_back(JobId job);

 private:
  const IsBusy is_busy_;
  std::deque<uid_t> waiting_;  // least recently used first
  std::map<JobId, uid_t> taken_;
};

}  // namespace ontime::worker
