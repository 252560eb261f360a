#pragma once
// What is kept of a job that has ended for the masters to come (master/history), in the words in which clients are
// told.

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/protocol/client.pb.h"
#include "master/clients/job_pictures.h"
#include "master/history/job_history.h"
#include "master/outputs/attempt_logs.h"
#include "scheduler/core/scheduler.h"

namespace ontime::master {

void fill(wire::Reply::Logs& view, AttemptLogs::Slice slice);

// Its forecasts, the nodes that were held back meanwhile, and its logs.
history::stored::JobHistory told_of(JobId id, const scheduler::Job& job, const scheduler::Scheduler& scheduler,
                                    const JobPictures& pictures, const AttemptLogs& logs);

}  // namespace ontime::master
