#pragma once
// The commit of one job's output, step by step, so that the master can die between any two: what master/commit.cpp
// does, on simulated files and by the real plan. It may be repeated from the start at any time.

#include <cstddef>
#include <string>

#include "master/commit_plan.h"
#include "lab/faults/output_store.h"

namespace ontime::lab::faults {

class CommitRun {
 public:
  CommitRun(master::CommitPlan plan, std::uint32_t directory) : plan_(std::move(plan)), directory_(directory) {}

  // Does the next step; an error ends the commit. Call until is_over().
  void step(OutputStore& store);
  // A failure takes _SUCCESS back if it is there already.
  void fail(OutputStore& store, std::string error) {
    store.directory(directory_).has_success = false;
    error_ = std::move(error);
  }
  bool is_over() const { return !error_.empty() || is_done_; }
  const std::string& error() const { return error_; }
  std::uint32_t directory() const { return directory_; }

 private:
  void place(OutputStore& store, const master::Part& part);
  bool rename_part(OutputStore& store, const master::Part& part);
  void stitch(OutputStore& store, const master::Part& part);
  void conclude(OutputDirectory& directory);

  master::CommitPlan plan_;
  std::uint32_t directory_;
  std::size_t next_ = 0;  // part, then the steps of the conclusion
  bool is_done_ = false;
  std::string error_;
};

// What is removed when a job did not succeed.
void discard_output(OutputDirectory& directory);

}  // namespace ontime::lab::faults
