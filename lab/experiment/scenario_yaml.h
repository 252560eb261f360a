#pragma once
// Reads the file that describes an experiment: a scenario (lab/scenario/scenario_yaml.h) that processes can run.

#include <string>

#include "common/base/result.h"
#include "lab/scenario/scenario_yaml.h"

namespace ontime::lab::experiment {

inline constexpr std::uint32_t kJobsMax = 900;  // of a run: a master remembers a thousand that have ended

// BadInput with one sentence that begins with the line where something is wrong. What was read is checked.
Result<Scenario> read_experiment(const std::string& text, const Surroundings& surroundings);

// BadInput if there is no such policy or it does not take the parameters. $NAME stands for anything here.
Status check_policy(const NamedPolicy& policy, const Scenario& scenario);

}  // namespace ontime::lab::experiment
