#pragma once
// web: pages, metrics and health of a cluster over HTTP.

#include "cli/command.h"
#include "common/base/result.h"

namespace ontime::cli {

// Until an interrupt.
Result<ExitCode> serve(const WebCommand& command);

}  // namespace ontime::cli
