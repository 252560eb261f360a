#pragma once
// Waiting for a job: long polls, progress, and patience with a master that is away for a while.

#include "cli/client/master_client.h"
#include "cli/show/progress_line.h"
#include "common/base/ids.h"
#include "common/base/result.h"

namespace ontime::cli {

// Returns when the job has ended, with its account. An error when the client's watch ends the wait, or when the master
// has been away for `away_most` without a break.
Result<wire::Reply::Job> follow(MasterClient& client, JobId job, ProgressView& view, Duration away_most);

}  // namespace ontime::cli
