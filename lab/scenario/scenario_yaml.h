#pragma once
// Reads scenarios from YAML; docs/scenarios.md lists the keys. There is one set of keys for what is simulated and what
// runs on real processes; what one of the two cannot do, it refuses with a sentence that begins with the line.

#include <yaml-cpp/yaml.h>

#include <functional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

Result<std::string> no_files(const std::string& name);

// Where the files are that a scenario names; relative names count from the scenario's own folder.
struct Surroundings {
  std::function<Result<std::string>(const std::string& name)> read_file = no_files;
  std::function<std::string(const std::string& name)> absolute_path = [](const std::string& name) { return name; };
};

// A scenario that can be simulated, checked; otherwise BadInput with one sentence.
Result<Scenario> read_scenario(const std::string& text, const Surroundings& surroundings = {});
Result<Scenario> read_scenario(const YAML::Node& document, const Surroundings& surroundings = {});

// Everything that a document says, whether simulation or processes can do it. What is left out is as suits processes if
// it is for them or has an injection, which is for both. Throws YamlFault.
enum class For { Simulation, Processes };
Scenario read_document(const YAML::Node& document, const Surroundings& surroundings, For what);

// Throws YamlFault, with `why`, if the document has one of the keys.
struct Keys {
  std::vector<const char*> top;
  std::vector<const char*> nodes;
  std::vector<const char*> jobs;
};
void refuse(const YAML::Node& document, const Keys& keys, const std::string& why);

}  // namespace ontime::lab
