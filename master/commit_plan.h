#pragma once
// What the commit of a job has to do, taken from its ledger: a value, so that a pool thread can work on it while the
// control thread goes on.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/output/manifest.h"
#include "scheduler/core/cluster.h"

namespace ontime::master {

// Where the output of one segment lies before the commit.
struct Piece {
  std::string file;  // below _attempts
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// How one part file comes to be. `pieces` in the order of the part, empty outputs left out, neighbours joined.
struct Part {
  std::string name;
  std::uint64_t length = 0;
  std::vector<Piece> pieces;
  // The file of the one attempt that mapped the whole task, has ended in success and so does not write any more: it may
  // become the part file as it is. Otherwise a late process might still write to it, and it is copied.
  bool may_rename = false;
};

struct CommitPlan {
  std::string directory;
  std::vector<Part> parts;
  output::Manifest manifest;
};

// Makes it in slices: a job may have a million tasks, and a job that is being committed does not change.
class CommitPlanner {
 public:
  // REQUIRES: every task of the job is done.
  CommitPlanner(const scheduler::Cluster& cluster, JobId id);
  // Adds what comes next, `count` inputs or tasks at most; true when all is there. REQUIRES: the job is there.
  bool add(std::size_t count);
  CommitPlan take() { return std::move(plan_); }

 private:
  const scheduler::Cluster& cluster_;
  const JobId id_;
  CommitPlan plan_;
  std::size_t next_input_ = 0;
  std::uint32_t next_task_ = 0;
};

// At once. REQUIRES: every task of the job is done.
CommitPlan make_commit_plan(const scheduler::Cluster& cluster, JobId id);

}  // namespace ontime::master
