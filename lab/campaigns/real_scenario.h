#pragma once
// A cluster on which real stages run: each stage is an application of its own, submitted several times.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "lab/campaigns/real_stages.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

// What durations are like.
//   resampled  every attempt draws from its stage's record
//   replay     first attempts take exactly their recorded durations, the others draw from the record; the node's share
//              of an attempt's luck is `persistence`, and each stage is submitted once, so that nothing is known of it
//   pareto     every attempt draws from the Pareto distribution fitted to its stage (maximum likelihood, t_min is the
//              shortest duration); stages whose mean would be infinite are left out
//   lognormal  the same with a lognormal
struct RealCase {
  std::string world = "resampled";
  std::string policy = "none";
  scheduler::StringMap parameters;
  double load = 0.4;  // by recorded work
  std::uint32_t jobs = 6;
  std::uint32_t nodes = 75;
  std::uint32_t slots = 2;
  double launch = 2;              // median; its logarithm has a standard deviation of 0.3
  double persistence = 0.21;      // node_correlation in `replay`
  std::uint64_t seed = 1;         // of the arrivals
  std::vector<double> deadlines;  // by stage; empty: none
};

std::vector<std::string_view> real_worlds();

// The stages that the world can be made of.
std::vector<Stage> stages_in(std::string_view world, std::vector<Stage> stages);

// A group of jobs for each stage, in their order. BadInput for a world that there is not.
Result<Scenario> real_scenario(const std::vector<Stage>& stages, const RealCase& what);

}  // namespace ontime::lab
