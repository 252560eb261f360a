#pragma once
// Nodes as clients see them, and which of them were held back while a job ran.

#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/protocol/client.pb.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/job.h"
#include "scheduler/core/scheduler.h"

namespace ontime::master {

// The node that somebody means by `text`: "node-3", "3", or the name of a node that has neither left nor is lost.
// BadInput when there is none, or more than one of that name.
Result<NodeId> named_node(const scheduler::Cluster& cluster, const std::string& text);

wire::NodeSummary summary_of(NodeId id, const scheduler::Scheduler& scheduler, TimePoint now);

// In order of their beginning.
void append_held_nodes(wire::Reply::Explained& reply, const scheduler::Job& job,
                       const scheduler::Scheduler& scheduler, TimePoint now);

}  // namespace ontime::master
