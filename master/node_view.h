#pragma once
// Nodes as clients see them, and which of them were held back while a job ran.

#include "common/protocol/client.pb.h"
#include "scheduler/core/job.h"
#include "scheduler/core/scheduler.h"

namespace ontime::master {

wire::NodeSummary summary_of(NodeId id, const scheduler::Scheduler& scheduler, TimePoint now);

// In order of their beginning.
void append_held_nodes(wire::Reply::Explained& reply, const scheduler::Job& job,
                       const scheduler::Scheduler& scheduler, TimePoint now);

}  // namespace ontime::master
