#pragma once
// Messages of workers as events of the scheduler. Every field is checked; an error means that no sane worker sends
// this, and its connection is to be closed. Only a position out of range is cut to the range: a runner may have made it
// up, and its worker would repeat it on every new connection.

#include <vector>

#include "common/base/result.h"
#include "common/protocol/control.pb.h"
#include "scheduler/core/event.h"

namespace ontime::master {

Result<scheduler::event::NodeRegistered> registration_of(const wire::ToMaster::Register& message);

using ProgressMessages = google::protobuf::RepeatedPtrField<wire::AttemptProgress>;
Result<std::vector<scheduler::AttemptProgress>> progress_of(const ProgressMessages& messages);

Result<AttemptId> attempt_of(const wire::Attempt& message);
// The event that a report of this node stands for.
Result<scheduler::Event> event_of(NodeId node, const wire::Report& report);

}  // namespace ontime::master
