#include <algorithm>
#include <cmath>

#include "lab/study/study_result.h"

namespace ontime::lab {
namespace {

// The mean over the seeds; a share of jobs that is the same in all runs has Wilson's interval over all jobs.
Estimate estimate(const Measure& measure, const std::vector<double>& values, std::uint64_t met, std::uint64_t jobs) {
  Estimate estimate = estimate_of(values);
  const bool is_certain = estimate.runs < 2 || estimate.low == estimate.high;
  if (measure.name == "pocd" && is_certain && jobs > 0) {
    const Estimate share = share_of(met, jobs);
    return {estimate.value, share.low, share.high, estimate.runs};
  }
  if (measure.is_share && estimate.has_interval()) {
    estimate.low = std::max(0.0, estimate.low);
    estimate.high = std::min(1.0, estimate.high);
  }
  return estimate;
}

// Later rows of `printed` are the more special ones.
std::optional<Reading> printed_of(const Study& study, const StudyResult& result, const Row& row,
                                  const std::string& measure) {
  std::optional<Reading> reading;
  for (const Printed& printed : study.printed) {
    const auto value = printed.values.find(measure);
    if (value == printed.values.end()) continue;
    const bool applies = std::all_of(printed.labels.begin(), printed.labels.end(), [&](const auto& label) {
      return label.second == (label.first == "policy" ? row.policy : row.labels[result.axis(label.first)]);
    });
    if (applies) reading = value->second;
  }
  return reading;
}

}  // namespace

void add_rows(StudyResult& result, const Study& study, const std::vector<std::string>& labels,
              const std::string& policy, std::span<const RunResult> runs) {
  for (std::size_t group = 0; group < runs.front().groups.size(); ++group) {
    Row row;
    row.labels = labels;
    if (study.by_group != ByGroup::No) row.labels.push_back(runs.front().groups[group].name);
    row.policy = policy;
    row.samples = runs.front().samples;
    row.slots = runs.front().slots;
    std::uint64_t met = 0;
    std::uint64_t jobs = 0;
    for (const RunResult& run : runs) {
      const GroupResult& from = run.groups[group];
      met += from.met;
      jobs += from.jobs;
      row.unfinished += run.unfinished;
      row.flow_times.insert(row.flow_times.end(), from.flow_times.begin(), from.flow_times.end());
    }
    std::sort(row.flow_times.begin(), row.flow_times.end());
    for (std::size_t i = 0; i < result.measures.size(); ++i) {
      std::vector<double> values;
      for (const RunResult& run : runs) values.push_back(run.groups[group].values[i]);
      row.values.push_back(estimate(*result.measures[i], values, met, jobs));
      row.printed.push_back(printed_of(study, result, row, study.measures[i]));
    }
    result.rows.push_back(std::move(row));
  }
}

StudyResult mean_over_groups(const Study& study, const StudyResult& by_group) {
  StudyResult result = by_group;
  result.axes.pop_back();
  result.rows.clear();
  for (std::size_t first = 0, end = 0; first < by_group.rows.size(); first = end) {
    Row row = by_group.rows[first];
    row.labels.pop_back();
    const auto is_its = [&](const Row& other) {
      return other.policy == row.policy && std::equal(row.labels.begin(), row.labels.end(), other.labels.begin());
    };
    while (end < by_group.rows.size() && is_its(by_group.rows[end])) ++end;
    for (std::size_t i = 0; i < result.measures.size(); ++i) {
      std::vector<double> values;
      for (std::size_t at = first; at < end; ++at) values.push_back(by_group.rows[at].values[i].value);
      row.values[i] = estimate_of(values);
      row.printed[i] = printed_of(study, result, row, study.measures[i]);
    }
    result.rows.push_back(std::move(row));
  }
  return result;
}

std::size_t StudyResult::axis(const std::string& name) const {
  return static_cast<std::size_t>(std::find(axes.begin(), axes.end(), name) - axes.begin());
}

std::size_t StudyResult::measure(const std::string& name) const {
  const auto found = std::find_if(measures.begin(), measures.end(), [&](const Measure* m) { return m->name == name; });
  return static_cast<std::size_t>(found - measures.begin());
}

bool differs(const Estimate& ours, const Reading& printed, const Measure& measure) {
  if (std::isnan(ours.value)) return true;
  const double half_digit = 0.5 * std::pow(10.0, -measure.digits);
  const double low = ours.has_interval() ? ours.low : ours.value;
  const double high = ours.has_interval() ? ours.high : ours.value;
  return high < printed.low - half_digit || low > printed.high + half_digit;
}

Agreement agreement_of(const StudyResult& result) {
  Agreement agreement;
  for (const Row& row : result.rows) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      if (!row.printed[i]) continue;
      ++agreement.printed;
      agreement.held += differs(row.values[i], *row.printed[i], *result.measures[i]) ? 0 : 1;
    }
  }
  return agreement;
}

}  // namespace ontime::lab
