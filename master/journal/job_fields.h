#pragma once
// A job's specification as it travels. The journal stores the same message.

#include "common/base/result.h"
#include "common/protocol/types.pb.h"
#include "scheduler/core/job_spec.h"

namespace ontime::journal {

void put(const scheduler::JobSpec& from, wire::JobSpec* to);  // all but its inputs

// What the message says, as it stands: nothing is checked but that no parameter is there twice. Its inputs are names,
// and so the job has none yet.
Result<scheduler::JobSpec> job_of(const wire::JobSpec& from);

}  // namespace ontime::journal
