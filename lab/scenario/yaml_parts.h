#pragma once
// What stands behind single keys of a scenario. Everything throws YamlFault at what cannot be.

#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/scenario_yaml.h"
#include "lab/scenario/traces.h"
#include "lab/scenario/yaml_fields.h"

namespace ontime::lab {

inline constexpr double kProcessTasksMax = 10'000;  // of a job that processes run

void demand(bool holds, const YAML::Node& where, const std::string& what);
double read_positive(const YAML::Node& node);
std::string read_name(const YAML::Node& node);  // fit for file names and for patterns of an injection

// Of nodes and what happens to them.
Disk read_disk(const YAML::Node& node);
Network read_network(const YAML::Node& node);
Outage read_outage(const YAML::Node& node);
scheduler::Placement read_placement(const YAML::Node& node);

// Of jobs. Those that take a group put into it what they read.
Arrivals read_arrivals(const YAML::Node& node);
std::vector<TraceJob> read_trace(const YAML::Node& node, const Surroundings& surroundings);
// A group like this one for each of the stages.
std::vector<JobGroup> read_stages(const YAML::Node& node, const Surroundings& surroundings, const JobGroup& like);
JobGroup read_tasks(const YAML::Node& node, JobGroup group);
JobGroup read_duration(const YAML::Node& node, const Surroundings& surroundings, JobGroup group);
JobGroup read_skew(const YAML::Node& node, JobGroup group);
void read_deadline(const YAML::Node& node, JobGroup& group);
void read_policy_of(const YAML::Node& node, JobGroup& group);
double read_checkpoint(const YAML::Node& node);

// Of a comparison.
std::vector<NamedPolicy> read_policies(const YAML::Node& node);
WarmUp read_warm_up(const YAML::Node& node);
Reading read_reading(const YAML::Node& node);
std::map<std::string, Reading> read_printed(const YAML::Node& node);
std::vector<double> read_shares(const YAML::Node& node);

}  // namespace ontime::lab
