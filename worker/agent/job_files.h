#pragma once
// Files that jobs bring with them, in a private directory below $TMPDIR (or /tmp): each content once, however many jobs
// and attempts use it, and for each runner a directory with links to those of its job. Removed when no job needs them,
// and with this object. One thread.

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/protocol/control.pb.h"
#include "worker/agent/scratch.h"

namespace ontime::worker {

class JobFiles {
 public:
  // The directory of a runner of this job, in which its files lie under their names; empty for a job without files.
  Result<std::string> make_directory(std::uint64_t runner, const wire::JobSetup& setup);
  void remove_directory(std::uint64_t runner);
  // Removes what no other job needs.
  void forget(JobId job);

 private:
  Result<std::string> keep(const wire::ShippedFile& file, JobId job);  // its path
  std::string directory_of(std::uint64_t runner) const { return scratch_.path() + "/runner-" + std::to_string(runner); }

  Scratch scratch_{"ontime-files-"};
  std::map<std::string, std::set<JobId>> content_;  // by path
  std::set<std::uint64_t> runners_;                 // that have a directory
};

}  // namespace ontime::worker
