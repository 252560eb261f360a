#pragma once
// What Hadoop's application masters say (advise.proto), checked and as the scheduler has it. Pure.

#include <string>

#include "common/base/result.h"
#include "common/protocol/advise.pb.h"
#include "master/base/settings.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

inline constexpr std::uint32_t kHadoopAttemptsMax = 100'000;  // of a task
inline constexpr int kAdviceEventsMax = 10'000;               // of one message

// The job as the scheduler gets it. Its claim is Hadoop's id; each split is an input of its own, so that offsets are
// relative to its begin. BadInput, with one sentence, for what cannot be planned for. `otherwise`: the policy of a job
// that names none.
Result<scheduler::JobSpec> advised_job(const wire::ToAdvisor::Job& job, const PolicyChoice& otherwise);

// Failed unless a task of so many, its attempt, and every number in it are possible.
Status check_event(const wire::AttemptEvent& event, std::uint32_t tasks);

}  // namespace ontime::master
