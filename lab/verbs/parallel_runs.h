#pragma once
// Runs of a study, several at a time, with a line on the terminal that says how far they are.

#include <cstdint>
#include <string>

#include "lab/study/study_run.h"

namespace ontime::lab {

// Answers are the same however many `threads` there are. The line has `name` and appears only if stderr is a terminal.
// Ends with an error on Ctrl-C.
Execute parallel_runs(std::uint32_t threads, std::string name);

// "[=====>    ]  43%  31/72 runs  about 2m10s left  shed-plus-4"; `left` in seconds, negative: not known yet.
std::string runs_line(double share, std::size_t done, std::size_t all, double left, const std::string& name);

}  // namespace ontime::lab
