#pragma once
// The runs of a study: a row for each. python/ontime/lab/table.py makes means, intervals and pages of them.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "lab/results/interval.h"
#include "lab/scenario/scenario.h"
#include "lab/simulator/simulator.h"
#include "lab/study/simulated_job.h"
#include "lab/study/study.h"

namespace ontime::lab {

// What is measured of one run. To add a measure is to add a line to the table in measure.cpp and one
// in python/ontime/lab/measures.py.

// Some jobs of a run, and the run.
struct Sight {
  std::vector<const JobOutcome*> jobs;
  std::vector<double> flow_times;  // of those that have ended, ascending
  const Outcome* outcome = nullptr;
  Utility utility;
};

struct Measure {
  std::string_view name;
  double (*of)(const Sight&) = nullptr;  // NaN: nothing to be measured
};

std::span<const Measure> measures();
const Measure* find_measure(std::string_view name);

// One run of a study, reduced to what the study wants of it. Runs share nothing: any number may be done at a time.
struct Collect {
  enum class Grouping : std::uint8_t { All, ByName, ByIndex };
  std::vector<const Measure*> measures;
  Utility utility;
  Grouping grouping = Grouping::All;
  bool flow_times = false;
  Forecasts forecasts;
  bool job_rows = false;
};

// What was expected of a running job, and what came true.
struct JobForecast {
  std::uint32_t job = 0;  // in order of submission, from 1 on
  std::string group;
  std::uint32_t tasks = 0;
  bool of_life = false;  // `share` is one of the job's time; otherwise of the time to its deadline
  double share = 0;
  ForecastReading seen;
  double end = 0;  // seconds after submission, like the deadline
  double deadline = 0;
  bool met = false;
};

struct GroupResult {
  std::string name;  // ByName only
  std::vector<double> values;
  std::uint64_t jobs = 0;
  std::uint64_t met = 0;
  double tasks = 0;
  std::vector<double> flow_times;  // ascending, if they are wanted
};

struct RunResult {
  std::vector<GroupResult> groups;  // one for all jobs, or one per name or group, in the scenario's order
  std::vector<Sample> samples;
  std::vector<JobForecast> forecasts;
  std::vector<SimulatedJob> jobs;  // if they are wanted
  std::uint32_t slots = 0;
  std::uint64_t unfinished = 0;
  std::string broken;  // an invariant that did not hold
};

// What is to be run. The scenario and what is collected outlive it.
struct PlannedRun {
  std::string key{};  // runs with the same key give the same, also those of another call of the program
  const Scenario* scenario = nullptr;
  const Collect* collect = nullptr;
  std::uint64_t seed = 0;
  std::uint64_t luck = 0;  // the seed of everything but the jobs; 0: the same
  double weight = 1;       // roughly how long it takes, in no unit
};

// Nothing if `stop`, which is asked now and then, says so.
std::optional<RunResult> carry_out(const PlannedRun& run, const std::function<bool()>& stop = {});

// Carries out all of them in any order and at any time; answers come in the order of the runs. Those that an interrupt
// has kept from being carried out are left empty. An error ends the study.
using RunResults = std::vector<std::optional<RunResult>>;
using Execute = std::function<Result<RunResults>(std::span<const PlannedRun>)>;

// A run in a line of JSON, to the last digit, for a file that outlives the program.
std::string line_of(const std::string& key, const RunResult& run);
// Key and run; BadInput if it is no such line.
Result<std::pair<std::string, RunResult>> read_run(const std::string& line);

// A run at one place, or what it was for one of the groups of its jobs.
struct Row {
  std::vector<std::string> labels;  // as StudyResult::axes
  std::string policy;
  std::uint64_t seed = 0;
  GroupResult of;
  std::uint64_t unfinished = 0;  // jobs of the run that had not ended at the horizon
};

// Of the first run at a point.
struct RunSamples {
  std::vector<std::string> labels;  // of all axes of the study, like the next one's
  std::string policy;
  std::uint64_t seed = 0;
  std::uint32_t slots = 0;
  std::vector<Sample> samples;
};

// A setting that was measured first.
struct Measured {
  std::string what;  // "jobs.0.deadline"
  std::string where;
  double value = 0;
};

// Of one run.
struct RunJobs {
  std::vector<std::string> labels;  // of all axes of the study
  std::string policy;
  std::uint64_t seed = 0;
  std::vector<SimulatedJob> jobs;
};
struct RunForecasts {
  std::vector<std::string> labels;  // of all axes of the study
  std::string policy;
  std::uint64_t seed = 0;
  std::vector<JobForecast> jobs;
};

struct StudyResult {
  std::vector<std::string> axes;  // all of the study's; "group" last if jobs are told apart by it
  std::vector<const Measure*> measures;
  std::vector<Row> rows;
  std::vector<RunSamples> samples;
  std::vector<Measured> measured;
  std::vector<RunForecasts> forecasts;
  std::vector<RunJobs> jobs;
  std::uint64_t runs = 0;     // carried out
  std::uint64_t missing = 0;  // left out by an interrupt; all else is of the runs that were carried out
};

// Comma-separated: a line for each row, for each time of a job that ended, for each sample, setting, forecast or job.
std::string runs_csv(const StudyResult& result);
std::string times_csv(const StudyResult& result);
std::string samples_csv(const StudyResult& result);
std::string measured_csv(const StudyResult& result);
std::string forecasts_csv(const StudyResult& result);
std::string jobs_csv(const StudyResult& result);

struct StudyOptions {
  std::uint32_t seeds = 0;            // 0: as the study says
  std::vector<std::string> only;      // policies' names; empty: all
  std::optional<std::uint64_t> seed;  // the first one; none: as the study says
};

// Measures what must be measured first, then runs the points.
Result<StudyResult> run_study(const Study& study, const StudyOptions& options, const Execute& execute);

}  // namespace ontime::lab
