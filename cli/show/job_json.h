#pragma once
// The same as JSON, for programs: the field names are an interface and stay. Sizes are in bytes, durations in seconds,
// instants in nanoseconds since the Unix epoch; what is not known is null. One document with a line end. Pure.

#include <string>

#include "common/protocol/client.pb.h"

namespace ontime::cli {

// With "accounts" by policy and "forecast" of jobs if the reply has them.
std::string jobs_json(const wire::Reply::Jobs& jobs);
// With "task_list" if `with_tasks`.
std::string job_json(const wire::Reply::Job& job, bool with_tasks, bool open_only = false);
// Machine time is in nanoseconds, so that it balances; "explanation" is left out without one.
std::string job_json(const wire::Reply::Job& job, bool with_tasks, bool open_only,
                     const wire::Reply::Explained* explained);
std::string explained_json(const wire::Reply::Explained& explained);
std::string nodes_json(const wire::Reply::Nodes& nodes);

}  // namespace ontime::cli
