#include "lab/experiment/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lab/simulator/simulator.h"

namespace ontime::lab::experiment {
namespace {

using lab::quantile_of;

std::vector<double> ascending(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

double utilisation_of(const std::vector<RunRows>& runs, const std::string& policy, std::uint32_t slots) {
  double busy = 0;
  double whole = 0;
  for (const RunRows& run : runs) {
    const Span span = span_of(run.jobs);
    if (run.policy != policy || !(span.end > span.begin)) continue;
    busy += use_over_time(run.attempts, span.begin, span.end, 1)[0].busy * (span.end - span.begin);
    whole += slots * (span.end - span.begin);
  }
  return whole > 0 ? busy / whole : 0;
}

// Of one policy, or of one of its groups; empty: all.
PolicySummary summarise_one(const Results& results, const std::string& policy, const std::string& group) {
  PolicySummary summary;
  summary.policy = policy;
  summary.group = group;
  std::uint64_t with_deadline = 0;
  std::vector<double> times, machine;
  double tasks = 0, attempts = 0, input = 0, mapped = 0, resumed = 0;
  std::set<std::uint32_t> repetitions;
  std::set<std::pair<std::uint32_t, std::uint32_t>> chosen;
  for (const JobRow& row : results.jobs) {
    if (!row.is_counted() || row.policy != policy || (!group.empty() && row.group != group)) continue;
    repetitions.insert(row.repetition);
    chosen.insert({row.repetition, row.job});
    ++summary.jobs;
    with_deadline += row.deadline > 0 ? 1 : 0;
    summary.met += row.deadline > 0 && row.met ? 1 : 0;
    if (!row.has_ended()) {
      ++summary.unfinished;
      continue;
    }
    times.push_back(row.time);
    machine.push_back(row.machine);
    tasks += row.tasks;
    attempts += row.attempts;
    input += static_cast<double>(row.input_bytes);
    mapped += static_cast<double>(row.duplicated_bytes + row.dropped_bytes);
    resumed += static_cast<double>(row.resumed_bytes);
  }
  for (const CopyRow& row : results.copies) {
    if (row.policy == policy && chosen.contains({row.repetition, row.job})) {
      summary.copies[row.reason] += row.attempts;
    }
  }
  summary.repetitions = static_cast<std::uint32_t>(repetitions.size());
  summary.pocd = share_of(summary.met, with_deadline);
  summary.time = lab::estimate_of(times);
  summary.machine = lab::estimate_of(machine);
  times = ascending(std::move(times));
  summary.p50 = quantile_of(times, 0.5);
  summary.p90 = quantile_of(times, 0.9);
  summary.p99 = quantile_of(times, 0.99);
  summary.attempts = tasks > 0 ? attempts / tasks : 0;
  summary.duplicated = input > 0 ? mapped / input : 0;
  summary.resumed = input > 0 ? resumed / input : 0;
  return summary;
}

template <class Name>
std::vector<std::string> names_of(const Results& results, Name name) {
  std::vector<std::string> names;
  for (const JobRow& row : results.jobs) {
    if (row.is_counted() && std::find(names.begin(), names.end(), name(row)) == names.end()) names.push_back(name(row));
  }
  return names;
}

template <class Row>
void add(std::vector<Row>& to, const std::vector<Row>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Span span_of(const std::vector<JobRow>& jobs) {
  Span span{std::numeric_limits<double>::infinity(), 0};
  for (const JobRow& row : jobs) {
    if (!row.is_counted() || std::isnan(row.submitted)) continue;
    span.begin = std::min(span.begin, row.submitted);
    if (row.has_ended()) span.end = std::max(span.end, row.ended);
  }
  return span;
}

std::vector<RunRows> runs_of(const Results& results) {
  std::vector<RunRows> runs;
  const auto run_of = [&](const RowKey& row) -> RunRows& {
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const RunRows& known) {
      return known.policy == row.policy && known.repetition == row.repetition;
    });
    return run != runs.end() ? *run : runs.emplace_back(RunRows{row.policy, row.repetition, {}, {}});
  };
  for (const JobRow& row : results.jobs) run_of(row).jobs.push_back(row);
  for (const AttemptRow& row : results.attempts) run_of(row).attempts.push_back(row);
  return runs;
}

std::vector<PolicySummary> summarise(const Results& results, std::uint32_t slots) {
  const std::vector<RunRows> runs = runs_of(results);
  std::vector<PolicySummary> all;
  for (const std::string& policy : names_of(results, [](const JobRow& row) { return row.policy; })) {
    all.push_back(summarise_one(results, policy, ""));
    all.back().utilisation = utilisation_of(runs, policy, slots);
  }
  return all;
}

std::vector<PolicySummary> summarise_groups(const Results& results, std::uint32_t slots) {
  const auto groups = names_of(results, [](const JobRow& row) { return row.group; });
  std::vector<PolicySummary> all;
  if (groups.size() < 2) return all;
  for (const PolicySummary& whole : summarise(results, slots)) {
    for (const std::string& group : groups) {
      all.push_back(summarise_one(results, whole.policy, group));
      all.back().utilisation = whole.utilisation;
    }
  }
  return all;
}

void add_baselines(Baselines& baselines, const Scenario& scenario, const std::string& policy, const Results& measured) {
  for (std::uint32_t index = 0; index < scenario.jobs.size(); ++index) {
    const JobGroup& group = scenario.jobs[index];
    if (group.deadline.medians_of != policy) continue;
    std::vector<double> times;
    for (const JobRow& row : measured.jobs) {
      if (row.is_counted() && row.group == group.name && row.has_ended()) times.push_back(row.time);
    }
    times = ascending(std::move(times));
    if (times.empty()) continue;
    Baseline& baseline = baselines[index];
    baseline.median = quantile_of(times, 0.5);
    const double deadline = group.deadline.medians * baseline.median;
    const auto missed = std::count_if(times.begin(), times.end(), [&](double time) { return time > deadline; });
    baseline.miss = static_cast<double>(missed) / static_cast<double>(times.size());
  }
}

std::string summary_json(const std::vector<PolicySummary>& all) { return json_text({{"policies", json_list(all)}}); }

nlohmann::ordered_json use_of(const Results& results, std::uint32_t slots) {
  auto rows = nlohmann::ordered_json::array();
  for (const RunRows& run : runs_of(results)) {
    const Span span = span_of(run.jobs);
    for (const UsePoint& point : use_over_time(run.attempts, span.begin, span.end)) {
      rows.push_back({{"policy", run.policy},
                      {"repetition", run.repetition},
                      {"at_s", point.at},
                      {"busy_slots", point.busy},
                      {"slots", slots}});
    }
  }
  return rows;
}

void Results::append(const Results& more) {
  add(jobs, more.jobs);
  add(tasks, more.tasks);
  add(attempts, more.attempts);
  add(copies, more.copies);
  add(forecasts, more.forecasts);
}

std::vector<UsePoint> use_over_time(const std::vector<AttemptRow>& attempts, double begin, double end,
                                    std::size_t points) {
  if (points == 0 || !(end > begin)) return {};
  const double step = (end - begin) / static_cast<double>(points);
  std::vector<UsePoint> use(points);
  for (std::size_t i = 0; i < points; ++i) use[i].at = begin + step * static_cast<double>(i);
  for (const AttemptRow& attempt : attempts) {
    const double from = std::max(begin, attempt.launched);
    const double to = std::isnan(attempt.ended) ? end : std::min(end, attempt.ended);
    if (!(to > from)) continue;
    const auto first = static_cast<std::size_t>((from - begin) / step);
    const auto last = std::min(points - 1, static_cast<std::size_t>((to - begin) / step));
    for (std::size_t i = first; i <= last; ++i) {
      use[i].busy += std::max(0.0, std::min(to, use[i].at + step) - std::max(from, use[i].at)) / step;
    }
  }
  return use;
}

}  // namespace ontime::lab::experiment
