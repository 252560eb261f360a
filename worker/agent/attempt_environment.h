#pragma once
// Which of the worker's environment variables its attempts get.

#include <string>
#include <vector>

namespace ontime::worker {

// Entries "NAME=VALUE" of `environment` (ends with a null) that attempts need: where programs lie, language, time zone,
// where temporary files go, how libraries are found; and those named in `more`, where a '*' at the end stands for
// anything. What opens the cluster (ONTIME_TOKEN, ONTIME_TLS_DIR) is never among them.
std::vector<std::string> environment_of_attempts(const char* const* environment, const std::vector<std::string>& more);

}  // namespace ontime::worker
