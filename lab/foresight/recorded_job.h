#pragma once
// What is to be expected of a job, and of one that really ran under other policies.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/distribution.h"
#include "common/base/result.h"
#include "lab/scenario/scenario.h"
#include "lab/simulator/simulator.h"
#include "scheduler/core/cluster.h"
#include "scheduler/math/durations.h"

namespace ontime::lab {

// Execution times as the policies would reckon with them, to draw from.
struct FittedDurations {
  scheduler::math::FittedTail tail;      // seconds, of a whole split
  scheduler::math::Durations durations;  // as they were fitted, per byte
};

// Of splits of so many bytes, with the tail that fits best. Nothing: no attempt has got far enough.
std::optional<FittedDurations> fitted_durations(const scheduler::math::DurationSample& sample,
                                                std::uint64_t split_bytes);

Distribution distribution_of(const scheduler::math::FittedTail& tail);
// Sets what is known of the starts of the job's segments, unless they take less than a hundredth of a split's time, and
// whether these take all bytes at once.
void set_start(JobGroup& job, const scheduler::math::DurationSample& known);

// What is to be expected of one job of a scenario, from many runs of it.

// Times in seconds. Quantiles are over the runs; one in which the job has not ended when the simulation does counts as
// infinitely long.
struct Prospect {
  std::uint32_t runs = 0;
  std::uint64_t steps = 0;       // of the scheduler, over all runs
  std::uint32_t unfinished = 0;  // runs; if there are any, machine_time is too small
  double followed = kForEver;    // the earliest time at which one of them was given up
  Estimate pocd;                 // of the runs that made the deadline; without one: that succeeded
  double mean = 0;               // completion time after submission
  double low = 0;                // 10 %
  double median = 0;
  double high = 0;  // 90 %
  Estimate machine_time;
  double attempts = 0;             // mean
  std::vector<double> flow_times;  // ascending, one for each run
};

// How often to simulate: until the runs have taken so many steps, but in these bounds.
struct Runs {
  std::uint32_t least = 1;
  std::uint32_t most = 1;
  std::uint64_t steps = 0;

  static Runs exactly(std::uint32_t runs) { return {runs, runs, 0}; }
};

// The prospect of the one job of the first group, over seeds from `seed` on. REQUIRES: check(scenario), runs.least > 0.
Prospect foresee(const Scenario& scenario, const Runs& runs, std::uint64_t seed);

// The q-quantile of ascending values; infinite if there are none.
double ascending_quantile(std::span<const double> ascending, double q);

// A job as it really ran, made into a scenario: the same cluster, splits and arrivals, and first attempts that take as
// long as the recorded ones did. What never ran is drawn from what is known of the application.

// How the master was set.
struct RecordedMaster {
  Duration heartbeat{0};
  Duration node_timeout{0};
  Duration cut_timeout{0};
  scheduler::Placement placement{};
};

struct RecordedJob {
  Scenario scenario;  // the job is its first group
  // What really happened; times in seconds.
  bool has_ended = false;
  bool met = false;  // in time; without a deadline: succeeded
  double flow_time = 0;
  double machine_time = 0;
  std::uint32_t tasks = 0;
  std::uint32_t attempts = 0;
  std::uint32_t copies = 0;
  std::uint32_t durations_recorded = 0;    // tasks whose first attempt is known
  std::uint32_t other_jobs = 0;            // in the scenario
  std::optional<FittedDurations> drawn{};  // what is not known is drawn from it; always there
};

struct RecordedJobOptions {
  bool alone = false;  // without the jobs that ran beside it
  // Known of the application when the job was submitted; null: nothing.
  const scheduler::math::DurationSample* profile_before = nullptr;
};

// `cluster` as it was right after the job's end, or when the recording ends. BadInput if there is nothing to go by.
Result<RecordedJob> recorded_job(const scheduler::Cluster& cluster, JobId job, TimePoint now,
                                 const RecordedMaster& master, const RecordedJobOptions& options);

}  // namespace ontime::lab
