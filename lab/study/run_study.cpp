// The stages of a study: medians are measured, deadlines follow from them, shares of missed jobs are measured with
// those deadlines, policies get their parameters, all points are run.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "lab/study/study.h"
#include "lab/study/study_result.h"

namespace ontime::lab {
namespace {

constexpr double kMissLeast = 0.001;  // so that a measured share is a probability that a policy can work with

class StudyRun {
 public:
  StudyRun(const Study& study, const StudyOptions& options, const Execute& execute);
  Result<StudyResult> run();

 private:
  // What is measured under a policy before the points are run, and by which settings use it.
  struct Probe {
    const Scenario* scenario = nullptr;
    std::vector<RunResult> runs;
  };
  struct Point {
    std::size_t place = 0;
    const Contender* contender = nullptr;
    const Scenario* scenario = nullptr;
    const Collect* collect = nullptr;
  };
  struct Job {
    const Scenario* scenario = nullptr;
    const Collect* collect = nullptr;
  };

  Status measure_medians();
  Status measure_misses();
  Status make_points();
  Status probe(const Place& place, const MediansOf& medians);
  Status run_probes();
  Result<std::vector<RunResult>> run_all(const std::vector<Job>& jobs);
  Result<std::string> policy_of(const Place& place, const Contender& contender);
  void add_rows(const Point& point, std::span<const RunResult> runs);
  std::string where(const Place& place) const;

  const Study& study_;
  const Execute& execute_;
  std::uint32_t seeds_;
  std::vector<const Contender*> contenders_;
  std::vector<Place> places_;
  std::deque<Scenario> scenarios_;       // that are run
  std::map<std::string, Probe> probes_;  // by what they are
  std::vector<Point> points_;
  Collect collect_;                // of every point, but for the utility
  std::deque<Collect> collected_;  // by point
  StudyResult result_;
};

// What makes two settings the same.
std::string key_of(const std::vector<Setting>& settings, const std::string& policy) {
  std::string key = policy;
  for (const Setting& setting : settings) {
    if (!setting.medians) key += "\n" + setting.path + "=" + YAML::Dump(setting.value);
  }
  return key;
}

// For a measurement: parameters of the policies that are compared mean nothing to another one.
std::vector<Setting> probed(std::vector<Setting> settings, const std::vector<Setting>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  std::erase_if(settings, [](const Setting& setting) { return !is_of_scenario(setting); });
  return settings;
}

double median_of(const std::vector<RunResult>& runs, std::size_t group) {
  std::vector<double> times;
  for (const RunResult& run : runs) {
    const auto& more = run.groups[group].flow_times;
    times.insert(times.end(), more.begin(), more.end());
  }
  std::sort(times.begin(), times.end());
  return quantile_of(times, 0.5);
}

double miss_of(const std::vector<RunResult>& runs, bool per_task) {
  double met = 0;
  double jobs = 0;
  double tasks = 0;
  for (const RunResult& run : runs) {
    for (const GroupResult& group : run.groups) {
      met += static_cast<double>(group.met);
      jobs += static_cast<double>(group.jobs);
      tasks += group.tasks;
    }
  }
  const double share = jobs > 0 ? met / jobs : 1;
  const double miss = per_task ? 1 - std::pow(share, jobs / std::max(tasks, 1.0)) : 1 - share;
  return std::clamp(miss, kMissLeast, 1 - kMissLeast);
}

// Three digits are what a measurement is worth, and a file can be read.
std::string rounded(double value) {
  const double scale = std::pow(10.0, 3 - std::ceil(std::log10(std::abs(value))));
  std::string text = std::to_string(std::round(value * scale) / scale);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

StudyRun::StudyRun(const Study& study, const StudyOptions& options, const Execute& execute)
    : study_(study),
      execute_(execute),
      seeds_(options.seeds > 0 ? options.seeds : study.seeds),
      places_(places_of(study)) {
  for (const Contender& contender : study.policies) {
    if (options.only.empty() || contender.name == options.only) contenders_.push_back(&contender);
  }
  for (const Axis& axis : study.axes) result_.axes.push_back(axis.name);
  if (study.by_group) result_.axes.emplace_back("group");
  for (const std::string& name : study.measures) result_.measures.push_back(find_measure(name));
  result_.seeds = seeds_;
  collect_.measures = result_.measures;
  collect_.utility = study.utility;
  collect_.grouping = study.by_group ? Collect::Grouping::ByName : Collect::Grouping::All;
  collect_.flow_times = study.figure.kind == Figure::Kind::Cdf;
}

std::string StudyRun::where(const Place& place) const {
  std::string text;
  for (std::size_t i = 0; i < place.labels.size(); ++i) {
    text += (text.empty() ? "" : ", ") + study_.axes[i].name + " " + place.labels[i];
  }
  return text;
}

Result<std::vector<RunResult>> StudyRun::run_all(const std::vector<Job>& jobs) {
  std::vector<PlannedRun> planned;
  for (const auto& [scenario, collect] : jobs) {
    double weight = 0;
    for (const JobGroup& group : scenario->jobs) {
      if (group.trace.empty()) weight += group.count * group.tasks.mean();
      for (const TraceJob& job : group.trace) weight += job.tasks;
    }
    for (std::uint32_t seed = 1; seed <= seeds_; ++seed) planned.push_back({scenario, collect, seed, weight});
  }
  auto runs = execute_(planned);
  if (!runs) return runs;
  for (const RunResult& run : *runs) {
    if (!run.broken.empty()) return failed("an invariant did not hold: " + run.broken);
    result_.attempts += run.attempts;
    result_.events += run.events;
  }
  result_.runs += runs->size();
  return runs;
}

Status StudyRun::run_probes() {
  std::vector<Probe*> open;
  std::vector<Job> jobs;
  const Collect collect{{}, {}, Collect::Grouping::ByIndex, true};
  for (auto& [key, probe] : probes_) {
    if (!probe.runs.empty()) continue;
    open.push_back(&probe);
    jobs.push_back({probe.scenario, &collect});
  }
  if (open.empty()) return {};
  auto runs = run_all(jobs);
  if (!runs) return runs.error();
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto first = runs->begin() + static_cast<std::ptrdiff_t>(i * seeds_);
    open[i]->runs.assign(std::make_move_iterator(first), std::make_move_iterator(first + seeds_));
  }
  return {};
}

Status StudyRun::probe(const Place& place, const MediansOf& medians) {
  const auto settings = probed(place.settings, medians.with);
  auto scenario = scenario_of(study_, settings, medians.policy);
  if (!scenario) return bad_input(where(place) + ": " + scenario.error().message);
  const auto [known, is_new] = probes_.try_emplace(key_of(settings, medians.policy));
  if (!is_new) return {};
  scenarios_.push_back(std::move(*scenario));
  known->second.scenario = &scenarios_.back();
  return {};
}

// Replaces what must be measured by what was.
Status StudyRun::measure_medians() {
  for (const Place& place : places_) {
    for (const Setting& setting : place.settings) {
      if (!setting.medians) continue;
      if (auto known = probe(place, *setting.medians); !known) return known;
    }
  }
  if (auto done = run_probes(); !done) return done;
  for (Place& place : places_) {
    std::vector<Setting> resolved;
    for (const Setting& setting : place.settings) {
      if (!setting.medians) {
        resolved.push_back(setting);
        continue;
      }
      const MediansOf& medians = *setting.medians;
      const Probe& probe = probes_.at(key_of(probed(place.settings, medians.with), medians.policy));
      for (const auto& [path, group] : spelled_out(setting.path, probe.runs.front().groups.size())) {
        const double value = medians.times * median_of(probe.runs, group);
        if (!(value > 0)) return failed(where(place) + ": no job ended, so there is no median under " + medians.policy);
        resolved.push_back({path, YAML::Node(rounded(value) + "s"), std::nullopt});
        result_.measured.push_back({path, where(place), value});
      }
    }
    place.settings = std::move(resolved);
  }
  probes_.clear();
  return {};
}

Status StudyRun::measure_misses() {
  for (const Place& place : places_) {
    for (const Contender* contender : contenders_) {
      for (const auto& [parameter, miss] : contender->measured) {
        if (auto known = probe(place, {miss.policy, 1, {}}); !known) return known;
      }
    }
  }
  return run_probes();
}

Result<std::string> StudyRun::policy_of(const Place& place, const Contender& contender) {
  std::string policy = contender.run;
  for (const auto& [parameter, miss] : contender.measured) {
    const double value = miss_of(probes_.at(key_of(probed(place.settings, {}), miss.policy)).runs, miss.per_task);
    policy += (policy.find(':') == std::string::npos ? ":" : ",") + parameter + "=" + rounded(value);
    result_.measured.push_back({contender.name + ", " + parameter, where(place), value});
  }
  return filled_in(std::move(policy), place.settings);
}

Status StudyRun::make_points() {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    for (const Contender* contender : contenders_) {
      const auto policy = policy_of(places_[i], *contender);
      if (!policy) return policy.error();
      const auto utility = utility_of(study_, places_[i].settings);
      if (!utility) return utility.error();
      collected_.push_back(collect_);
      collected_.back().utility = *utility;
      auto scenario = scenario_of(study_, places_[i].settings, *policy);
      if (!scenario) return bad_input(contender->name + ", " + where(places_[i]) + ": " + scenario.error().message);
      scenarios_.push_back(std::move(*scenario));
      points_.push_back({i, contender, &scenarios_.back(), &collected_.back()});
    }
  }
  return {};
}

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

void StudyRun::add_rows(const Point& point, std::span<const RunResult> runs) {
  for (std::size_t group = 0; group < runs.front().groups.size(); ++group) {
    Row row;
    row.labels = places_[point.place].labels;
    if (study_.by_group) row.labels.push_back(runs.front().groups[group].name);
    row.policy = point.contender->name;
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
    for (std::size_t i = 0; i < result_.measures.size(); ++i) {
      std::vector<double> values;
      for (const RunResult& run : runs) values.push_back(run.groups[group].values[i]);
      row.values.push_back(estimate(*result_.measures[i], values, met, jobs));
      row.printed.push_back(printed_of(study_, result_, row, study_.measures[i]));
    }
    result_.rows.push_back(std::move(row));
  }
}

Result<StudyResult> StudyRun::run() {
  if (contenders_.empty()) return bad_input("the study has no policy of that name");
  if (auto done = measure_medians(); !done) return done.error();
  if (auto done = measure_misses(); !done) return done.error();
  if (auto done = make_points(); !done) return done.error();
  std::vector<Job> jobs;
  for (const Point& point : points_) jobs.push_back({point.scenario, point.collect});
  const auto runs = run_all(jobs);
  if (!runs) return runs.error();
  for (std::size_t i = 0; i < points_.size(); ++i) add_rows(points_[i], std::span(*runs).subspan(i * seeds_, seeds_));
  return std::move(result_);
}

}  // namespace

Result<StudyResult> run_study(const Study& study, const StudyOptions& options, const Execute& execute) {
  return StudyRun(study, options, execute).run();
}

}  // namespace ontime::lab
