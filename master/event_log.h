#pragma once
// Logs what happens, one event per line, from the records: complete by construction, and nothing in scheduler/ logs.

#include "scheduler/core/cluster.h"
#include "scheduler/core/record.h"

namespace ontime::master {

// Jobs and nodes at info, failures at warn, the life of single attempts at debug.
void log_record(const scheduler::JournalRecord& record, const scheduler::Cluster& cluster);

}  // namespace ontime::master
