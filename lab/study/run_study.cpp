// The stages of a study: medians are measured, deadlines follow from them, shares of missed jobs are measured with
// those deadlines, policies get their parameters, all points are run.
#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>

#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/hash/sha256.h"
#include "lab/results/writing.h"
#include "lab/study/study.h"
#include "lab/study/study_result.h"

namespace ontime::lab {
namespace {

constexpr double kMissLeast = 0.001;  // so that a measured share is a probability that a policy can work with
constexpr std::size_t kDigits = 16;   // of a digest in a run's key
constexpr std::uint64_t kOtherLuck = 1'000'003;  // seeds of the same jobs with other luck are so far apart

class StudyRun {
 public:
  StudyRun(const Study& study, const StudyOptions& options, const Execute& execute);
  Result<StudyResult> run();

 private:
  // A place, who is run there, and with which seeds.
  struct Spot {
    PointOfAxes place;
    std::vector<const Contender*> contenders;
    std::uint64_t seed = 1;
    std::uint32_t seeds = 1;
  };
  // What is measured under a policy before the points are run.
  struct Probe {
    std::vector<PlannedRun> planned;
    std::vector<RunResult> runs;
  };
  struct Point {
    std::string key;  // of its runs, but for their seeds
    const Spot* spot = nullptr;
    const Contender* contender = nullptr;
    const Scenario* scenario = nullptr;
    const Collect* collect = nullptr;
  };

  void choose_spots(const StudyOptions& options);
  Status measure_medians();
  Status resolve(Spot& spot);
  Status measure_misses();
  Status make_points();
  Status probe(const Spot& spot, const MediansOf& medians);
  Status run_probes();
  Result<Scenario> scenario_at(const PointOfAxes& place, const std::vector<Setting>& settings,
                               const std::string& policy, std::string& key);
  Result<RunResults> run_all(std::vector<PlannedRun> planned);
  Result<std::string> policy_of(const Spot& spot, const Contender& contender);
  Status choose_contenders(const std::vector<std::string>& only);
  void add(const Point& point, std::uint64_t seed, RunResult run);
  std::string where(const PointOfAxes& place) const;

  Study study_;
  const StudyOptions& options_;
  const Execute& execute_;
  std::string files_;  // what was read of files for a scenario
  std::vector<const Contender*> contenders_;
  std::vector<Spot> spots_;
  std::deque<Scenario> scenarios_;       // that are run
  std::map<std::string, Probe> probes_;  // by what they are
  std::vector<Point> points_;
  const Collect times_{{}, {}, Collect::Grouping::ByIndex, true, {}, false};  // of a probe
  Collect collect_;                                                           // of every point, but for the utility
  std::deque<Collect> collected_;                                             // by point
  std::uint32_t seeds_ = 1;                                                   // of a place
  StudyResult result_;
};

// For a measurement: parameters of the policies that are compared mean nothing to another one.
std::vector<Setting> probed(const std::vector<Setting>& settings, const std::vector<Setting>& more) {
  std::vector<Setting> chosen;  // none is erased, because assigning to a YAML::Node changes what it refers to
  for (const auto* some : {&settings, &more}) std::ranges::copy_if(*some, std::back_inserter(chosen), is_of_scenario);
  return chosen;
}

// The seed of the jobs, and the seed of their luck, of each run of a measurement.
std::vector<std::pair<std::uint64_t, std::uint64_t>> seeds_of(const MediansOf& medians, std::uint64_t seed,
                                                              std::uint32_t seeds) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  const std::uint64_t first = medians.runs > 0 ? medians.seed : seed;
  for (std::uint32_t i = 0; i < (medians.runs > 0 ? medians.runs : seeds); ++i) {
    all.emplace_back(medians.other_luck ? seed : first + i, medians.other_luck ? seed + (i + 1) * kOtherLuck : 0);
  }
  return all;
}

// What makes two measurements the same.
std::string key_of(const std::vector<Setting>& settings, const MediansOf& medians, std::uint64_t seed) {
  std::string key = medians.policy + " " + std::to_string(medians.runs);
  if (medians.runs > 0) key += " " + std::to_string(medians.seed);
  if (medians.runs == 0 || medians.other_luck) key += " of " + std::to_string(seed);
  for (const Setting& setting : settings) {
    if (!setting.medians) key += "\n" + setting.path + "=" + YAML::Dump(setting.value);
  }
  return key;
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
    : study_(study), options_(options), execute_(execute) {
  study_.surroundings.read_file = [this, read = study.surroundings.read_file](const std::string& name) {
    auto text = read(name);
    if (text) files_ += "\n" + name + "=" + hash::sha256(*text);
    return text;
  };
  for (const Axis& axis : study.axes) result_.axes.push_back(axis.name);
  if (study.by_group) result_.axes.emplace_back("group");
  for (const std::string& name : study.measures) result_.measures.push_back(find_measure(name));
  seeds_ = options.seeds > 0 ? options.seeds : study.seeds;
  collect_.measures = result_.measures;
  collect_.utility = study.utility;
  collect_.grouping = study.by_group ? Collect::Grouping::ByName : Collect::Grouping::All;
  collect_.flow_times = study.curves == Curves::Times;
  collect_.forecasts = study.forecasts;
  collect_.job_rows = true;
}

Status StudyRun::choose_contenders(const std::vector<std::string>& only) {
  const auto names = names_of(study_.policies);
  for (const std::string& name : only) {
    if (std::ranges::find(names, name) == names.end())
      return bad_input("--only: the study has no policy '" + name + "'; " + advice(name, names));
  }
  for (const Contender& contender : study_.policies) {
    if (only.empty() || std::ranges::find(only, contender.name) != only.end()) contenders_.push_back(&contender);
  }
  return {};
}

// A place is several spots, one for each seed, if its deadlines are measured for each seed alone.
void StudyRun::choose_spots(const StudyOptions& options) {
  std::uint64_t seed = options.seed.value_or(study_.seed);
  std::size_t number = 0;
  for (PointOfAxes& place : places_of(study_)) {
    const bool apart = std::any_of(place.settings.begin(), place.settings.end(), [](const Setting& setting) {
      return setting.medians && setting.medians->other_luck;
    });
    for (std::uint32_t i = 0; i < (apart ? seeds_ : 1); ++i) {
      Spot spot{place, {}, seed + i, apart ? 1 : seeds_};
      for (const Contender* contender : contenders_) {
        if (number++ % study_.every == 0) spot.contenders.push_back(contender);
      }
      if (!spot.contenders.empty()) spots_.push_back(std::move(spot));
    }
    if (study_.own_seeds) seed += seeds_;
  }
}

std::string StudyRun::where(const PointOfAxes& place) const {
  std::string text;
  for (std::size_t i = 0; i < place.labels.size(); ++i) {
    text += (text.empty() ? "" : ", ") + study_.axes[i].name + " " + place.labels[i];
  }
  return text;
}

// The scenario, and what its runs depend on besides the study's own text and their seeds: in words, and in a digest
// everything that is set or read there.
Result<Scenario> StudyRun::scenario_at(const PointOfAxes& place, const std::vector<Setting>& settings,
                                       const std::string& policy, std::string& key) {
  files_.clear();
  auto scenario = scenario_of(study_, settings, policy);
  std::string all = policy;
  for (const Setting& setting : settings) {
    if (!setting.medians) all += "\n" + setting.path + "=" + YAML::Dump(setting.value);
  }
  const std::string at = where(place);
  key += (at.empty() ? "" : ", ") + at + ", " + hex_digits(hash::sha256(all + files_)).substr(0, kDigits);
  return scenario;
}

Result<RunResults> StudyRun::run_all(std::vector<PlannedRun> planned) {
  for (PlannedRun& run : planned) {
    run.weight = 0;
    for (const JobGroup& group : run.scenario->jobs) {
      if (group.trace.empty()) run.weight += group.count * group.size.tasks.mean();
      for (const TraceJob& job : group.trace) run.weight += job.tasks;
    }
  }
  auto runs = execute_(planned);
  if (!runs) return runs;
  for (const auto& run : *runs) {
    if (run && !run->broken.empty()) return failed("an invariant did not hold: " + run->broken);
    ++(run ? result_.runs : result_.missing);
  }
  return runs;
}

Status StudyRun::run_probes() {
  std::vector<PlannedRun> planned;
  for (const auto& [key, probe] : probes_) {
    if (probe.runs.empty()) planned.insert(planned.end(), probe.planned.begin(), probe.planned.end());
  }
  if (planned.empty()) return {};
  auto runs = run_all(std::move(planned));
  if (!runs) return runs.error();
  if (result_.missing > 0) return failed("interrupted while what the points need was measured");
  auto next = runs->begin();
  for (auto& [key, probe] : probes_) {
    if (!probe.runs.empty()) continue;
    for (std::size_t i = 0; i < probe.planned.size(); ++i) probe.runs.push_back(*std::move(*next++));
  }
  return {};
}

Status StudyRun::probe(const Spot& spot, const MediansOf& medians) {
  const auto settings = probed(spot.place.settings, medians.with);
  const auto [known, is_new] = probes_.try_emplace(key_of(settings, medians, spot.seed));
  if (!is_new) return {};
  std::string key = "first " + medians.policy;
  auto scenario = scenario_at(spot.place, settings, medians.policy, key);
  if (!scenario) return bad_input(where(spot.place) + ": " + scenario.error().message);
  scenarios_.push_back(std::move(*scenario));
  for (const auto& [seed, luck] : seeds_of(medians, spot.seed, spot.seeds)) {
    const std::string own = ", seed " + std::to_string(seed) + ", luck " + std::to_string(luck);
    known->second.planned.push_back({key + own, &scenarios_.back(), &times_, seed, luck});
  }
  return {};
}

// Replaces what must be measured by what was.
Status StudyRun::measure_medians() {
  for (const Spot& spot : spots_) {
    for (const Setting& setting : spot.place.settings) {
      if (!setting.medians) continue;
      if (auto known = probe(spot, *setting.medians); !known) return known;
    }
  }
  if (auto done = run_probes(); !done) return done;
  for (Spot& spot : spots_) {
    if (auto done = resolve(spot); !done) return done;
  }
  probes_.clear();
  return {};
}

Status StudyRun::resolve(Spot& spot) {
  std::vector<Setting> resolved;
  for (const Setting& setting : spot.place.settings) {
    if (!setting.medians) {
      resolved.push_back(setting);
      continue;
    }
    const MediansOf& medians = *setting.medians;
    const Probe& probe = probes_.at(key_of(probed(spot.place.settings, medians.with), medians, spot.seed));
    const Scenario& scenario = *probe.planned.front().scenario;
    for (const auto& [path, item] : spelled_out(setting.path, scenario.jobs.back().role.item + 1)) {
      std::vector<double> values;
      for (std::size_t group = 0; group < scenario.jobs.size(); ++group) {
        if (scenario.jobs[group].role.item == item) values.push_back(medians.times * median_of(probe.runs, group));
      }
      if (!std::all_of(values.begin(), values.end(), [](double value) { return value > 0; })) {
        return failed(where(spot.place) + ": no job ended, so there is no median under " + medians.policy);
      }
      // One for each of many stages, or for a single seed, is nothing to be read.
      const bool is_shown = values.size() == 1 && !medians.other_luck;
      YAML::Node value(is_shown ? rounded(values[0]) + "s" : shortest(values[0]));
      if (values.size() > 1) value = YAML::Node(values);
      resolved.push_back({path, value, std::nullopt});
      if (is_shown) result_.measured.push_back({path, where(spot.place), values[0]});
    }
  }
  spot.place.settings = std::move(resolved);
  return {};
}

Status StudyRun::measure_misses() {
  for (const Spot& spot : spots_) {
    for (const Contender* contender : spot.contenders) {
      for (const auto& [parameter, miss] : contender->measured) {
        if (auto known = probe(spot, {.policy = miss.policy, .with = {}}); !known) return known;
      }
    }
  }
  return run_probes();
}

Result<std::string> StudyRun::policy_of(const Spot& spot, const Contender& contender) {
  std::string policy = contender.run;
  for (const auto& [parameter, miss] : contender.measured) {
    const MediansOf probe{.policy = miss.policy, .with = {}};
    const Probe& measured = probes_.at(key_of(probed(spot.place.settings, {}), probe, spot.seed));
    const double value = miss_of(measured.runs, miss.per_task);
    policy += (policy.find(':') == std::string::npos ? ":" : ",") + parameter + "=" + rounded(value);
    result_.measured.push_back({contender.name + ", " + parameter, where(spot.place), value});
  }
  return filled_in(policy, spot.place.settings);
}

Status StudyRun::make_points() {
  for (const Spot& spot : spots_) {
    const PointOfAxes& place = spot.place;
    const auto utility = utility_of(study_, place.settings);
    if (!utility) return utility.error();
    collected_.push_back(collect_);
    collected_.back().utility = *utility;
    for (const Contender* contender : spot.contenders) {
      const auto policy = policy_of(spot, *contender);
      if (!policy) return policy.error();
      std::string key = contender->name;
      auto scenario = scenario_at(place, place.settings, *policy, key);
      if (!scenario) return bad_input(contender->name + ", " + where(place) + ": " + scenario.error().message);
      scenarios_.push_back(std::move(*scenario));
      points_.push_back({key, &spot, contender, &scenarios_.back(), &collected_.back()});
    }
  }
  return {};
}

void StudyRun::add(const Point& point, std::uint64_t seed, RunResult run) {
  const std::vector<std::string>& labels = point.spot->place.labels;
  const std::string& policy = point.contender->name;
  result_.jobs.push_back({labels, policy, seed, std::move(run.jobs)});
  if (!study_.forecasts.empty()) result_.forecasts.push_back({labels, policy, seed, std::move(run.forecasts)});
  if (seed == point.spot->seed && study_.curves == Curves::Samples)
    result_.samples.push_back({labels, policy, seed, run.slots, std::move(run.samples)});
  for (GroupResult& group : run.groups) {
    Row& row = result_.rows.emplace_back(Row{labels, policy, seed, std::move(group), run.unfinished});
    if (study_.by_group) row.labels.push_back(row.of.name);
  }
}

Result<StudyResult> StudyRun::run() {
  if (auto chosen = choose_contenders(options_.only); !chosen) return chosen.error();
  choose_spots(options_);
  if (auto done = measure_medians(); !done) return done.error();
  if (auto done = measure_misses(); !done) return done.error();
  if (auto done = make_points(); !done) return done.error();
  std::vector<PlannedRun> planned;
  for (const Point& point : points_) {
    for (std::uint32_t i = 0; i < point.spot->seeds; ++i) {
      const std::uint64_t seed = point.spot->seed + i;
      planned.push_back({point.key + ", seed " + std::to_string(seed), point.scenario, point.collect, seed});
    }
  }
  auto runs = run_all(std::move(planned));
  if (!runs) return runs.error();
  auto next = runs->begin();
  for (const Point& point : points_) {
    for (std::uint32_t i = 0; i < point.spot->seeds; ++i) {
      if (auto& run = *next++) add(point, point.spot->seed + i, *std::move(run));
    }
  }
  return std::move(result_);
}

}  // namespace

Result<StudyResult> run_study(const Study& study, const StudyOptions& options, const Execute& execute) {
  return StudyRun(study, options, execute).run();
}

}  // namespace ontime::lab
