#pragma once
// Messages of workers as events of the scheduler. Every field is checked; an error means that no sane worker sends
// this. Then its connection is to be closed, except for what a worker may have taken over from a runner: a position out
// of range is cut to the range, and a report of what cannot be fails its attempt. If these closed the connection, the
// worker would repeat them on every new one, and one attempt would lock it out.

#include <vector>

#include "common/base/result.h"
#include "common/protocol/control.pb.h"
#include "scheduler/core/event.h"

namespace ontime::master {

Result<scheduler::event::NodeRegistered> registration_of(const wire::ToMaster::Register& message);

using ProgressMessages = google::protobuf::RepeatedPtrField<wire::AttemptProgress>;
Result<std::vector<scheduler::AttemptProgress>> progress_of(const ProgressMessages& messages);

Result<AttemptId> attempt_of(const wire::Attempt& message);

using ReportMessages = google::protobuf::RepeatedPtrField<wire::Report>;
// Each report must have a number, which the master acknowledges, and an attempt, which fails if the report is false.
Status check_reports(const ReportMessages& reports);
// The event that a report of this node stands for, or an error if the report cannot be true.
Result<scheduler::Event> event_of(NodeId node, const wire::Report& report);
// The event for a report that cannot be true: its attempt fails. REQUIRES: check_reports.
scheduler::event::AttemptExited failure_of(NodeId node, const wire::Report& report, const Error& why);

}  // namespace ontime::master
