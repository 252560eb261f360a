#include "lab/scenario/scenario.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "common/injection/injection.h"
#include "scheduler/math/estimator.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab {
namespace {

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

Status check_policy(const JobGroup& group) {
  const Status status = scheduler::check_policy(group.handling.policy, group.handling.policy_parameters);
  return status ? Status() : bad_input("Jobs '" + group.name + "': " + status.error().message);
}

// How many times as long attempts take on a node, by the slots of the nodes.
double mean_slowness(const Scenario& scenario) {
  double sum = 0;
  for (const NodeGroup& group : scenario.nodes) {
    if (!scenario.injection) sum += group.slowness.mean() * group.count * group.slots;
    for (std::uint32_t i = 1; scenario.injection && i <= group.count; ++i) {
      sum += group.slots * injection::node_factor(*scenario.injection, group.name + "-" + std::to_string(i));
    }
  }
  return sum / slots_of(scenario);
}

// How many times as long attempts take by what is done to them on purpose, on whatever node.
double mean_slowdown(const injection::Injection& injected) {
  const double factor = injected.slowdown ? injected.slowdown->mean() : 1;
  return factor * (1 + injected.straggler.share * (injected.straggler.factor - 1));
}

// Of an attempt over a whole split on a node of slowness 1.
double mean_duration(const Scenario& scenario, const JobGroup& group) {
  if (!scenario.injection) return group.times.duration.mean();
  return seconds(scenario.injection->pace) * mean_slowdown(*scenario.injection);
}

double mean_start(const Scenario& scenario, const JobGroup& group) {
  const double own = group.times.start.mean();
  if (!scenario.injection || !scenario.injection->start) return own;
  return own + scenario.injection->start->mean() * mean_slowdown(*scenario.injection);
}

double mean_launch(const Scenario& scenario) {
  if (!scenario.injection) return scenario.launch.mean();
  return scenario.injection->launch ? scenario.injection->launch->mean() : 0;
}

Status check_arrivals(const Scenario& scenario, const JobGroup& group) {
  const Arrivals& arrivals = group.arrivals;
  const std::string who = "Jobs '" + group.name + "': ";
  if (!arrivals.at.empty() && arrivals.at.size() != group.count) {
    return bad_input(who + "give as many arrival times as there are jobs.");
  }
  for (const double at : arrivals.at) {
    if (!(at >= 0 && std::isfinite(at))) return bad_input(who + "an arrival is a number of seconds from 0 on.");
  }
  if (!group.trace.empty() && group.trace.size() != group.count) {
    return bad_input(who + "a trace says how many jobs there are; leave out count.");
  }
  if (arrivals.load < 0 || arrivals.rate < 0 || arrivals.every < 0 || arrivals.spread < 0) {
    return bad_input(who + "load, rate, spread and distance cannot be negative.");
  }
  if (!arrivals.daily.empty() && arrivals.load <= 0 && arrivals.rate <= 0) {
    return bad_input(who + "the parts of a day go with a load or a rate.");
  }
  if (arrivals.load > 0 || arrivals.spread > 0) {
    if (const auto work = mean_work(scenario, group); !work) return bad_input(who + work.error().message + ".");
  }
  return {};
}

Status check_group(const Scenario& scenario, const JobGroup& group) {
  const std::string who = "Jobs '" + group.name + "': ";
  if (group.count == 0) return bad_input(who + "there must be at least one.");
  if (group.size.split_bytes == 0 || group.size.record_bytes == 0 || group.size.record_bytes > group.size.split_bytes) {
    return bad_input(who + "split_bytes and record_bytes are positive, a record no longer than a split.");
  }
  if (!is_positive(group.times.duration.median()) || group.times.duration.least() < 0) {
    return bad_input(who + "durations are positive.");
  }
  if (std::count(group.size.file_bytes.begin(), group.size.file_bytes.end(), 0u) != 0) {
    return bad_input(who + "an input file has at least one byte.");
  }
  if (group.size.split_lengths.least() < 0 || !is_positive(group.size.split_lengths.median())) {
    return bad_input(who + "the length of a split is a positive share of split_bytes.");
  }
  if (group.known.history > scheduler::math::DurationSample::kKept) {
    return bad_input(who + "of earlier attempts at most " + std::to_string(scheduler::math::DurationSample::kKept) +
                     " are known.");
  }
  if (!(group.size.output >= 0 && std::isfinite(group.size.output))) return bad_input(who + "output is 0 or positive.");
  for (const double recorded : group.times.first_durations) {
    if (!(recorded >= 0 && std::isfinite(recorded))) return bad_input(who + "a recorded duration is 0 or positive.");
  }
  if (!is_positive(group.times.skew.slowness.median()) || group.times.skew.begins.least() < 0 ||
      group.times.skew.share.least() < 0) {
    return bad_input(
        who +
        "a skew begins at a share of the split, has a share of it, both from 0 on, and its slowness is positive.");
  }
  if (group.times.start.least() < 0) return bad_input(who + "a start cannot take negative time.");
  if (!is_positive(group.times.record_time.median()) || group.times.record_time.least() < 0) {
    return bad_input(who + "the time of a record is a positive number of times its share of the duration.");
  }
  if (group.size.share.least() < 0) return bad_input(who + "a share of the slots is positive.");
  if (!is_positive(group.size.tasks.median())) return bad_input(who + "the number of tasks is positive.");
  if (!is_positive(group.size.scale.median()) || group.size.scale.least() < 0)
    return bad_input(who + "a scale is positive.");
  const bool is_of_mean = group.deadline.of == JobDeadline::Of::Mean || group.deadline.of == JobDeadline::Of::Alone;
  if (is_of_mean && !is_positive(mean_task(scenario, group, group.size.scale.mean()))) {
    return bad_input(
        who + "the mean duration is not finite, so no deadline can be a multiple of it; give seconds or minima.");
  }
  if (group.deadline.seconds < 0 || group.deadline.times.least() < 0 || group.deadline.medians < 0 ||
      group.handling.attempt_timeout < Duration(0) ||
      (group.handling.checkpoint_interval && *group.handling.checkpoint_interval < Duration(0))) {
    return bad_input(who + "deadline, checkpoint and attempt_timeout cannot be negative.");
  }
  const auto names = scheduler::math::estimator_names();
  if (std::find(names.begin(), names.end(), group.handling.estimator) == names.end()) {
    return bad_input(who + "there is no estimator '" + group.handling.estimator + "'.");
  }
  if (auto arrivals = check_arrivals(scenario, group); !arrivals) return arrivals;
  return check_policy(group);
}

Status check_nodes(const NodeGroup& group) {
  if (!is_positive(group.slowness.median())) return bad_input("A node's slowness is positive; 1 is the usual.");
  for (const SlownessChange& change : group.slowness_changes) {
    if (!is_positive(change.slowness.median()) || change.slowness.least() <= 0)
      return bad_input("A node's slowness is positive, also after it has changed; 1 is the usual.");
    if (!(change.at >= 0 && std::isfinite(change.at)))
      return bad_input("A node's slowness changes at a number of seconds from 0 on.");
  }
  if (!(group.slowness_changes_every >= 0)) return bad_input("The time between changes of slowness is positive.");
  if (!(group.disk.bytes_per_second > 0)) return bad_input("A disk writes some bytes per second.");
  if (group.disk.sync.least() < 0) return bad_input("A disk's sync cannot take negative time.");
  return {};
}

Status check_network(const Network& network) {
  if (!(network.loss >= 0 && network.loss < 1)) return bad_input("The loss of packets is at least 0 and below 1.");
  if (!is_positive(network.retransmit) || !is_positive(network.give_up)) {
    return bad_input("A packet is sent again, and given up, after a positive time.");
  }
  return {};
}

Status check_elastic(const Scenario& scenario) {
  if (!scenario.elastic) return {};
  const Elastic& elastic = *scenario.elastic;
  if (!scenario.outages.empty()) return bad_input("Elastic nodes have no outages: leave out one of the two.");
  if (scenario.yardstick != Yardstick::None)
    return bad_input("The bound and the ideal have all nodes at all times; leave out elastic, or the bound.");
  if (!(elastic.start >= 0) || !is_positive(elastic.every) || elastic.rule.hold < Duration(0))
    return bad_input("elastic: start and hold are times, and there is some time between two looks (every).");
  if (!(elastic.rule.target > 0 && elastic.rule.target < 1))
    return bad_input("elastic: the target is a probability between 0 and 1.");
  return {};
}

}  // namespace

Status check(const Scenario& scenario) {
  if (slots_of(scenario) == 0) return bad_input("A cluster has at least one node with a slot.");
  if (scenario.jobs.empty()) return bad_input("There must be jobs.");
  for (const NodeGroup& group : scenario.nodes) {
    if (auto good = check_nodes(group); !good) return good;
    if (scenario.yardstick != Yardstick::None && !group.is_steady())
      return bad_input(
          "The bound and the ideal know no nodes whose slowness changes; leave out slowness_changes, or the bound.");
  }
  const bool changes =
      std::ranges::any_of(scenario.nodes, [](const NodeGroup& group) { return !group.slowness_changes.empty(); });
  for (const JobGroup& group : scenario.jobs) {
    if (changes && (group.arrivals.load > 0 || group.arrivals.spread > 0))
      return bad_input("Jobs '" + group.name +
                       "': there is no load of nodes whose slowness changes at given times; "
                       "give a rate of arrivals.");
    if (auto good = check_group(scenario, group); !good) return good;
  }
  for (const Outage& outage : scenario.outages) {
    if (outage.node >= nodes_of(scenario)) return bad_input("An outage names a node that there is not.");
    if (!(outage.at >= 0) || !(outage.lasts >= 0)) return bad_input("An outage begins at 0 or later and lasts.");
    if (!(outage.lead >= 0)) return bad_input("A worker leaves some time before its time limit: lead is 0 or more.");
  }
  if (auto good = check_elastic(scenario); !good) return good;
  if (scenario.launch.least() < 0 || scenario.network_delay.least() < 0 || scenario.reconnect < 0) {
    return bad_input("Launch time, network delay and reconnect time cannot be negative.");
  }
  if (node_timeout_of(scenario) < 2 * heartbeat_of(scenario) + scenario.network_delay.median()) {
    return bad_input("node_timeout must be longer than two heartbeats, or healthy nodes are taken for lost.");
  }
  if (auto good = check_network(scenario.network); !good) return good;
  const auto is_share = [](double value) { return value >= 0 && value <= 1; };
  if (!is_share(scenario.node_correlation) || !is_share(scenario.crash_probability)) {
    return bad_input("node_correlation and crash_probability are between 0 and 1.");
  }
  if (scenario.commit.least() < 0) return bad_input("A commit cannot take negative time.");
  if (scenario.speed_changes_every < 0 || scenario.sample_every < 0 || !(scenario.horizon > 0)) {
    return bad_input("speed_changes_every, sample_every and horizon cannot be negative.");
  }
  return {};
}

Scenario process_defaults() {
  Scenario scenario;
  scenario.nodes.front().name = "worker";
  scenario.jobs.front().size.split_bytes = 64u << 10;
  scenario.jobs.front().size.record_bytes = 64;
  scenario.injection.emplace();
  scenario.launch = Distribution::constant(0.02);
  scenario.keeps_runners = true;
  scenario.heartbeat = 0.1;
  scenario.node_timeout = 10;
  scenario.cut_timeout = 3;  // as in the master
  scenario.horizon = 900;
  return scenario;
}

std::uint32_t nodes_of(const Scenario& scenario) {
  std::uint32_t count = 0;
  for (const NodeGroup& group : scenario.nodes) count += group.count;
  return count;
}

double mean_task(const Scenario& scenario, const JobGroup& group, double scale) {
  const double length = scale * group.size.split_lengths.mean();
  const double mapping = mean_duration(scenario, group) * length * group.times.record_time.mean();
  return (mapping + mean_start(scenario, group)) * mean_slowness(scenario) + mean_launch(scenario);
}

Result<double> mean_work(const Scenario& scenario, const JobGroup& group) {
  if (scenario.injection && scenario.injection->pace <= Duration(0)) {
    return bad_input("a load needs a pace in the injection; give a rate");
  }
  const double share = group.size.share.mean() > 0 ? group.size.share.mean() * slots_of(scenario) : 1;
  const double work = group.size.tasks.mean() * share * mean_task(scenario, group, group.size.scale.mean());
  if (!is_positive(work)) return bad_input("attempts have no mean duration, so a load means nothing; give a rate");
  return work;
}

std::uint32_t slots_of(const Scenario& scenario) {
  std::uint32_t slots = 0;
  for (const NodeGroup& group : scenario.nodes) slots += group.count * group.slots;
  return slots;
}

double heartbeat_of(const Scenario& scenario) {
  if (scenario.heartbeat > 0) return scenario.heartbeat;
  double shortest = kForEver;
  for (const JobGroup& group : scenario.jobs) shortest = std::min(shortest, group.times.duration.median());
  constexpr double kLongest = 300;  // an attempt that says nothing for ten minutes is taken for one that stands still
  return std::clamp(shortest / 20, 0.01, kLongest);
}

double node_timeout_of(const Scenario& scenario) {
  return scenario.node_timeout > 0 ? scenario.node_timeout : 25 * heartbeat_of(scenario);
}

double cut_timeout_of(const Scenario& scenario) {
  return scenario.cut_timeout > 0 ? scenario.cut_timeout : 15 * heartbeat_of(scenario);
}

std::string fill_in(const std::string& text,
                    const std::function<std::optional<std::string>(const std::string& name)>& meaning) {
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  std::string filled;
  for (auto at = text.begin(); at != text.end();) {
    const auto end = *at == '$' ? std::find_if_not(at + 1, text.end(), is_of_name) : at + 1;
    const auto known = *at == '$' ? meaning({at + 1, end}) : std::nullopt;
    filled += known.value_or(std::string(at, end));
    at = end;
  }
  return filled;
}

Result<PolicyChoice> read_policy_flag(const std::string& text) {
  auto choice = read_policy(text);
  if (!choice) return bad_input("--policy: " + choice.error().message);
  if (const auto good = scheduler::check_policy(choice->name, choice->parameters); !good)
    return bad_input("--policy: " + good.error().message);
  return choice;
}

namespace {

// "bound", "ideal", or one of them with its parameter.
Status choose_yardstick(Scenario& scenario, const PolicyChoice& choice) {
  const bool is_bound = choice.name == kBound;
  try {
    scheduler::Parameters parameters(choice.name, choice.parameters);
    const bool is_other = parameters.flag(is_bound ? "clairvoyant" : "launches", false);
    parameters.finish();
    scenario.yardstick = is_bound ? (is_other ? Yardstick::ClairvoyantBound : Yardstick::Bound)
                                  : (is_other ? Yardstick::IdealWithLaunches : Yardstick::Ideal);
  } catch (const std::invalid_argument& wrong) {
    return bad_input(wrong.what());
  }
  return check(scenario);
}

}  // namespace

Status choose_policy(Scenario& scenario, const PolicyChoice& choice) {
  scenario.yardstick = Yardstick::None;
  if (choice.name == kBound || choice.name == kIdeal) return choose_yardstick(scenario, choice);
  for (JobGroup& group : scenario.jobs) {
    group.handling.policy = choice.name;
    group.handling.policy_parameters = choice.parameters;
  }
  return check(scenario);
}

}  // namespace ontime::lab
