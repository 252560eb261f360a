#pragma once
// A job as a trace in Chrome's JSON format, which ui.perfetto.dev and chrome://tracing show: a process for each worker,
// a thread for each of its slots, a slice for each attempt with its launch inside, and what the scheduler decided, and
// why, in a process of its own. Instants are in microseconds since the job was submitted. Pure.

#include <string>

#include "common/protocol/client.pb.h"

namespace ontime::cli {

// `job` with its tasks; what still runs ends where the job's time ends.
std::string trace_json(const wire::Reply::Job& job, const wire::Reply::Explained& explained);

}  // namespace ontime::cli
