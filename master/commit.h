#pragma once
// Carries a commit out. The order makes it repeatable after a crash at any point, and _SUCCESS mean that all is there:
//
//   1 every part file in its place, each by one rename    a part file under its name is complete, always
//   2 sync of the directory                               the renames last before their sources' directory goes
//   3 _manifest.json                                      whole or not at all, synced
//   4 the job's claim, _attempts, removed                 nothing needs it any more
//   5 _SUCCESS, sync of the directory
//
// A repeated commit keeps the parts that are in place and goes on. Once there is a _SUCCESS, it has nothing to do. A
// directory is the job's while it holds the claim, or the manifest, of the plan's claim id. No other directory is
// changed. A _SUCCESS that is there before step 5 is another job's: then the commit fails.

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "common/output/attempt_log.h"
#include "common/output/manifest.h"
#include "master/file_work.h"
#include "scheduler/core/action.h"

namespace ontime::master {

// Where the output of one segment lies before the commit.
struct Extent {
  std::string file;  // of an attempt
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// How one part file comes to be. `extents` in the order of the part, empty outputs left out, neighbours joined unless
// each is an object of a store.
struct Part {
  std::string name;
  std::uint64_t length = 0;
  std::vector<Extent> extents;
  // The file of the one attempt that mapped the whole task, has ended in success and so does not write any more: it may
  // become the part file as it is. Otherwise a late process might still write to it, and it is copied.
  bool may_rename = false;
};

// What the commit of a job has to do, taken from the ledgers of its tasks.
struct CommitPlan {
  std::string directory;
  std::vector<Part> parts;
  output::Manifest manifest;
  std::vector<output::AttemptLog> logs{};  // as far as they are known
};

// May take long for a million tasks: on a pool's thread.
CommitPlan make_commit_plan(const scheduler::action::CommitOutput& commit);

// may_go_on is called between any two changes to the disk; false ends the commit where it stands (Unavailable).
// On a thread of FileWork. An error is one sentence that names the file. `roots`: where the directory has to lie.
Status commit_output(const CommitPlan& plan, const MayGoOn& may_go_on, const files::Roots& roots = {});

// Puts the output of several attempts together into one file, in the order of the input.

// The _attempts directory: descriptor, and path for messages.
struct StitchPlace {
  int directory;
  std::string path;
};

// Writes `name` in the directory, complete and synced.
Status stitch(const StitchPlace& place, const Part& part, const std::string& name, const MayGoOn& may_go_on);

}  // namespace ontime::master
