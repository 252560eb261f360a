#pragma once
// Control groups (of version 1 or 2) that somebody has made for attempts, with what limits he liked. What they bound
// they bound together; limits.h bounds each process.

#include <string>

#include "common/base/result.h"

namespace ontime::worker {

// BadInput if the directory is no control group, or this process may not put others into it.
Status check_control_group(const std::string& directory);
// Takes this process into it, with all that it starts from now on.
Status enter_control_group(const std::string& directory);

}  // namespace ontime::worker
