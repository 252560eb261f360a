#pragma once

#include <string>
#include <vector>

#include "common/protocol/client.pb.h"

namespace ontime::protocol {

// For people, JSON and flags: the name of the value in client.proto in small letters, "running". "unknown" for none and
// for a state that only another version knows.
std::string name_of(wire::JobState state);
// Of all states but "unknown".
std::vector<std::string> names_of_job_states();

bool has_ended(wire::JobState state);
inline bool has_ended(const wire::JobSummary& job) { return has_ended(job.state()); }

}  // namespace ontime::protocol
