#pragma once
// Reads the file that describes an experiment.

#include <functional>
#include <string>

#include "common/base/result.h"
#include "lab/experiment/scenario.h"

namespace ontime::lab::experiment {

// What the reader needs of the world. Names are as in the scenario: relative ones count from its place.
struct Surroundings {
  std::function<Result<std::string>(const std::string& name)> read_file;
  std::function<std::string(const std::string& name)> absolute_path;
};

// BadInput with one sentence that begins with the line where something is wrong. A scenario that was read is checked.
Result<Scenario> read_scenario(const std::string& text, const Surroundings& surroundings);

}  // namespace ontime::lab::experiment
