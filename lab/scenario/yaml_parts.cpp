#include <algorithm>
#include <cmath>
#include <set>

#include "lab/scenario/scenario.h"
#include "lab/scenario/scenario_yaml.h"

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
  std::string name = read_text(node);
  const bool is_good =
      !name.empty() && name.size() <= 64 &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. ") == std::string::npos;
  demand(is_good, node, "a name has letters, digits, spaces and - _ . only, 64 at most");
  return name;
}

// {every: 600s}, or [{at: 600s, slowness: 3}, ...]
void read_slowness_changes(const YAML::Node& node, NodeGroup& group) {
  if (node.IsMap()) {
    YamlFields fields(node);
    fields.get("every", group.slowness_changes_every, read_positive);
    fields.finish();
    return;
  }
  demand(node.IsSequence(), node, "write {every: TIME}, or a list [{at: TIME, slowness: NUMBER}, ...]");
  for (const YAML::Node& item : node) {
    YamlFields fields(item);
    SlownessChange change;
    fields.seconds("at", change.at);
    fields.distribution("slowness", change.slowness);
    demand(item["slowness"].IsDefined(), item, "say what it changes to: {at: TIME, slowness: NUMBER}");
    fields.finish();
    const auto& before = group.slowness_changes;
    demand(before.empty() || before.back().at < change.at, item,
           "changes of slowness come in the order of their times");
    group.slowness_changes.push_back(std::move(change));
  }
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

Elastic read_elastic(const YAML::Node& node) {
  YamlFields fields(node);
  Elastic elastic;
  double hold = ontime::seconds(elastic.rule.hold);
  fields.count("least", elastic.least);
  fields.seconds("start", elastic.start);
  fields.seconds("every", elastic.every);
  fields.seconds("hold", hold);
  fields.number("target", elastic.rule.target);
  fields.finish();
  elastic.rule.hold = from_seconds(hold);
  return elastic;
}

Outage read_outage(const YAML::Node& node) {
  YamlFields fields(node);
  Outage outage;
  fields.count("node", outage.node);
  fields.seconds("at", outage.at);
  fields.seconds("lasts", outage.lasts);
  fields.seconds("lead", outage.lead);
  fields.get("kind", outage.kind, [](const YAML::Node& kind) {
    return read_choice<Outage::Kind>(kind, {{"crash", Outage::Kind::Crash},
                                            {"partition", Outage::Kind::Partition},
                                            {"disk_full", Outage::Kind::DiskFull},
                                            {"disk_fails", Outage::Kind::DiskFails},
                                            {"time_limit", Outage::Kind::TimeLimit}});
  });
  fields.finish();
  return outage;
}

void read_starts(YamlFields& fields, JobGroup& group) {
  using injection::StartOf;
  fields.distribution("start", group.times.start);
  fields.get("start_of", group.times.start_of, [](const YAML::Node& of) {
    return read_choice<StartOf>(
        of, {{"segment", StartOf::Segment}, {"attempt", StartOf::Attempt}, {"process", StartOf::Process}});
  });
  fields.get("reads_ahead", group.times.reads_ahead, [](const YAML::Node& ahead) {
    const bool is_all = ahead.IsScalar() && ahead.Scalar() == "all";
    return is_all ? injection::kAllAhead : read_bytes(ahead);
  });
  fields.distribution("record_time", group.times.record_time);
  fields.get("workers_answer", group.times.workers_answer, read_flag);
}

JobGroup read_skew(const YAML::Node& node, JobGroup group) {
  YamlFields fields(node);
  fields.distribution("begins", group.times.skew.begins);
  fields.distribution("share", group.times.skew.share);
  fields.distribution("slowness", group.times.skew.slowness);
  fields.finish();
  return group;
}

scheduler::Placement read_placement(const YAML::Node& node) {
  YamlFields fields(node);
  scheduler::Placement placement;
  fields.flag("apart", placement.apart);
  fields.flag("fast_first", placement.fast_first);
  fields.flag("leave_out", placement.leave_out);
  fields.flag("warm_first", placement.warm_first);
  double left_out_for = ontime::seconds(placement.left_out_for);
  fields.seconds("left_out_for", left_out_for);
  placement.left_out_for = from_seconds(left_out_for);
  fields.finish();
  return placement;
}

// "off" as well as an interval.
Duration read_checkpoint(const YAML::Node& node) {
  return from_seconds(node.IsScalar() && node.Scalar() == "off" ? 0 : read_seconds(node));
}

namespace {

std::vector<double> read_daily(const YAML::Node& node) {
  demand(node.IsSequence() && node.size() > 0, node, "write how many jobs the parts of a day have, such as [1, 3, 2]");
  std::vector<double> parts;
  double all = 0;
  for (const YAML::Node& part : node) {
    parts.push_back(read_number(part));
    demand(parts.back() >= 0 && std::isfinite(parts.back()), part, "a part of a day has 0 or more of its jobs");
    all += parts.back();
  }
  demand(all > 0, node, "no part of the day has jobs");
  return parts;
}

}  // namespace

Arrivals read_arrivals(const YAML::Node& node) {
  Arrivals arrivals;
  if (node.IsSequence()) {
    for (const YAML::Node& at : node) arrivals.at.push_back(read_seconds(at));
    demand(!arrivals.at.empty(), node, "a list of arrivals has at least one");
    return arrivals;
  }
  const char* expected =
      "arrivals: at_once, one_by_one, {every: time}, {rate: jobs per second}, {load: share}, {spread: share} or a list";
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
  fields.number("spread", arrivals.spread);
  fields.get("daily", arrivals.daily, read_daily);
  fields.get("day", arrivals.day, read_positive);
  demand(!arrivals.daily.empty() || !fields.take("day"), node,
         "'day' is how long one is of which 'daily' has the parts; give both");
  for (const auto& [key, value] : {std::pair("rate", arrivals.rate), std::pair("load", arrivals.load)})
    demand(value > 0 || !fields.take(key), node,
           std::string(key) + " is more than 0; write at_once for jobs that are all there at the start");
  fields.finish();
  return arrivals;
}

namespace {

template <class Rows>
Rows read_rows(const YAML::Node& node, const std::string& path, const Surroundings& surroundings,
               Result<Rows> (*read)(const std::string& text)) {
  Result<Rows> rows = read(taken(node, surroundings.read_file(path)));
  if (!rows) throw YamlFault(node, path + ", " + rows.error().message);
  return std::move(*rows);
}

}  // namespace

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
  const auto all = read_rows(node, path, surroundings, read_jobs_csv);
  std::vector<TraceJob> jobs;
  for (std::size_t job = 0; job < all.size(); job += std::max(1u, every)) {
    jobs.push_back({all[job].at * time_scale, all[job].tasks});
  }
  return jobs;
}

// {file: stages.csv, median_min: 1s, tasks_min: 10, tasks_max: 100, median: 60s, as: pareto, replay: yes}, or all of a
// trace as it was: {file: trace.csv, as: host-aware, whole: yes}
std::vector<JobGroup> read_stages(const YAML::Node& node, const Surroundings& surroundings, const JobGroup& like) {
  YamlFields fields(node);
  std::string path;
  StageChoice choice;
  fields.text("file", path);
  fields.get("median_min", choice.median_min, read_positive);
  fields.count("tasks_min", choice.tasks_min);
  fields.count("tasks_max", choice.tasks_max);
  fields.get("median", choice.median, read_positive);
  fields.get("as", choice.as, [](const YAML::Node& as) {
    return read_choice<StageChoice::As>(as, {{"resampled", StageChoice::As::Resampled},
                                             {"host-aware", StageChoice::As::HostAware},
                                             {"pareto", StageChoice::As::Pareto},
                                             {"lognormal", StageChoice::As::Lognormal}});
  });
  fields.flag("replay", choice.replay);
  fields.flag("whole", choice.whole);
  fields.finish();
  demand(choice.tasks_max > 0, node, "at least one task of a stage is taken");
  const auto stages = choose_stages(read_rows(node, path, surroundings, read_stages_csv), choice);
  demand(!stages.empty(), node, "no stage of " + path + " is like that");
  for (const Stage& stage : stages)
    demand(!choice.whole || stage.at, node, "stage '" + stage.name + "' of " + path + " does not say its submit_s");
  return groups_of(stages, choice, like);
}

// A number for each job, or {waves: 3, share: 0.5}: so many waves of tasks on this share of the slots.
JobGroup read_tasks(const YAML::Node& node, JobGroup group) {
  if (!node.IsMap() || !node["waves"]) {
    double number = 0;
    demand(
        !node.IsScalar() || node.Scalar().find(':') != std::string::npos || YAML::convert<double>::decode(node, number),
        node, "'" + node.Scalar() + "' is not a number of tasks");
    group.size.tasks = read_distribution(node);
    const double usual = group.size.tasks.median();
    demand(usual <= kCountMost, node, "a job has at most " + std::to_string(kCountMost) + " tasks");
    demand(!group.size.tasks.is_constant() || usual == std::floor(usual), node, "a job has a whole number of tasks");
    return group;
  }
  YamlFields fields(node);
  group.size.share = Distribution::constant(1);
  fields.distribution("waves", group.size.tasks);
  fields.distribution("share", group.size.share);
  fields.finish();
  demand(group.size.share.median() > 0, node, "a share of the slots is positive");
  return group;
}

// A distribution, {histogram: FILE}, or {stages: ...}: the durations of one of them.
JobGroup read_duration(const YAML::Node& node, const Surroundings& surroundings, JobGroup group) {
  if (node.IsMap() && node["histogram"]) {
    YamlFields fields(node);
    const std::string file = read_text(fields.take("histogram"));
    group.times.duration = Distribution::histogram(read_rows(node, file, surroundings, read_histogram_csv));
    fields.finish();
    return group;
  }
  if (!node.IsMap() || !node["stages"]) {
    group.times.duration = read_distribution(node);
    return group;
  }
  YamlFields fields(node);
  for (const JobGroup& stage : read_stages(fields.take("stages"), surroundings, {})) {
    group.times.durations.push_back(stage.times.duration);
  }
  group.times.duration = group.times.durations.front();
  fields.finish();
  return group;
}

// Seconds, fixed or drawn, or multiples of what attempts of the job take, of what it takes alone, or of the median time
// of such jobs under a policy.
void read_deadline(const YAML::Node& node, JobGroup& group) {
  if (!node.IsMap()) {
    group.deadline.seconds = read_seconds(node);
    return;
  }
  JobDeadline& deadline = group.deadline;
  if (is_distribution(node)) {
    deadline.times = read_distribution(node);
    return;
  }
  YamlFields fields(node);
  for (const auto& [key, of] : {std::pair("means", JobDeadline::Of::Mean), std::pair("minima", JobDeadline::Of::Least),
                                std::pair("alone", JobDeadline::Of::Alone)}) {
    if (!fields.take(key)) continue;
    deadline.of = of;
    fields.distribution(key, deadline.times);
    demand(node.size() == 1, node, std::string("'") + key + "' says all of a deadline; leave out the other keys");
  }
  fields.text("medians_of", group.deadline.medians_of);
  if (!group.deadline.medians_of.empty()) group.deadline.medians = 1;
  fields.get("times", group.deadline.medians, read_positive);
  fields.finish();
  demand(group.deadline.medians_of.empty() == (group.deadline.medians <= 0), node,
         "deadline: a time or a distribution of times, {means: NUMBER}, {minima: NUMBER}, {alone: NUMBER} or "
         "{medians_of: POLICY, times: NUMBER}");
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

void check_printed(const YAML::Node& node) {
  demand(node.IsMap(), node, "printed: lines of the form POLICY: NUMBER or POLICY: [LEAST, GREATEST]");
  for (const auto& entry : node) {
    read_text(entry.first);
    if (entry.second.IsScalar()) {
      read_number(entry.second);
      continue;
    }
    const auto range = read_values(entry.second);
    demand(range.size() == 2 && range[0] <= range[1], entry.second, "a printed value is a number or [least, greatest]");
  }
}

std::vector<double> read_shares(const YAML::Node& node) {
  auto shares = read_values(node);
  for (const double share : shares) demand(share > 0 && share < 1, node, "shares lie between 0 and 1");
  return shares;
}

// NAME or NAME:KEY=VALUE,...
void read_policy_of(const YAML::Node& node, JobGroup& group) {
  const auto choice = taken(node, read_policy(read_text(node)));
  group.handling.policy = choice.name;
  group.handling.policy_parameters = choice.parameters;
}

}  // namespace ontime::lab
