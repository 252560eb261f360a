#include "lab/experiment/scenario_yaml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>

#include "common/base/wording.h"
#include "common/injection/settings.h"
#include "lab/experiment/plan.h"
#include "scheduler/policies/policy.h"
#include "lab/scenario/policy_choice.h"
#include "lab/scenario/trace_csv.h"
#include "lab/scenario/yaml_fields.h"

namespace ontime::lab::experiment {
namespace {

constexpr std::uint32_t kNodesMax = 2000;
constexpr std::uint32_t kTasksMax = 10'000;
constexpr std::uint32_t kBaselineRunsMax = 100;
constexpr std::string_view kTrace = "trace:";

void demand(bool holds, const YAML::Node& where, const std::string& what) {
  if (!holds) throw YamlFault(where, what);
}

Texts read_texts(const YAML::Node& node) {
  const auto settings = lab::read_settings(node);
  return {settings.begin(), settings.end()};
}

double read_positive(const YAML::Node& node) {
  const double value = read_seconds(node);
  demand(value > 0 && std::isfinite(value), node, "a positive number is wanted here");
  return value;
}

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// A name becomes part of file names and of the patterns of the injection.
std::string read_name(const YAML::Node& node) {
  const std::string name = read_text(node);
  const bool is_good =
      !name.empty() && name.size() <= 64 &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. ") == std::string::npos;
  demand(is_good, node, "a name has letters, digits, spaces and - _ . only, 64 at most");
  return name;
}

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
  explicit Reader(const Surroundings& surroundings) : surroundings_(surroundings), traces_(surroundings) {}
  Scenario read(const YAML::Node& document);

 private:
  NodeGroup read_nodes(const YAML::Node& node);
  void read_injection(const YAML::Node& node);
  void inject(const std::string& key, const YAML::Node& value);
  std::string injection_text() const;
  JobGroup read_jobs(const YAML::Node& node);
  void read_input(const YAML::Node& node, JobGroup& group);
  void read_arrivals(const YAML::Node& node, JobGroup& group);
  void read_trace(const YAML::Node& node, JobGroup& group);
  void check_all(const YAML::Node& document);

  const Surroundings& surroundings_;
  Traces traces_;
  Scenario scenario_;
  std::map<std::string, std::vector<std::string>> settings_;  // of the injection
};

NodeGroup Reader::read_nodes(const YAML::Node& node) {
  YamlFields fields(node);
  NodeGroup group;
  fields.get("name", group.name, read_name);
  fields.count("count", group.count);
  fields.count("slots", group.slots);
  fields.get("slowness", group.slowness, read_positive);
  fields.finish();
  demand(group.count > 0 && group.slots > 0, node, "there is at least one node, with one slot");
  for (const NodeGroup& other : scenario_.nodes) {
    demand(other.name != group.name, node, "two groups of nodes are called '" + group.name + "'; name them apart");
  }
  return group;
}

void Reader::inject(const std::string& key, const YAML::Node& value) {
  demand(value.IsScalar(), value, key + ": a text as after --inject " + key + "= is wanted here, or a list of them");
  std::string text = value.Scalar();
  demand(key != "seed", value, "the seed of an experiment stands outside of its injection");
  const auto trace = text.find(kTrace);
  const Status applied = injection::apply(scenario_.injection, key, text, traces_);
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

std::vector<std::pair<std::uint32_t, double>> read_tasks(const YAML::Node& node) {
  std::vector<std::pair<std::uint32_t, double>> tasks;
  if (node.IsScalar()) {
    tasks.emplace_back(read_count(node), 1.0);
  } else {
    demand(node.IsMap() && node.size() > 0, node, "tasks: a number, or {5: 0.5, 10: 0.3, 20: 0.2}");
    for (const auto& entry : node) tasks.emplace_back(read_count(entry.first), read_positive(entry.second));
  }
  for (const auto& [number, share] : tasks) {
    demand(number >= 1 && number <= kTasksMax, node, "a job has 1 to " + std::to_string(kTasksMax) + " tasks");
  }
  return tasks;
}

void Reader::read_input(const YAML::Node& node, JobGroup& group) {
  if (node.IsScalar()) {
    group.files.push_back(surroundings_.absolute_path(node.Scalar()));
  } else if (node.IsSequence()) {
    for (const YAML::Node& file : node) group.files.push_back(surroundings_.absolute_path(read_text(file)));
    demand(!group.files.empty(), node, "there is at least one input file");
  } else {
    demand(node.IsMap() && node.size() == 1, node, "input: a file, a list of files, or {KIND: size for each task}");
    group.data = read_text(node.begin()->first);
    group.task_bytes = lab::read_bytes(node.begin()->second);
    demand(group.task_bytes >= 100, node, "a task has at least 100 bytes of input");
  }
}

void Reader::read_arrivals(const YAML::Node& node, JobGroup& group) {
  using Kind = Arrivals::Kind;
  if (node.IsSequence()) {
    group.arrivals.kind = Kind::Listed;
    for (const YAML::Node& at : node) group.arrivals.at.push_back(read_seconds(at));
    const bool is_good = std::all_of(group.arrivals.at.begin(), group.arrivals.at.end(),
                                     [](double at) { return at >= 0 && std::isfinite(at); });
    demand(is_good && !group.arrivals.at.empty(), node, "arrivals are numbers of seconds from 0 on");
    std::sort(group.arrivals.at.begin(), group.arrivals.at.end());
    return;
  }
  const char* expected =
      "arrivals: at_once, one_by_one, {every: time}, {rate: jobs per second}, {load: share} or a list";
  if (node.IsScalar()) {
    demand(node.Scalar() == "at_once" || node.Scalar() == "one_by_one", node, expected);
    group.arrivals.kind = node.Scalar() == "one_by_one" ? Kind::OneByOne : Kind::AtOnce;
    return;
  }
  demand(node.IsMap() && node.size() == 1, node, expected);
  YamlFields fields(node);
  const auto take = [&](const char* key, Kind kind) {
    const YAML::Node value = fields.take(key);
    if (!value) return;
    group.arrivals = {kind, read_positive(value), {}};
  };
  take("every", Kind::Every);
  take("rate", Kind::Rate);
  take("load", Kind::Load);
  fields.finish();
}

void Reader::read_trace(const YAML::Node& node, JobGroup& group) {
  YamlFields fields(node);
  std::string name;
  std::uint32_t every = 1;
  double time_scale = 1;
  fields.text("file", name);
  fields.count("every", every);
  fields.get("time_scale", time_scale, read_positive);
  fields.finish();
  const auto text = surroundings_.read_file(name);
  if (!text) throw YamlFault(node, text.error().message);
  const auto jobs = lab::read_trace_csv(*text);
  if (!jobs) throw YamlFault(node, name + ", " + jobs.error().message);
  group.arrivals.kind = Arrivals::Kind::Listed;
  for (std::size_t i = 0; i < jobs->size(); i += std::max(1u, every)) {
    group.arrivals.at.push_back((*jobs)[i].at * time_scale);
    group.trace_tasks.push_back((*jobs)[i].tasks);
  }
  demand(!group.arrivals.at.empty(), node, name + " has no job");
}

Deadline read_deadline(const YAML::Node& node) {
  Deadline deadline;
  if (node.IsScalar()) {
    deadline.seconds = read_positive(node);
    return deadline;
  }
  YamlFields fields(node);
  fields.text("medians_of", deadline.medians_of);
  fields.get("times", deadline.times, read_positive);
  fields.finish();
  demand(!deadline.medians_of.empty(), node, "deadline: a time, or {medians_of: POLICY, times: NUMBER}");
  return deadline;
}

double read_checkpoint(const YAML::Node& node) {
  return node.IsScalar() && node.Scalar() == "off" ? 0 : read_positive(node);
}

JobGroup Reader::read_jobs(const YAML::Node& node) {
  YamlFields fields(node);
  JobGroup group;
  fields.text("app", group.application);
  group.name = group.application;
  fields.get("name", group.name, read_name);
  fields.get("set", group.parameters, read_texts);
  if (const YAML::Node input = fields.take("input")) read_input(input, group);
  fields.get("tasks", group.tasks, read_tasks);
  if (const YAML::Node arrivals = fields.take("arrivals")) read_arrivals(arrivals, group);
  if (const YAML::Node trace = fields.take("trace")) read_trace(trace, group);
  if (group.arrivals.kind == Arrivals::Kind::Listed) {
    group.count = static_cast<std::uint32_t>(group.arrivals.at.size());
    demand(!fields.take("count"), node, "the list of arrivals says how many jobs there are; leave out count");
  }
  fields.count("count", group.count);
  fields.get("deadline", group.deadline, read_deadline);
  fields.get("checkpoint", group.checkpoint, read_checkpoint);
  fields.seconds("attempt_timeout", group.attempt_timeout);
  fields.flag("noise", group.is_noise);
  fields.get("let", group.values, read_texts);
  fields.finish();
  demand(group.count >= 1, node, "there is at least one job");
  demand(!group.is_noise || (group.deadline.seconds <= 0 && group.deadline.medians_of.empty()), node,
         "noise has no deadline");
  if (group.arrivals.kind == Arrivals::Kind::Load) {
    if (const auto rate = rate_at_full_load(scenario_, group); !rate) throw YamlFault(node, rate.error().message);
  }
  return group;
}

std::vector<Policy> read_policies(const YAML::Node& node) {
  std::vector<Policy> policies;
  if (node.IsSequence()) {
    for (const YAML::Node& text : node) policies.push_back({read_text(text), read_text(text)});
  } else {
    demand(node.IsMap(), node, "policies: a list, or lines of the form NAME: POLICY");
    for (const auto& entry : node) policies.push_back({read_text(entry.first), read_text(entry.second)});
  }
  demand(!policies.empty(), node, "there is at least one policy");
  std::set<std::string> names;
  for (const Policy& policy : policies) {
    demand(names.insert(policy.name).second, node, "policy '" + policy.name + "' is there twice; name them apart");
  }
  return policies;
}

WarmUp read_warm_up(const YAML::Node& node) {
  YamlFields fields(node);
  WarmUp warm_up;
  warm_up.jobs = 1;
  fields.count("jobs", warm_up.jobs);
  fields.count("tasks", warm_up.tasks);
  fields.get("time", warm_up.time, read_positive);
  fields.finish();
  demand(warm_up.tasks >= 1 && warm_up.tasks <= kTasksMax, node, "a job has at least one task");
  return warm_up;
}

std::map<std::string, Printed> read_printed(const YAML::Node& node) {
  demand(node.IsMap(), node, "printed: lines of the form POLICY: NUMBER or POLICY: [LEAST, GREATEST]");
  std::map<std::string, Printed> printed;
  for (const auto& entry : node) {
    const YAML::Node& value = entry.second;
    if (value.IsScalar()) {
      printed[read_text(entry.first)] = {read_number(value), read_number(value)};
      continue;
    }
    const auto range = lab::read_values(value);
    demand(range.size() == 2 && range[0] <= range[1], value, "a range is [LEAST, GREATEST]");
    printed[read_text(entry.first)] = {range[0], range[1]};
  }
  return printed;
}

std::vector<double> read_shares(const YAML::Node& node) {
  auto shares = lab::read_values(node);
  for (const double share : shares) demand(share > 0 && share < 1, node, "shares lie between 0 and 1");
  return shares;
}

// What involves several keys.
void Reader::check_all(const YAML::Node& document) {
  demand(!scenario_.nodes.empty(), document, "'nodes' is missing: at least one group {count: 4}");
  demand(!scenario_.jobs.empty(), document, "'jobs' is missing: at least one group {app: wordcount}");
  demand(nodes_of(scenario_) <= kNodesMax, document, "there are at most " + std::to_string(kNodesMax) + " nodes");
  std::set<std::string> names;
  std::uint64_t jobs = 0;
  bool counts_some = false;
  for (const JobGroup& group : scenario_.jobs) {
    jobs += group.count + scenario_.warm_up.jobs;
    counts_some = counts_some || !group.is_noise;
    demand(names.insert(group.name).second, document,
           "two groups of jobs are called '" + group.name + "'; name them apart");
    demand(group.arrivals.kind != Arrivals::Kind::OneByOne || scenario_.jobs.size() == 1, document,
           "one_by_one is for a single group of jobs: with others between them, which jobs have the stragglers would "
           "depend on the policy; use {every: TIME}");
  }
  demand(counts_some, document, "all jobs are noise; at least one group is to be measured");
  demand(jobs <= kJobsMax, document, "there are at most " + std::to_string(kJobsMax) + " jobs in a run");
  for (const Policy& policy : scenario_.policies) {
    if (const Status good = check_policy(policy, scenario_); !good)
      throw YamlFault(document["policies"], good.error().message);
  }
  for (const Run& baseline : plan_measurements(scenario_)) {
    if (const Status good = check_policy(baseline.policy, scenario_); !good) {
      throw YamlFault(document["jobs"], "medians_of: " + good.error().message);
    }
  }
}

Scenario Reader::read(const YAML::Node& document) {
  YamlFields fields(document);
  fields.text("title", scenario_.title);
  fields.each("nodes", [&](const YAML::Node& node) { scenario_.nodes.push_back(read_nodes(node)); });
  if (const YAML::Node node = fields.take("injection")) read_injection(node);
  for (const NodeGroup& group : scenario_.nodes) {
    if (group.slowness == 1) continue;
    scenario_.injection.nodes.push_back({group.name + "-*", group.slowness});
    settings_["node"].push_back(group.name + "-*:" + shortest(group.slowness) + "x");
  }
  scenario_.injection_text = injection_text();
  fields.get("warm_up", scenario_.warm_up, read_warm_up);
  fields.each("jobs", [&](const YAML::Node& node) { scenario_.jobs.push_back(read_jobs(node)); });
  scenario_.policies = {{"none", "none"}, {"hadoop", "hadoop"}, {"shed+", "shed+"}, {"split-resume", "split-resume"}};
  fields.get("policies", scenario_.policies, read_policies);
  fields.count("repeat", scenario_.repeat);
  fields.count("baseline_runs", scenario_.baseline_runs);
  if (const YAML::Node seed = fields.take("seed")) scenario_.seed = read_count(seed);
  fields.get("heartbeat", scenario_.heartbeat, read_positive);
  fields.get("node_timeout", scenario_.node_timeout, read_positive);
  fields.get("limit", scenario_.limit, read_positive);
  fields.get("forecast_at", scenario_.forecast_at, read_shares);
  fields.get("simulated_launch", scenario_.launch, read_seconds);
  fields.get("simulated_delay", scenario_.network_delay, read_seconds);
  fields.get("printed", scenario_.printed, read_printed);
  fields.finish();
  demand(scenario_.repeat >= 1, document, "'repeat' is at least 1");
  demand(scenario_.baseline_runs >= 1 && scenario_.baseline_runs <= kBaselineRunsMax, document,
         "'baseline_runs' is 1 to " + std::to_string(kBaselineRunsMax));
  check_all(document);
  return std::move(scenario_);
}

}  // namespace

Result<Scenario> read_scenario(const std::string& text, const Surroundings& surroundings) {
  try {
    return Reader(surroundings).read(YAML::Load(text));
  } catch (const YamlFault& fault) {
    return bad_input(fault.what());
  } catch (const YAML::Exception& fault) {
    return bad_input(not_yaml(fault.mark.line));
  }
}

}  // namespace ontime::lab::experiment
