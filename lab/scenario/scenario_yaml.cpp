#include "lab/scenario/scenario_yaml.h"

#include <algorithm>

#include "common/base/wording.h"
#include "lab/scenario/trace_csv.h"
#include "lab/scenario/yaml_fields.h"

namespace ontime::lab {
namespace {

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

Outage::Kind read_outage_kind(const YAML::Node& node) {
  const std::string name = read_text(node);
  if (name == "crash") return Outage::Kind::Crash;
  if (name == "partition") return Outage::Kind::Partition;
  if (name == "disk_full") return Outage::Kind::DiskFull;
  if (name == "disk_fails") return Outage::Kind::DiskFails;
  throw YamlFault(node, "an outage is one of crash, partition, disk_full, disk_fails");
}

NodeGroup read_nodes(const YAML::Node& node) {
  YamlFields fields(node);
  NodeGroup group;
  fields.count("count", group.count);
  fields.count("slots", group.slots);
  fields.distribution("slowness", group.slowness);
  fields.get("disk", group.disk, read_disk);
  fields.finish();
  return group;
}

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

Arrivals read_arrivals(const YAML::Node& node) {
  Arrivals arrivals;
  if (node.IsSequence()) {
    for (const YAML::Node& at : node) arrivals.at.push_back(read_seconds(at));
  } else if (node.IsScalar()) {
    if (read_text(node) != "one_by_one") throw YamlFault(node, "arrivals: one_by_one, {load: x}, {rate: x} or a list");
    arrivals.one_by_one = true;
  } else {
    YamlFields fields(node);
    fields.number("load", arrivals.load);
    fields.number("rate", arrivals.rate);
    fields.finish();
  }
  return arrivals;
}

// "off" as well as an interval.
double read_checkpoint(const YAML::Node& node) {
  return node.IsScalar() && node.Scalar() == "off" ? 0 : read_seconds(node);
}

// {file: jobs.csv, every: 10}: every tenth of its jobs, from the first on.
std::vector<TraceJob> read_trace(const YAML::Node& node, const ReadFile& read_file) {
  YamlFields fields(node);
  std::string path;
  std::uint32_t every = 1;
  fields.text("file", path);
  fields.count("every", every);
  fields.finish();
  const Result<std::string> text = read_file(path);
  if (!text) throw YamlFault(node, text.error().message);
  const Result<std::vector<TraceJob>> all = read_trace_csv(*text);
  if (!all) throw YamlFault(node, path + ", " + all.error().message);
  std::vector<TraceJob> jobs;
  for (std::size_t job = 0; job < all->size(); job += std::max(1u, every)) jobs.push_back((*all)[job]);
  return jobs;
}

// Seconds, or multiples of what attempts of the job take.
void read_deadline(const YAML::Node& node, JobGroup& group) {
  if (!node.IsMap()) {
    group.deadline = read_seconds(node);
    return;
  }
  YamlFields fields(node);
  fields.number("means", group.deadline_means);
  fields.number("minima", group.deadline_minima);
  fields.finish();
}

JobGroup read_skew(const YAML::Node& node, JobGroup group) {
  YamlFields fields(node);
  fields.distribution("begins", group.skew_begins);
  fields.distribution("slowness", group.skew_slowness);
  fields.finish();
  return group;
}

JobGroup read_jobs(const YAML::Node& node, const ReadFile& read_file) {
  YamlFields fields(node);
  JobGroup group;
  fields.text("name", group.name);
  fields.count("count", group.count);
  fields.get("arrivals", group.arrivals, read_arrivals);
  if (!fields.take("count") && !group.arrivals.at.empty()) {
    group.count = static_cast<std::uint32_t>(group.arrivals.at.size());
  }
  fields.distribution("tasks", group.tasks);
  fields.get("trace", group.trace, [&](const YAML::Node& trace) { return read_trace(trace, read_file); });
  if (!group.trace.empty() && !fields.take("count")) group.count = static_cast<std::uint32_t>(group.trace.size());
  fields.distribution("scale", group.scale);
  fields.bytes("split_bytes", group.split_bytes);
  fields.bytes("record_bytes", group.record_bytes);
  fields.distribution("duration", group.duration);
  fields.get("skew", group, [&](const YAML::Node& skew) { return read_skew(skew, group); });
  fields.number("output", group.output);
  fields.get("first_durations", group.first_durations, read_values);
  if (!fields.take("tasks") && !group.first_durations.empty()) {
    group.tasks = Distribution::constant(static_cast<double>(group.first_durations.size()));
  }
  if (const YAML::Node deadline = fields.take("deadline")) read_deadline(deadline, group);
  fields.text("policy", group.policy);
  fields.get("set", group.policy_parameters, read_settings);
  fields.text("estimator", group.estimator);
  fields.get("checkpoint", group.checkpoint, read_checkpoint);
  fields.seconds("attempt_timeout", group.attempt_timeout);
  fields.count("attempts_max", group.attempts_max);
  fields.flag("kill_on_miss", group.kill_on_miss);
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

Scenario read_all(const YAML::Node& document, const ReadFile& read_file) {
  YamlFields fields(document);
  Scenario scenario;
  scenario.nodes.clear();
  scenario.jobs.clear();
  fields.each("nodes", [&](const YAML::Node& node) { scenario.nodes.push_back(read_nodes(node)); });
  fields.each("jobs", [&](const YAML::Node& node) { scenario.jobs.push_back(read_jobs(node, read_file)); });
  fields.each("outages", [&](const YAML::Node& node) { scenario.outages.push_back(read_outage(node)); });
  fields.distribution("launch", scenario.launch);
  fields.distribution("network_delay", scenario.network_delay);
  fields.get("network", scenario.network, read_network);
  fields.seconds("heartbeat", scenario.heartbeat);
  fields.seconds("node_timeout", scenario.node_timeout);
  fields.seconds("cut_timeout", scenario.cut_timeout);
  fields.seconds("reconnect", scenario.reconnect);
  fields.seconds("speed_changes_every", scenario.speed_changes_every);
  fields.number("node_correlation", scenario.node_correlation);
  fields.distribution("commit", scenario.commit);
  fields.number("crash_probability", scenario.crash_probability);
  fields.get("placement", scenario.placement, read_placement);
  fields.seconds("sample_every", scenario.sample_every);
  fields.seconds("horizon", scenario.horizon);
  fields.flag("check_invariants", scenario.check_invariants);
  fields.take("study");  // lab/study reads it
  fields.finish();
  return scenario;
}

}  // namespace

Result<std::string> no_files(const std::string&) { return bad_input("no file can be read here"); }

Result<Scenario> read_scenario(const std::string& text, const ReadFile& read_file) {
  try {
    return read_scenario(YAML::Load(text), read_file);
  } catch (const YAML::Exception& fault) {
    return bad_input(not_yaml(fault.mark.line));
  }
}

Result<Scenario> read_scenario(const YAML::Node& document, const ReadFile& read_file) {
  try {
    Scenario scenario = read_all(document, read_file);
    if (auto good = check(scenario); !good) return good.error();
    return scenario;
  } catch (const YamlFault& fault) {
    return bad_input(fault.what());
  } catch (const YAML::Exception& fault) {
    return bad_input(not_yaml(fault.mark.line));
  }
}

}  // namespace ontime::lab
