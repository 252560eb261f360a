#pragma once
// The input files of jobs: those that the scenario names, and data that is made for it as by `ontime gen`.

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "experiment/plan.h"
#include "experiment/scenario.h"

namespace ontime::cli {

class Inputs {
 public:
  // Data goes to `directory`, which the workers must see under the same path.
  explicit Inputs(std::string directory) : directory_(std::move(directory)) {}

  // Makes what is missing.
  Status prepare(const experiment::Scenario& scenario, const std::vector<experiment::PlannedJob>& jobs);
  std::vector<std::string> of(const experiment::JobGroup& group, std::uint32_t tasks) const;

 private:
  std::string data_path(const experiment::JobGroup& group, std::uint32_t tasks) const;
  std::string directory_;
};

}  // namespace ontime::cli
