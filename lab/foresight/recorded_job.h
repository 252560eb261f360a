#pragma once
// A job as it really ran, made into a scenario: the same cluster, splits and arrivals, and first attempts that take as
// long as the recorded ones did. What never ran is drawn from what is known of the application.

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "scheduler/core/cluster.h"
#include "scheduler/math/durations.h"
#include "lab/foresight/fitted_durations.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

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
  scheduler::math::TailRule tail = scheduler::math::TailRule::Auto;  // of what is drawn
};

// `cluster` as it was right after the job's end, or when the recording ends. BadInput if there is nothing to go by.
Result<RecordedJob> recorded_job(const scheduler::Cluster& cluster, JobId job, TimePoint now,
                                 const RecordedMaster& master, const RecordedJobOptions& options);

}  // namespace ontime::lab
