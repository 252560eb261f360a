#pragma once
// How much of the master's memory the jobs that have not ended may take together, and those of one owner.

#include "common/base/result.h"
#include "scheduler/core/cluster.h"

namespace ontime::master {

// Failed, with a sentence that names the bound, if there is no room for one more such job. Its owner's jobs may take
// `owner_share` of each bound, more than 0 and at most 1.
Status check_room(const scheduler::Cluster& cluster, const scheduler::JobSpec& next, double owner_share);

}  // namespace ontime::master
