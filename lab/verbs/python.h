#pragma once
// What python/ontime/lab makes of the rows that runs have left: tables, intervals, figures, pages.

#include <string>
#include <vector>

#include "cli/command.h"
#include "common/base/result.h"

namespace ontime::lab {

// Runs `python3 -m ontime.lab ARGUMENTS`, which prints what there is to say, with the first Python that has the
// packages: $ONTIME_PYTHON, or else the one on PATH, or else Debian's. Failed, with what to install, if none has them.
Result<cli::ExitCode> run_python(const std::vector<std::string>& arguments);

}  // namespace ontime::lab
