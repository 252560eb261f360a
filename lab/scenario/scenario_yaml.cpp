#include "lab/scenario/scenario_yaml.h"

#include <set>

#include "common/injection/settings.h"
#include "lab/results/writing.h"

namespace ontime::lab {
namespace {

constexpr std::string_view kTrace = "trace:";

class Traces final : public injection::TraceSource {
 public:
  explicit Traces(const Surroundings& surroundings) : surroundings_(surroundings) {}
  Result<std::string> read(const std::string& name) override { return surroundings_.read_file(name); }

 private:
  const Surroundings& surroundings_;
};

// Everything about one document.
class Reader {
 public:
  Reader(const Surroundings& surroundings, bool for_processes)
      : surroundings_(surroundings),
        traces_(surroundings),
        for_processes_(for_processes),
        base_(for_processes ? process_defaults() : Scenario()),
        scenario_(base_) {}
  Scenario read(const YAML::Node& document);

 private:
  NodeGroup read_nodes(const YAML::Node& node);
  void read_injection(const YAML::Node& node);
  void inject(const std::string& key, const YAML::Node& value);
  void inject_slow_nodes();
  std::string injection_text() const;
  void read_jobs(const YAML::Node& node);
  void read_input(const YAML::Node& node, JobGroup& group);
  void read_sizes(YamlFields& fields, JobGroup& group);
  void read_handling(YamlFields& fields, JobGroup& group);
  void check_processes(const YAML::Node& node, const JobGroup& group) const;
  void read_cluster(YamlFields& fields);
  void read_comparison(YamlFields& fields);

  const Surroundings& surroundings_;
  Traces traces_;
  const bool for_processes_;
  const Scenario base_;  // what is left out is as here
  Scenario scenario_;
  std::uint64_t nodes_ = 0;  // of all groups, so far
  std::uint64_t slots_ = 0;
  std::uint32_t items_ = 0;                                   // of the list of jobs, so far
  std::map<std::string, std::vector<std::string>> settings_;  // of the injection
};

NodeGroup Reader::read_nodes(const YAML::Node& node) {
  YamlFields fields(node);
  NodeGroup group = base_.nodes.front();
  fields.get("name", group.name, read_name);
  fields.count("count", group.count);
  fields.count("slots", group.slots);
  fields.distribution("slowness", group.slowness);
  if (const YAML::Node changes = fields.take("slowness_changes")) read_slowness_changes(changes, group);
  fields.get("disk", group.disk, read_disk);
  fields.finish();
  nodes_ += group.count;
  slots_ += std::uint64_t{group.count} * group.slots;
  demand(nodes_ <= kNodesMost && slots_ <= kSlotsMost, node,
         "a cluster has at most " + std::to_string(kNodesMost) + " nodes and " + std::to_string(kSlotsMost) + " slots");
  if (!for_processes_) return group;
  demand(group.is_steady(), node, "a slowness that changes is for 'ontime simulate', without an injection");
  demand(group.count > 0 && group.slots > 0, node, "there is at least one node, with one slot");
  demand(group.slowness.is_constant() && group.slowness.median() > 0, node,
         "the slowness of a group of processes is a positive number; make a group for each");
  for (const NodeGroup& other : scenario_.nodes) {
    demand(other.name != group.name, node, "two groups of nodes are called '" + group.name + "'; name them apart");
  }
  return group;
}

void Reader::inject(const std::string& key, const YAML::Node& value) {
  demand(value.IsScalar(), value, key + ": write a text as after --inject " + key + "=, or a list of them");
  std::string text = value.Scalar();
  demand(key != "seed", value, "the seed of an experiment stands outside of its injection");
  const auto trace = text.find(kTrace);
  const Status applied = injection::apply(*scenario_.injection, key, text, traces_);
  if (!applied) throw YamlFault(value, applied.error().message);
  if (trace == 0) text = std::string(kTrace) + surroundings_.absolute_path(text.substr(kTrace.size()));
  settings_[key].push_back(text);
}

// Every setting as a list, which the document of an injection allows.
std::string Reader::injection_text() const {
  if (settings_.empty()) return "";
  YAML::Emitter out;
  out.SetStringFormat(YAML::DoubleQuoted);
  out << YAML::BeginMap;
  for (const auto& [key, values] : settings_) out << YAML::Key << key << YAML::Value << values;
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

void Reader::read_injection(const YAML::Node& node) {
  demand(node.IsMap(), node, "an injection is lines of the form KEY: VALUE");
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const std::string key = read_text(entry.first);
    demand(seen.insert(key).second, entry.first, key + " is there twice; write a list");
    if (!entry.second.IsSequence()) {
      inject(key, entry.second);
      continue;
    }
    for (const YAML::Node& item : entry.second) inject(key, item);
  }
}

// A slow group of nodes becomes a rule of the injection, which a master can read.
void Reader::inject_slow_nodes() {
  for (NodeGroup& group : scenario_.nodes) {
    const double slowness = group.slowness.median();
    if (slowness == 1) continue;
    scenario_.injection->nodes.push_back({group.name + "-*", slowness});
    settings_["node"].push_back(group.name + "-*:" + shortest(slowness) + "x");
    group.slowness = Distribution::constant(1);
  }
}

void Reader::read_input(const YAML::Node& node, JobGroup& group) {
  if (node.IsScalar()) {
    group.work.files.push_back(surroundings_.absolute_path(node.Scalar()));
  } else if (node.IsSequence()) {
    for (const YAML::Node& file : node) group.work.files.push_back(surroundings_.absolute_path(read_text(file)));
    demand(!group.work.files.empty(), node, "there is at least one input file");
  } else {
    demand(node.IsMap() && node.size() == 1, node, "input: a file, a list of files, or {KIND: size for each task}");
    group.work.data = read_text(node.begin()->first);
    group.size.split_bytes = read_bytes(node.begin()->second);
    demand(group.size.split_bytes >= 100, node, "a task has at least 100 bytes of input");
  }
}

// How many jobs, when, and how much there is to do in them.
void Reader::read_sizes(YamlFields& fields, JobGroup& group) {
  fields.count("count", group.count);
  if (const YAML::Node count = fields.take("count"))
    demand(group.count <= kCountMost, count, "a group has at most " + std::to_string(kCountMost) + " jobs");
  fields.get("arrivals", group.arrivals, read_arrivals);
  if (!fields.take("count") && !group.arrivals.at.empty()) {
    group.count = static_cast<std::uint32_t>(group.arrivals.at.size());
  }
  fields.get("tasks", group, [&](const YAML::Node& tasks) { return read_tasks(tasks, group); });
  fields.get("trace", group.trace, [&](const YAML::Node& node) { return read_trace(node, surroundings_); });
  if (!group.trace.empty() && !fields.take("count")) group.count = static_cast<std::uint32_t>(group.trace.size());
  fields.distribution("scale", group.size.scale);
  fields.bytes("split_bytes", group.size.split_bytes);
  fields.bytes("record_bytes", group.size.record_bytes);
  if (const YAML::Node input = fields.take("input")) read_input(input, group);
  const bool is_paced = scenario_.injection && scenario_.injection->pace > Duration(0);
  if (scenario_.injection)
    group.times.duration = Distribution::constant(is_paced ? ontime::seconds(scenario_.injection->pace) : 1);
  fields.get("duration", group, [&](const YAML::Node& node) { return read_duration(node, surroundings_, group); });
  fields.distribution("split_lengths", group.size.split_lengths);
  fields.count("history", group.known.history);
  fields.get("skew", group, [&](const YAML::Node& skew) { return read_skew(skew, group); });
  fields.number("output", group.size.output);
  read_starts(fields, group);
  fields.get("first_durations", group.times.first_durations, read_values);
  if (!fields.take("tasks") && !group.times.first_durations.empty()) {
    group.size.tasks = Distribution::constant(static_cast<double>(group.times.first_durations.size()));
  }
}

// What the scheduler learns about them.
void Reader::read_handling(YamlFields& fields, JobGroup& group) {
  if (const YAML::Node policy = fields.take("policy")) read_policy_of(policy, group);
  fields.get("checkpoint", group.handling.checkpoint_interval, read_checkpoint);
#define ONTIME_READ_SETTING(name) fields.setting(#name, group.handling.name);
  ONTIME_SCENARIO_SETTINGS(ONTIME_READ_SETTING)
#undef ONTIME_READ_SETTING
  fields.flag("noise", group.role.is_noise);
  fields.get("let", group.role.values, read_settings);
}

void Reader::check_processes(const YAML::Node& node, const JobGroup& group) const {
  demand(group.count >= 1, node, "there is at least one job");
  demand(group.size.share.median() == 0, node, "jobs of processes say how many tasks they have, not how many waves");
  demand(group.size.tasks.least() >= 1 && group.size.tasks.at_survival(1e-12) <= kProcessTasksMax, node,
         "a job has 1 to " + shortest(kProcessTasksMax) + " tasks");
  demand(!group.role.is_noise || !group.deadline.is_set(), node, "noise has no deadline");
  if (group.arrivals.load <= 0 && group.arrivals.spread <= 0) return;
  if (const auto work = mean_work(scenario_, group); !work) throw YamlFault(node, work.error().message);
}

void Reader::read_jobs(const YAML::Node& node) {
  YamlFields fields(node);
  JobGroup group = base_.jobs.front();
  group.role.item = items_++;
  fields.text("app", group.work.application);
  if (for_processes_ || fields.take("app")) group.name = group.work.application;
  fields.get("name", group.name, read_name);
  fields.get("set", group.work.parameters, read_settings);
  read_sizes(fields, group);
  std::vector<double> deadlines;  // by stage
  if (const YAML::Node deadline = fields.take("deadline"); deadline && deadline.IsSequence()) {
    deadlines = read_values(deadline);
  } else if (deadline) {
    read_deadline(deadline, group);
  }
  read_handling(fields, group);
  std::vector<JobGroup> groups{group};
  if (const YAML::Node stages = fields.take("stages")) groups = read_stages(stages, surroundings_, group);
  fields.finish();
  demand(deadlines.empty() || deadlines.size() == groups.size(), node,
         "give a deadline, or one for each of the " + std::to_string(groups.size()) + " stages");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!deadlines.empty()) groups[i].deadline.seconds = deadlines[i];
    if (for_processes_) check_processes(node, groups[i]);
    scenario_.jobs.push_back(std::move(groups[i]));
  }
}

void Reader::read_cluster(YamlFields& fields) {
  fields.each("outages", [&](const YAML::Node& node) { scenario_.outages.push_back(read_outage(node)); });
  fields.get("elastic", scenario_.elastic, read_elastic);
  fields.distribution("launch", scenario_.launch);
  fields.flag("keeps_runners", scenario_.keeps_runners);
  fields.distribution("network_delay", scenario_.network_delay);
  fields.get("network", scenario_.network, read_network);
  fields.seconds("heartbeat", scenario_.heartbeat);
  fields.seconds("node_timeout", scenario_.node_timeout);
  fields.seconds("cut_timeout", scenario_.cut_timeout);
  fields.seconds("reconnect", scenario_.reconnect);
  fields.seconds("speed_changes_every", scenario_.speed_changes_every);
  fields.number("node_correlation", scenario_.node_correlation);
  fields.distribution("commit", scenario_.commit);
  fields.number("crash_probability", scenario_.crash_probability);
  fields.get("placement", scenario_.placement, read_placement);
  fields.seconds("sample_every", scenario_.sample_every);
  fields.seconds("horizon", scenario_.horizon);
  fields.flag("check_invariants", scenario_.check_invariants);
}

void Reader::read_comparison(YamlFields& fields) {
  // Of the page, which python/ontime/lab makes when all has run: too late to hear of a mistake.
  if (const YAML::Node title = fields.take("title")) read_text(title);
  if (const YAML::Node printed = fields.take("printed")) check_printed(printed);
  fields.get("warm_up", scenario_.warm_up, read_warm_up);
  fields.get("policies", scenario_.policies, read_policies);
  fields.count("repeat", scenario_.repeat);
  fields.count("baseline_runs", scenario_.baseline_runs);
  if (const YAML::Node seed = fields.take("seed")) scenario_.seed = read_count(seed);
  fields.get("forecast_at", scenario_.forecast_at, read_shares);
}

Scenario Reader::read(const YAML::Node& document) {
  YamlFields fields(document);
  scenario_.nodes.clear();
  scenario_.jobs.clear();
  fields.each("nodes", [&](const YAML::Node& node) { scenario_.nodes.push_back(read_nodes(node)); });
  if (const YAML::Node node = fields.take("injection")) read_injection(node);
  if (for_processes_) inject_slow_nodes();
  scenario_.injection_text = injection_text();
  fields.each("jobs", [&](const YAML::Node& node) { read_jobs(node); });
  read_cluster(fields);
  read_comparison(fields);
  fields.take("study");  // lab/study reads it
  fields.finish();
  return std::move(scenario_);
}

// What has to be measured before, or mapped: `ontime experiment --on sim` simulates that too.
void refuse_what_takes_an_experiment(const YAML::Node& document, const Scenario& scenario) {
  const std::string why = "is for 'ontime experiment', which simulates it too with --on sim";
  refuse(document, {{"warm_up"}, {}, {"noise"}}, why);
  for (const JobGroup& group : scenario.jobs) {
    const YAML::Node jobs = document["jobs"][group.role.item];
    demand(group.deadline.medians <= 0, jobs, "'medians_of' " + why);
    demand(group.work.files.empty(), jobs, "input files take an experiment on processes; give split_bytes");
  }
}

}  // namespace

void refuse(const YAML::Node& document, const Keys& keys, const std::string& why) {
  const auto look = [&](const YAML::Node& node, const std::vector<const char*>& names) {
    for (const char* name : names) {
      if (!node.IsMap() || !node[name]) continue;
      throw YamlFault(node[name], "'" + std::string(name) + "' " + why);
    }
  };
  look(document, keys.top);
  for (const YAML::Node& node : document["nodes"]) look(node, keys.nodes);
  for (const YAML::Node& node : document["jobs"]) look(node, keys.jobs);
}

Result<std::string> no_files(const std::string&) { return bad_input("no file can be read here"); }

Scenario read_document(const YAML::Node& document, const Surroundings& surroundings, For what) {
  const bool has_injection = document.IsMap() && document["injection"];
  return Reader(surroundings, what == For::Processes || has_injection).read(document);
}

Result<Scenario> read_scenario(const std::string& text, const Surroundings& surroundings) {
  return without_throwing([&] { return read_scenario(YAML::Load(text), surroundings); });
}

Result<Scenario> read_scenario(const YAML::Node& document, const Surroundings& surroundings) {
  return without_throwing([&]() -> Result<Scenario> {
    Scenario scenario = read_document(document, surroundings, For::Simulation);
    refuse_what_takes_an_experiment(document, scenario);
    if (auto good = check(scenario); !good) return good.error();
    return scenario;
  });
}

}  // namespace ontime::lab
