#pragma once
// What would have come of a recorded job under other policies, as text and as JSON.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "lab/foresight/plan.h"
#include "lab/foresight/recorded_job.h"
#include "master/recording/replayer.h"

namespace ontime::lab {

// A distribution of execution times, for programs.

// {"kind": "pareto", "median_seconds": 2.8, "t_min_seconds": 2, "beta": 2}; lognormal has sigma, empirical its ninth
// decile and the slope behind it. REQUIRES: the tail is of seconds.
nlohmann::ordered_json tail_json(const scheduler::math::FittedTail& tail);

struct ForeseenRow {
  std::string policy;  // as it was asked for
  Prospect prospect;
};

struct Foreseen {
  JobId job;
  std::string application;
  std::string policy;  // it ran with
  RecordedJob recorded;
  Prospect again;  // the same policy, simulated
  std::vector<ForeseenRow> rows;
  bool is_identical = true;  // the replay
  double wall_seconds = 0;
};

std::string foreseen_text(const Foreseen& foreseen);
std::string foreseen_json(const Foreseen& foreseen);

// What is to be expected of a job that has not run yet, as text and as JSON.
struct PlannedRow {
  std::string policy;  // as it was asked for
  PlanAnswer answer;
};

struct Planned {
  std::string application;
  PlanQuestion question;
  std::uint64_t input_bytes = 0;
  std::string source;       // of the durations, in words
  std::size_t samples = 0;  // 0: hints
  double beta_error = 0;    // of a Pareto tail; 0: not known
  double price = 0;         // of an hour of a slot; 0: not asked for
  std::vector<PlannedRow> rows;
  double wall_seconds = 0;
};

std::string planned_text(const Planned& planned, bool explain);
std::string planned_json(const Planned& planned);

// The result of feeding recordings to the scheduler again, as text and as JSON.
struct ReplayedJob {
  std::string application;
  std::string policy;
  TimePoint submitted;
  TimePoint ended;  // epoch: not in the recording
  scheduler::JobState state = scheduler::JobState::Running;
  std::uint64_t records = 0;  // given again
  std::uint64_t decisions = 0;
};

struct Replayed {
  std::vector<recording::EpochReport> epochs;
  std::map<JobId, ReplayedJob> jobs;
  std::uint64_t torn_bytes = 0;
  double wall_seconds = 0;
  bool is_identical = true;
  bool does_no_harm = true;
};

// `only`: the one job to tell about; 0: all.
std::string replayed_text(const Replayed& replayed, JobId only);
std::string replayed_json(const Replayed& replayed, JobId only);

}  // namespace ontime::lab
