#pragma once
// From what a client asks for to a job that can run: fields checked, limits kept. Pure.

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/types.pb.h"
#include "master/base/settings.h"
#include "master/inputs/input_listing.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

// The output directory a request names, in normal form. BadInput unless it is an absolute path that could be one.
Result<std::string> output_of(const wire::JobSpec& request);

Result<InputChoice> choice_of(const wire::JobSpec& request);

// A job's specification, in two steps: what does not depend on its inputs, then the rest when they have been listed.
// BadInput, with one sentence, if the request is wrong. The application's name and parameters are not checked here but
// by the programs that have it: by the client before, by the runners later. `policy`: for a job that names none.
Result<scheduler::JobSpec> begin_job(const wire::JobSpec& request, const PolicyChoice& policy);
Result<scheduler::JobSpec> finish_job(const wire::JobSpec& request, scheduler::JobSpec spec,
                                      std::vector<scheduler::InputFile> inputs);

// BadInput, with one sentence, unless there is such a policy and it takes these parameters.
Status check_policy(const std::string& name, const scheduler::StringMap& parameters);

}  // namespace ontime::master
