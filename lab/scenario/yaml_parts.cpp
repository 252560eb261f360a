#include "lab/scenario/yaml_parts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/scenario/scenario.h"

namespace ontime::lab {

void demand(bool holds, const YAML::Node& where, const std::string& what) {
  if (!holds) throw YamlFault(where, what);
}

double read_positive(const YAML::Node& node) {
  const double value = read_seconds(node);
  demand(value > 0 && std::isfinite(value), node, "'" + node.Scalar() + "' is not positive");
  return value;
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

Disk read_disk(const YAML::Node& node) {
  YamlFields fields(node);
  Disk disk;
  fields.get("write", disk.bytes_per_second,
             [](const YAML::Node& write) { return static_cast<double>(read_bytes(write)); });
  fields.distribution("sync", disk.sync);
  fields.finish();
  return disk;
}

Network read_network(const YAML::Node& node) {
  YamlFields fields(node);
  Network network;
  fields.number("loss", network.loss);
  fields.seconds("retransmit", network.retransmit);
  fields.seconds("give_up", network.give_up);
  fields.finish();
  return network;
}

namespace {

Outage::Kind read_outage_kind(const YAML::Node& node) {
  const std::string name = read_text(node);
  if (name == "crash") return Outage::Kind::Crash;
  if (name == "partition") return Outage::Kind::Partition;
  if (name == "disk_full") return Outage::Kind::DiskFull;
  if (name == "disk_fails") return Outage::Kind::DiskFails;
  throw YamlFault(node, "an outage is one of crash, partition, disk_full, disk_fails");
}

}  // namespace

Outage read_outage(const YAML::Node& node) {
  YamlFields fields(node);
  Outage outage;
  fields.count("node", outage.node);
  fields.seconds("at", outage.at);
  fields.seconds("lasts", outage.lasts);
  fields.get("kind", outage.kind, read_outage_kind);
  fields.finish();
  return outage;
}

JobGroup read_skew(const YAML::Node& node, JobGroup group) {
  YamlFields fields(node);
  fields.distribution("begins", group.skew_begins);
  fields.distribution("slowness", group.skew_slowness);
  fields.finish();
  return group;
}

scheduler::Placement read_placement(const YAML::Node& node) {
  YamlFields fields(node);
  scheduler::Placement placement;
  fields.flag("apart", placement.apart);
  fields.flag("fast_first", placement.fast_first);
  fields.flag("leave_out", placement.leave_out);
  double left_out_for = ontime::seconds(placement.left_out_for);
  fields.seconds("left_out_for", left_out_for);
  placement.left_out_for = from_seconds(left_out_for);
  fields.finish();
  return placement;
}

// "off" as well as an interval.
double read_checkpoint(const YAML::Node& node) {
  return node.IsScalar() && node.Scalar() == "off" ? 0 : read_seconds(node);
}

Arrivals read_arrivals(const YAML::Node& node) {
  Arrivals arrivals;
  if (node.IsSequence()) {
    for (const YAML::Node& at : node) arrivals.at.push_back(read_seconds(at));
    demand(!arrivals.at.empty(), node, "a list of arrivals has at least one");
    return arrivals;
  }
  const char* expected =
      "arrivals: at_once, one_by_one, {every: time}, {rate: jobs per second}, {load: share} or a list";
  if (node.IsScalar()) {
    demand(node.Scalar() == "at_once" || node.Scalar() == "one_by_one", node, expected);
    arrivals.one_by_one = node.Scalar() == "one_by_one";
    return arrivals;
  }
  demand(node.IsMap(), node, expected);
  YamlFields fields(node);
  fields.seconds("every", arrivals.every);
  fields.number("rate", arrivals.rate);
  fields.number("load", arrivals.load);
  fields.finish();
  return arrivals;
}

// {file: jobs.csv, every: 10, time_scale: 0.1}: every tenth of its jobs, from the first on, ten times as fast.
std::vector<TraceJob> read_trace(const YAML::Node& node, const Surroundings& surroundings) {
  YamlFields fields(node);
  std::string path;
  std::uint32_t every = 1;
  double time_scale = 1;
  fields.text("file", path);
  fields.count("every", every);
  fields.get("time_scale", time_scale, read_positive);
  fields.finish();
  const Result<std::string> text = surroundings.read_file(path);
  if (!text) throw YamlFault(node, text.error().message);
  const Result<std::vector<TraceJob>> all = read_trace_csv(*text);
  if (!all) throw YamlFault(node, path + ", " + all.error().message);
  std::vector<TraceJob> jobs;
  for (std::size_t job = 0; job < all->size(); job += std::max(1u, every)) {
    jobs.push_back({(*all)[job].at * time_scale, (*all)[job].tasks});
  }
  return jobs;
}

// Seconds, or multiples of what attempts of the job take, or of the median time of such jobs under a policy.
void read_deadline(const YAML::Node& node, JobGroup& group) {
  if (!node.IsMap()) {
    group.deadline = read_seconds(node);
    return;
  }
  YamlFields fields(node);
  fields.number("means", group.deadline_means);
  fields.number("minima", group.deadline_minima);
  fields.text("medians_of", group.medians_of);
  if (!group.medians_of.empty()) group.deadline_medians = 1;
  fields.get("times", group.deadline_medians, read_positive);
  fields.finish();
  demand(group.medians_of.empty() == (group.deadline_medians <= 0), node,
         "deadline: a time, {means: NUMBER}, {minima: NUMBER} or {medians_of: POLICY, times: NUMBER}");
}

std::vector<NamedPolicy> read_policies(const YAML::Node& node) {
  std::vector<NamedPolicy> policies;
  if (node.IsSequence()) {
    for (const YAML::Node& text : node) policies.push_back({read_text(text), read_text(text)});
  } else {
    demand(node.IsMap(), node, "policies: a list, or lines of the form NAME: POLICY");
    for (const auto& entry : node) policies.push_back({read_text(entry.first), read_text(entry.second)});
  }
  demand(!policies.empty(), node, "there is at least one policy");
  std::set<std::string> names;
  for (const NamedPolicy& policy : policies) {
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
  demand(warm_up.tasks >= 1 && warm_up.tasks <= kProcessTasksMax, node, "a job has at least one task");
  return warm_up;
}

std::map<std::string, Reading> read_printed(const YAML::Node& node) {
  demand(node.IsMap(), node, "printed: lines of the form POLICY: NUMBER or POLICY: [LEAST, GREATEST]");
  std::map<std::string, Reading> printed;
  for (const auto& entry : node) {
    const YAML::Node& value = entry.second;
    if (value.IsScalar()) {
      printed[read_text(entry.first)] = {read_number(value), read_number(value)};
      continue;
    }
    const auto range = read_values(value);
    demand(range.size() == 2 && range[0] <= range[1], value, "a range is [LEAST, GREATEST]");
    printed[read_text(entry.first)] = {range[0], range[1]};
  }
  return printed;
}

std::vector<double> read_shares(const YAML::Node& node) {
  auto shares = read_values(node);
  for (const double share : shares) demand(share > 0 && share < 1, node, "shares lie between 0 and 1");
  return shares;
}

// NAME or NAME:KEY=VALUE,...
void read_policy_of(const YAML::Node& node, JobGroup& group) {
  const auto choice = read_policy(read_text(node));
  if (!choice) throw YamlFault(node, choice.error().message);
  group.policy = choice->name;
  group.policy_parameters = choice->parameters;
}

}  // namespace ontime::lab
