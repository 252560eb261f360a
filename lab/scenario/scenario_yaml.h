#pragma once
// A scenario as a YAML document; docs/simulator.md lists its keys. Times are numbers of seconds or texts such as
// "200ms", sizes numbers or texts such as "64MiB", distributions a value or one of
//   {pareto: [t_min, beta]}  {lognormal: [median, sigma]}  {uniform: [least, greatest]}
//   {exponential: [least, mean]}  {empirical: [value, ...]}

#include <functional>
#include <string>

#include "common/base/result.h"
#include "lab/scenario/scenario.h"

namespace YAML {
class Node;
}

namespace ontime::lab {

// Contents of a file that a scenario names; relative paths count from the scenario's own place.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;
Result<std::string> no_files(const std::string& path);  // refuses them all

// BadInput with the line where something is wrong; a scenario that was read is also checked.
Result<Scenario> read_scenario(const std::string& text, const ReadFile& read_file = no_files);
Result<Scenario> read_scenario(const YAML::Node& document, const ReadFile& read_file = no_files);

}  // namespace ontime::lab
