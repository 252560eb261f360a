#pragma once
// What was recorded on real clusters. Traces are comma-separated values: the first line names the columns, some of
// which are read. Lines that begin with # are skipped.

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/scenario/distribution.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

// Arrivals and sizes of jobs, one job a line: submit_s (seconds, ascending) and tasks.
Result<std::vector<TraceJob>> read_jobs_csv(const std::string& text);

// Parallel tasks of one program.
struct Stage {
  std::string name;
  std::vector<double> durations;  // > 0, seconds, in the order of the record
};

// One stage a line: stage (its name) and durations_s, with spaces between them.
Result<std::vector<Stage>> read_stages_csv(const std::string& text);

// Which stages of a file are taken, and as what.
struct StageChoice {
  // What attempts draw from: the stage's record, or the distribution that fits it best. Stages that none fits are left
  // out.
  enum class As : std::uint8_t { Resampled, Pareto, Lognormal };
  As as = As::Resampled;
  bool replay = false;                 // the first attempt of each task takes what the task took
  double median_min = 0;               // seconds: stages with shorter tasks are left out
  std::uint32_t tasks_min = 1;         // stages with fewer are left out
  std::uint32_t tasks_max = 1u << 31;  // of a stage, the first ones
  double median = 0;                   // seconds: every stage is stretched to it; 0: as recorded
};

std::vector<Stage> choose_stages(const std::vector<Stage>& stages, const StageChoice& choice);

// A group like `like` for each stage, with its name, its number of tasks and its durations.
std::vector<JobGroup> groups_of(const std::vector<Stage>& stages, const StageChoice& choice, const JobGroup& like);

}  // namespace ontime::lab
