#pragma once
// How much of the master's memory the jobs that have not ended may take together.

#include "common/base/result.h"
#include "scheduler/model/cluster.h"

namespace ontime::master {

// BadInput, with a sentence that names the bound, if there is no room for one more such job.
Status check_room(const scheduler::Cluster& cluster, const scheduler::JobSpec& next);

}  // namespace ontime::master
