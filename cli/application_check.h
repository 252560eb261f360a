#pragma once
// Whether an application exists, loads, and takes the parameters of a job.

#include "cli/command.h"
#include "common/base/result.h"

namespace ontime::cli {

// There is a file of that name, which takes no time to find out.
bool is_application(const JobOptions& options);

// All of it. The application's code may do anything, so it runs in a process of its own: a crash there is an error
// here, and an interrupt ends it (cluster/interrupt.h).
Status check_application(const JobOptions& options);

}  // namespace ontime::cli
