#pragma once
// Task durations that were measured on real clusters: lab/scenarios/real/stages.csv, or any file of that form.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace ontime::lab {

inline constexpr double kLaunchSpread = 0.3;  // standard deviation of the logarithm of launch times

// Parallel tasks of one program.
struct Stage {
  std::string name;
  std::vector<double> durations;  // > 0, seconds, in the order of the record
  double median = 0;              // of the record, seconds
};

// `text`: a header, then "name,duration duration ..." per line. BadInput says which line is wrong.
Result<std::vector<Stage>> read_stages(std::string_view text);

struct StageChoice {
  double median_min = 1;        // seconds: shorter tasks are not worth an attempt process of their own
  std::size_t tasks_min = 10;   // of a stage
  std::size_t tasks_max = 100;  // the first so many are taken
  double median = 60;           // seconds: each stage is stretched to it, so that launches weigh alike
};

std::vector<Stage> choose_stages(const std::vector<Stage>& stages, const StageChoice& choice);

}  // namespace ontime::lab
