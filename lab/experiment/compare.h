#pragma once
// Two results side by side, with 95 % intervals of the differences: of shares by Newcombe's hybrid of two Wilson
// intervals, of means by Welch's t. Jobs of both sides are taken as independent of each other.

#include <string>
#include <vector>

#include "lab/experiment/rows.h"
#include "lab/results/interval.h"

namespace ontime::lab::experiment {

struct Difference {
  lab::Estimate before;
  lab::Estimate after;
  lab::Estimate change;  // after - before; without an interval where nothing can be said

  // Whether the interval leaves out 0.
  bool is_clear() const { return change.has_interval() && (change.low > 0 || change.high < 0); }
};

struct Comparison {
  std::string policy;
  Difference pocd;
  Difference time;     // seconds of a job that has ended, mean
  Difference machine;  // slot-seconds of a job, mean
};

// Policies that both have, in the order of `before`.
std::vector<Comparison> compare(const std::vector<JobRow>& before, const std::vector<JobRow>& after);

Difference difference_of_shares(std::uint64_t met_before, std::uint64_t jobs_before, std::uint64_t met_after,
                                std::uint64_t jobs_after);
Difference difference_of_means(const std::vector<double>& before, const std::vector<double>& after);

std::string comparison_json(const std::vector<Comparison>& all);

}  // namespace ontime::lab::experiment
