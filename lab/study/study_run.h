#pragma once
// One run of a study, reduced to what the study wants of it. Runs share nothing: any number may be done at a time.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/simulator/outcome.h"
#include "lab/scenario/scenario.h"
#include "lab/study/measure.h"

namespace ontime::lab {

struct Collect {
  enum class Grouping : std::uint8_t { All, ByName, ByIndex };
  std::vector<const Measure*> measures;
  Utility utility;
  Grouping grouping = Grouping::All;
  bool flow_times = false;
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
  std::uint32_t slots = 0;
  std::uint64_t attempts = 0;
  std::uint64_t events = 0;
  std::uint64_t unfinished = 0;
  std::string broken;  // an invariant that did not hold
};

// What is to be run. The scenario and what is collected outlive it.
struct PlannedRun {
  const Scenario* scenario = nullptr;
  const Collect* collect = nullptr;
  std::uint64_t seed = 0;
  double weight = 1;  // roughly how long it takes, in no unit
};

RunResult carry_out(const PlannedRun& run);

// Carries out all of them in any order and at any time; answers come in the order of the runs. An error ends the study.
using Execute = std::function<Result<std::vector<RunResult>>(std::span<const PlannedRun>)>;

}  // namespace ontime::lab
