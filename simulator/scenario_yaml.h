#pragma once
// A scenario as a YAML document; docs/simulator.md lists its keys. Times are numbers of seconds or texts such as
// "200ms", sizes numbers or texts such as "64MiB", distributions a value or one of
//   {pareto: [t_min, beta]}  {lognormal: [median, sigma]}  {uniform: [least, greatest]}
//   {exponential: [least, mean]}  {empirical: [value, ...]}

#include <string>

#include "common/base/result.h"
#include "simulator/scenario.h"

namespace ontime::simulator {

// BadInput with the line where something is wrong; a scenario that was read is also checked.
Result<Scenario> read_scenario(const std::string& text);

}  // namespace ontime::simulator
