#pragma once
// From what a master tells about a job that has ended to rows. The simulator's scheduler is described by the master's
// own code, so both worlds are measured alike.

#include "common/protocol/client.pb.h"
#include "lab/experiment/plan.h"
#include "lab/experiment/rows.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

struct JobContext {
  RowKey key;
  const PlannedJob* planned = nullptr;
  const JobGroup* group = nullptr;
  std::int64_t begin_unix_ns = 0;  // of the run, by the master's clock
};
// Of the job at this place of the run. The scenario and the run outlive it.
JobContext context_of(const Scenario& scenario, const Run& run, std::size_t index, std::int64_t begin_unix_ns = 0);

// `job` has tasks and an account.
void add_rows(Results& results, const JobContext& context, const wire::Reply::Job& job);
// A job that had not ended, or was never submitted, when the run did.
void add_unfinished(Results& results, const JobContext& context, double deadline);
// The attempts alone.
void add_attempts(Results& results, const JobContext& context, const wire::Reply::Job& job);
// Fills in how the jobs ended.
void settle_forecasts(Results& results);

}  // namespace ontime::lab::experiment
