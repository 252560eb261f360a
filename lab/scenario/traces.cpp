#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "common/base/median.h"
#include "lab/results/rows.h"
#include "lab/results/writing.h"
#include "lab/scenario/scenario_yaml.h"
#include "scheduler/math/distributions.h"

namespace ontime::lab {
namespace {

namespace math = scheduler::math;

constexpr double kBetaMin = 1.05;  // of a fitted Pareto distribution: below it the mean is all but infinite

// Calls `take` with the cells of these columns, line by line. It says what is wrong with them, or nullptr.
template <class Take>
Status read_lines(const std::string& text, const std::vector<std::string>& columns, Take take) {
  std::vector<std::string> titles;
  std::size_t at = 0;
  for (std::size_t number = 1; at < text.size(); ++number) {
    std::vector<std::string> cells = next_csv_line(text, at);
    if (cells.back().ends_with('\r')) cells.back().pop_back();
    if (cells.front().starts_with('#') || (cells.size() == 1 && cells.front().empty())) continue;
    if (titles.empty()) {
      titles = cells;
      continue;
    }
    std::vector<std::string> chosen;
    for (const std::string& column : columns) {
      const auto index = static_cast<std::size_t>(std::find(titles.begin(), titles.end(), column) - titles.begin());
      chosen.push_back(index < cells.size() ? cells[index] : "");
    }
    if (const char* fault = take(chosen)) return bad_input("line " + std::to_string(number) + ": " + fault);
  }
  return {};
}

bool read_positive_numbers(const std::string& text, std::vector<double>& numbers) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    double number = 0;
    if (!read_cell(word, number) || !(number > 0) || !std::isfinite(number)) return false;
    numbers.push_back(number);
  }
  return true;
}

// What is wrong with its cells, or nullptr.
const char* read_stage(const std::vector<std::string>& cells, Stage& stage) {
  stage.name = cells[0];
  if (stage.name.empty() || !read_positive_numbers(cells[1], stage.durations) || stage.durations.empty())
    return "a stage has a name and durations_s: positive numbers with spaces between";
  for (const auto& [text, numbers] : {std::pair(&cells[2], &stage.firsts), std::pair(&cells[3], &stage.slownesses)}) {
    const bool is_good = read_positive_numbers(*text, *numbers);
    if (!is_good || (!numbers->empty() && numbers->size() != stage.durations.size()))
      return "first_durations_s and slownesses are positive numbers with spaces between, one for each of durations_s";
  }
  const auto is_time = [](double value) { return value >= 0 && value < 1e9; };
  if (!cells[4].empty() && (!read_cell(cells[4], stage.at.emplace()) || !is_time(*stage.at)))
    return "submit_s is a number of seconds from 0 on";
  if (!cells[5].empty() && (!read_cell(cells[5], stage.deadline) || !is_time(stage.deadline)))
    return "deadline_s is a number of seconds from 0 on";
  return nullptr;
}

// Nothing if the stage has no such fit.
std::optional<Distribution> durations_of(const Stage& stage, StageChoice::As as) {
  if (as == StageChoice::As::Pareto) {
    const auto fit = math::fit_pareto(stage.durations, {});
    if (!fit || fit->distribution.beta() < kBetaMin || !std::isfinite(fit->distribution.beta())) return std::nullopt;
    return Distribution::pareto(fit->distribution.t_min(), fit->distribution.beta());
  }
  if (as == StageChoice::As::Lognormal) {
    const auto fit = math::fit_lognormal(stage.durations, {});
    if (!fit) return std::nullopt;
    return Distribution::lognormal(fit->quantile(0.5), fit->s());
  }
  std::vector<double> durations = stage.durations;
  if (as == StageChoice::As::HostAware && !stage.slownesses.empty()) {
    for (std::size_t task = 0; task < durations.size(); ++task) durations[task] /= stage.slownesses[task];
  }
  return Distribution::empirical(durations);
}

}  // namespace

Result<std::vector<TraceJob>> read_jobs_csv(const std::string& text) {
  std::vector<TraceJob> jobs;
  const Status read =
      read_lines(text, {"submit_s", "tasks"}, [&](const std::vector<std::string>& cells) -> const char* {
        TraceJob job;
        const bool is_good = read_cell(cells[0], job.at) && read_cell(cells[1], job.tasks) && job.at >= 0 &&
                             job.at < 1e9 && job.tasks > 0 && job.tasks <= 10'000'000;
        if (!is_good) return "a job has submit_s from 0 on and 1 or more tasks";
        if (!jobs.empty() && job.at < jobs.back().at) return "jobs come in order of submit_s";
        jobs.push_back(job);
        return nullptr;
      });
  if (!read) return read.error();
  if (jobs.empty()) return bad_input("there is no job in it; the first line names the columns submit_s and tasks");
  return jobs;
}

Result<std::vector<Distribution::Bin>> read_histogram_csv(const std::string& text) {
  std::vector<Distribution::Bin> bins;
  double all = 0;
  const Status read = read_lines(text, {"from_s", "to_s", "count"}, [&](const auto& cells) -> const char* {
    Distribution::Bin bin{};
    const bool is_good = read_cell(cells[0], bin.from) && read_cell(cells[1], bin.to) && read_cell(cells[2], bin.share);
    if (!is_good || !(bin.from >= 0 && bin.from < bin.to && bin.to < 1e9) || !(bin.share >= 0 && bin.share < 1e18))
      return "a bin has from_s from 0 on, a larger to_s, and a count from 0 on";
    if (!bins.empty() && bin.from < bins.back().to) return "bins come in ascending order, none over another";
    all += bin.share;
    bins.push_back(bin);
    return nullptr;
  });
  if (!read) return read.error();
  if (!(all > 0)) return bad_input("nothing is in it; the first line names the columns from_s, to_s and count");
  return bins;
}

Result<std::vector<Stage>> read_stages_csv(const std::string& text) {
  std::vector<Stage> stages;
  const Status read =
      read_lines(text, {"stage", "durations_s", "first_durations_s", "slownesses", "submit_s", "deadline_s"},
                 [&](const auto& cells) { return read_stage(cells, stages.emplace_back()); });
  if (!read) return read.error();
  if (stages.empty())
    return bad_input("there is no stage in it; the first line names the columns stage and durations_s");
  return stages;
}

std::vector<Stage> choose_stages(const std::vector<Stage>& stages, const StageChoice& choice) {
  std::vector<Stage> chosen;
  for (const Stage& stage : stages) {
    if (median_of(stage.durations) < choice.median_min || stage.durations.size() < choice.tasks_min) continue;
    Stage like = stage;
    like.durations.resize(std::min<std::size_t>(like.durations.size(), choice.tasks_max));
    if (!choice.whole && !durations_of(like, choice.as)) continue;
    const double stretch = choice.median > 0 ? choice.median / median_of(like.durations) : 1;
    for (double& duration : like.durations) duration *= stretch;
    like.firsts.resize(std::min(like.firsts.size(), like.durations.size()));
    for (double& duration : like.firsts) duration *= stretch;
    chosen.push_back(std::move(like));
  }
  return chosen;
}

std::vector<JobGroup> groups_of(const std::vector<Stage>& stages, const StageChoice& choice, const JobGroup& like) {
  std::vector<JobGroup> groups;
  for (const Stage& stage : stages) {
    JobGroup group = like;
    group.name = stage.name;
    group.size.tasks = Distribution::constant(static_cast<double>(stage.durations.size()));
    const auto fitted = durations_of(stage, choice.as);
    group.times.duration = fitted ? *fitted : Distribution::empirical(stage.durations);
    if (choice.replay) group.times.first_durations = stage.durations;
    if (choice.whole) {
      group.times.first_durations = stage.firsts.empty() ? stage.durations : stage.firsts;
      group.count = 1;
      group.arrivals.at = {stage.at.value_or(0)};
      if (stage.deadline > 0) group.deadline = {.seconds = stage.deadline, .medians_of = {}};
    }
    group.times.recorded_work = std::accumulate(stage.durations.begin(), stage.durations.end(), 0.0);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace ontime::lab
