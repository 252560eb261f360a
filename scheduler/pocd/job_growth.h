#pragma once
// One job of Shed+ while copies are given to its straggling tasks one by one.

#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "scheduler/pocd/allocation.h"

namespace ontime::scheduler::pocd {

// A job as the grant sees it: what its copies cannot change, and its straggling tasks.
struct JobOdds {
  double ln_rest = 0;  // ln of the probability that all tasks that get no copies make it; -inf: the job is lost
  std::vector<TaskOdds> stragglers;

  // Some task cannot make it, with however many copies.
  bool is_hopeless() const;
};

// Which straggler gets the job's next copy; the lowest index on ties.
enum class NextCopy {
  BestGain,    // where it raises ln R_j most: best for every number of copies, since gains only shrink
  LeastLikely  // where R_i is smallest: Shed+'s Algorithm 1, line 16
};

class JobGrowth {
 public:
  // odds must outlive it.
  JobGrowth(const JobOdds& odds, CopyLimit limit, NextCopy rule);

  // ln R_j with the copies given so far. The sum is kept as a tree, so nothing cancels as terms shrink.
  double ln_pocd() const { return sums_[1]; }
  // Some straggler may get one more copy (with BestGain: and would profit).
  bool can_grow() const { return !next_.empty(); }
  // Gives one copy. REQUIRES: can_grow().
  void grow();
  const std::vector<std::uint32_t>& copies() const { return copies_; }

 private:
  void set_term(std::size_t task, double ln);
  void offer(std::size_t task);  // puts the task into the queue if it may grow

  const JobOdds& odds_;
  CopyLimit limit_;
  NextCopy rule_;
  std::vector<std::uint32_t> copies_;  // r_i per straggler
  std::size_t leaves_;
  std::vector<double> sums_;                    // binary tree of partial sums of ln R_i, root at 1
  using Turn = std::pair<double, std::size_t>;  // key, task: the smallest first
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> next_;
};

}  // namespace ontime::scheduler::pocd
