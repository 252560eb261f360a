#pragma once
// Reads scenarios from YAML; docs/research/scenarios.md lists the keys. Simulations and real processes share one set of
// keys. A key that one of the two cannot use is refused with a sentence that begins with the line.

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/yaml_fields.h"

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

// What stands behind single keys. Everything throws YamlFault at what cannot be.

inline constexpr double kProcessTasksMax = 10'000;  // of a job that processes run

void demand(bool holds, const YAML::Node& where, const std::string& what);
double read_positive(const YAML::Node& node);
std::string read_name(const YAML::Node& node);  // fit for file names and for patterns of an injection

// Of nodes and what happens to them.
Disk read_disk(const YAML::Node& node);
void read_slowness_changes(const YAML::Node& node, NodeGroup& group);
Network read_network(const YAML::Node& node);
Outage read_outage(const YAML::Node& node);
Elastic read_elastic(const YAML::Node& node);
scheduler::Placement read_placement(const YAML::Node& node);

// Of jobs. Those that take a group put into it what they read.
Arrivals read_arrivals(const YAML::Node& node);
std::vector<TraceJob> read_trace(const YAML::Node& node, const Surroundings& surroundings);
// A group like this one for each of the stages.
std::vector<JobGroup> read_stages(const YAML::Node& node, const Surroundings& surroundings, const JobGroup& like);
JobGroup read_tasks(const YAML::Node& node, JobGroup group);
JobGroup read_duration(const YAML::Node& node, const Surroundings& surroundings, JobGroup group);
void read_starts(YamlFields& fields, JobGroup& group);  // and the other habits of its application
JobGroup read_skew(const YAML::Node& node, JobGroup group);
void read_deadline(const YAML::Node& node, JobGroup& group);
void read_policy_of(const YAML::Node& node, JobGroup& group);
Duration read_checkpoint(const YAML::Node& node);

// Of a comparison.
std::vector<NamedPolicy> read_policies(const YAML::Node& node);
WarmUp read_warm_up(const YAML::Node& node);
void check_printed(const YAML::Node& node);
std::vector<double> read_shares(const YAML::Node& node);

// What was recorded on real clusters. Traces are comma-separated values: the first line names the columns, some of
// which are read. Lines that begin with # are skipped.

// Arrivals and sizes of jobs, one job a line: submit_s (seconds, ascending) and tasks.
Result<std::vector<TraceJob>> read_jobs_csv(const std::string& text);

// How many attempts took how long: from_s, to_s and count, bins in ascending order.
Result<std::vector<Distribution::Bin>> read_histogram_csv(const std::string& text);

// Parallel tasks of one program.
struct Stage {
  std::string name;
  std::vector<double> durations;   // > 0, seconds, in the order of the record
  std::vector<double> firsts;      // instead of them for first attempts, with what they waited; empty: the same
  std::vector<double> slownesses;  // by duration, of the node it was measured on; empty: nothing is known of nodes
  std::optional<double> at;        // when it was submitted, in seconds
  double deadline = 0;             // after that; 0: none
};

// One stage a line: stage (its name) and durations_s, with spaces between them; where known also first_durations_s and
// slownesses, likewise, submit_s and deadline_s.
Result<std::vector<Stage>> read_stages_csv(const std::string& text);

// Which stages of a file are taken, and as what.
struct StageChoice {
  // What attempts draw from: the stage's record, the record without the slowness of its nodes, or the distribution that
  // fits it best. Stages that none fits are left out; of a whole trace they are resampled.
  enum class As : std::uint8_t { Resampled, HostAware, Pareto, Lognormal };
  As as = As::Resampled;
  bool replay = false;                 // the first attempt of each task takes what the task took
  bool whole = false;                  // that, and each stage comes when it came, with the deadline that it had
  double median_min = 0;               // seconds: stages with shorter tasks are left out
  std::uint32_t tasks_min = 1;         // stages with fewer are left out
  std::uint32_t tasks_max = 1u << 31;  // of a stage, the first ones
  double median = 0;                   // seconds: every stage is stretched to it; 0: as recorded
};

std::vector<Stage> choose_stages(const std::vector<Stage>& stages, const StageChoice& choice);

// A group like `like` for each stage, with its name, its number of tasks and its durations.
std::vector<JobGroup> groups_of(const std::vector<Stage>& stages, const StageChoice& choice, const JobGroup& like);

}  // namespace ontime::lab
