#pragma once
// How busy the machines of connected workers are, as they said last. For people; nothing depends on it.

#include <map>

#include "common/base/ids.h"
#include "common/base/machine_use.h"

namespace ontime::master {

using MachineUses = std::map<NodeId, MachineUse>;

}  // namespace ontime::master
