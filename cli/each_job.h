#pragma once
// What a job of `each` is given where nothing is said: its records are long work that is to be done once.

#include "cli/command.h"

namespace ontime::cli {

// Records down to single ones for a task, no copies of what runs, no limit for one that shows no progress, and with
// halt=first one attempt. Does nothing for other applications. REQUIRES: standard input is kept in a file already.
void complete_each(JobOptions& job);

}  // namespace ontime::cli
