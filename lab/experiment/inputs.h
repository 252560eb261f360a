#pragma once
// The input files of jobs: those that the scenario names, and data that is made for it as by `ontime gen`.

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/experiment/plan.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

class Inputs {
 public:
  // Data goes to `directory`, which the workers must see under the same path.
  explicit Inputs(std::string directory) : directory_(std::move(directory)) {}

  // Makes what is missing.
  Status prepare(const Scenario& scenario, const std::vector<PlannedJob>& jobs);
  std::vector<std::string> of(const JobGroup& group, std::uint32_t tasks) const;

 private:
  std::string data_path(const JobGroup& group, std::uint32_t tasks) const;
  std::string directory_;
};

}  // namespace ontime::lab::experiment
