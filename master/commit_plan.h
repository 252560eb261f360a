#pragma once
// What the commit of a job has to do, taken from the ledgers of its tasks. May take long for a million tasks: it is
// made on a pool's thread.

#include <cstdint>
#include <string>
#include <vector>

#include "common/output/attempt_log.h"
#include "common/output/manifest.h"
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

struct CommitPlan {
  std::string directory;
  std::vector<Part> parts;
  output::Manifest manifest;
  std::vector<output::AttemptLog> logs{};  // as far as they are known
};

CommitPlan make_commit_plan(const scheduler::action::CommitOutput& commit);

}  // namespace ontime::master
