#include <cmath>

#include "common/base/units.h"
#include "lab/results/rows.h"
#include "lab/study/study_result.h"

namespace ontime::lab {
namespace {

using Cells = std::vector<std::string>;

std::string exactly(double value) { return std::isnan(value) ? "" : shortest(value); }

std::string line_of(Cells labels, const Cells& more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return csv_line(labels);
}

// Without the group of jobs, which some rows tell apart.
Cells titles_of_runs(const StudyResult& result) {
  Cells titles = result.axes;
  if (!titles.empty() && titles.back() == "group") titles.pop_back();
  return titles;
}

}  // namespace

std::string runs_csv(const StudyResult& result) {
  Cells titles{"policy", "seed", "counted_jobs", "counted_met", "unfinished"};
  for (const Measure* measure : result.measures) titles.emplace_back(measure->name);
  std::string text = line_of(result.axes, titles);
  for (const Row& row : result.rows) {
    Cells cells{row.policy, std::to_string(row.seed), std::to_string(row.of.jobs), std::to_string(row.of.met),
                std::to_string(row.unfinished)};
    for (const double value : row.of.values) cells.push_back(exactly(value));
    text += line_of(row.labels, cells);
  }
  return text;
}

std::string times_csv(const StudyResult& result) {
  std::string text = line_of(result.axes, {"policy", "seed", "time_s"});
  for (const Row& row : result.rows) {
    for (const double time : row.of.flow_times)
      text += line_of(row.labels, {row.policy, std::to_string(row.seed), exactly(time)});
  }
  return text;
}

std::string samples_csv(const StudyResult& result) {
  std::string text = line_of(titles_of_runs(result), {"policy", "seed", "at_s", "busy", "jobs", "slots"});
  for (const RunSamples& run : result.samples) {
    for (const Sample& sample : run.samples) {
      text +=
          line_of(run.labels, {run.policy, std::to_string(run.seed), exactly(sample.at), std::to_string(sample.busy),
                               std::to_string(sample.jobs), std::to_string(run.slots)});
    }
  }
  return text;
}

std::string measured_csv(const StudyResult& result) {
  std::string text = csv_line({"what", "where", "value"});
  for (const Measured& one : result.measured) text += csv_line({one.what, one.where, exactly(one.value)});
  return text;
}

std::string forecasts_csv(const StudyResult& result) {
  std::string text = line_of(titles_of_runs(result), {"policy", "seed", "job", "group", "tasks", "of", "share", "pocd",
                                                      "low", "median", "high", "end", "deadline", "met"});
  for (const RunForecasts& run : result.forecasts) {
    for (const JobForecast& job : run.jobs) {
      Cells cells{run.policy, std::to_string(run.seed),  std::to_string(job.job),
                  job.group,  std::to_string(job.tasks), job.of_life ? "life" : "deadline"};
      for (const double value :
           {job.share, job.seen.pocd, job.seen.low, job.seen.median, job.seen.high, job.end, job.deadline}) {
        cells.push_back(cell_of(value, Digits::SixSignificant));
      }
      cells.push_back(job.met ? "1" : "0");
      text += line_of(run.labels, cells);
    }
  }
  return text;
}

std::string jobs_csv(const StudyResult& result) {
  std::string text = line_of(titles_of_runs(result), {"policy", "seed"});
  text.back() = ',';
  text += csv_line(titles_of<SimulatedJob>());
  for (const RunJobs& run : result.jobs) {
    for (const SimulatedJob& job : run.jobs) {
      Cells cells{run.policy, std::to_string(run.seed)};
      SimulatedJob::fields(
          job, [&](const char*, const auto& value) { cells.push_back(cell_of(value, Digits::Millionths)); });
      text += line_of(run.labels, cells);
    }
  }
  return text;
}

}  // namespace ontime::lab
