#pragma once
// A job that the lab's scheduler has seen, simulated or replayed, as a master tells clients of one: for the page that
// `ontime report` writes.

#include <string>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/protocol/client.pb.h"
#include "lab/scenario/scenario.h"
#include "lab/simulator/simulator.h"
#include "master/clients/overview.h"
#include "master/clients/views.h"
#include "scheduler/core/scheduler.h"

namespace ontime::lab {

// What is known of it at one time, while the scheduler has it. Threads: none of its own.
struct SeenJob {
  wire::Reply::Job job;
  wire::Reply::Explained explained;
};

// REQUIRES: the scheduler knows the job.
SeenJob see_job(const scheduler::Scheduler& scheduler, JobId id, TimePoint now,
                const master::AttemptMessages& messages, const master::ForecastTrack& forecasts);

// The file's text.
std::string page_of(const SeenJob& seen);

// A track of what was expected of a job that is being replayed: it asks for a forecast the less often the longer the
// job has run, as each takes some milliseconds.
class ForecastWatch {
 public:
  void look(const scheduler::Scheduler& scheduler, JobId id, TimePoint now);
  const master::ForecastTrack& track() const { return track_; }

 private:
  master::ForecastTrack track_;
  TimePoint next_;
};

// What a simulation has expected of a job at shares of its time up to the deadline.
master::ForecastTrack track_of(const JobOutcome& job);

}  // namespace ontime::lab
