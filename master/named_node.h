#pragma once
// Finds the node that somebody means.

#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "scheduler/core/cluster.h"

namespace ontime::master {

// `text`: "node-3", "3", or the name of a node that has neither left nor is lost. BadInput when there is none, or more
// than one of that name.
Result<NodeId> named_node(const scheduler::Cluster& cluster, const std::string& text);

}  // namespace ontime::master
