#include <algorithm>

#include "lab/results/page.h"
#include "lab/results/rows.h"

namespace ontime::lab {
namespace {

Cells names_of(const Row& row) {
  Cells cells = row.labels;
  cells.push_back(row.policy);
  return cells;
}

std::string line_of(Cells names, const Cells& more) {
  names.insert(names.end(), more.begin(), more.end());
  return csv_line(names);
}

Cells titles_of(const StudyResult& result) {
  Cells titles = result.axes;
  titles.emplace_back("policy");
  return titles;
}

}  // namespace

std::string csv_of(const StudyResult& result) {
  Cells titles{"seeds"};
  for (const Measure* measure : result.measures) {
    for (const char* part : {"", "_low", "_high", "_printed_low", "_printed_high"}) {
      titles.push_back(std::string(measure->name) + part);
    }
  }
  std::string text = line_of(titles_of(result), titles);
  for (const Row& row : result.rows) {
    Cells cells{std::to_string(result.seeds)};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const Reading printed = row.printed[i].value_or(Reading{kNan, kNan});
      for (const double value :
           {row.values[i].value, row.values[i].low, row.values[i].high, printed.low, printed.high}) {
        cells.push_back(number(value));
      }
    }
    text += line_of(names_of(row), cells);
  }
  return text;
}

std::string curves_csv_of(const Study& study, const StudyResult& result) {
  const bool is_cdf = study.figure.kind == Figure::Kind::Cdf;
  if (!is_cdf && study.figure.kind != Figure::Kind::OverTime) return "";
  std::string text = line_of(titles_of(result), is_cdf ? Cells{"flow_time", "share"} : Cells{"time", "busy", "jobs"});
  for (const Row& row : result.rows) {
    for (std::size_t i = 0; is_cdf && i <= kCurvePoints; ++i) {
      const double share = static_cast<double>(i) / kCurvePoints;
      text += line_of(names_of(row), {number(quantile_of(row.flow_times, share)), number(share)});
    }
    const std::size_t step = std::max<std::size_t>(1, row.samples.size() / kCurvePoints);
    for (std::size_t i = 0; !is_cdf && i < row.samples.size(); i += step) {
      const Sample& sample = row.samples[i];
      text += line_of(names_of(row), {number(sample.at), number(static_cast<double>(sample.busy) / row.slots),
                                      std::to_string(sample.jobs)});
    }
  }
  return text;
}

std::string forecasts_csv_of(const Study& study, const StudyResult& result) {
  Cells titles;
  for (const Axis& axis : study.axes) titles.push_back(axis.name);
  std::string text = line_of(titles, {"policy", "seed", "job", "group", "tasks", "of", "share", "pocd", "low", "median",
                                      "high", "end", "deadline", "met"});
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

}  // namespace ontime::lab
