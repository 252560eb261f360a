#pragma once
// The answer of an application that sorts: the records of all part files in its order. Part files hold ascending runs;
// they are found by looking, so that any part file gives the right answer and those with long runs a quick one. Memory
// stays within a budget plus the longest records; too many runs are merged in passes over temporary files.

#include <string>
#include <vector>

#include "cli/result/answer.h"
#include "common/app/application.h"
#include "common/base/result.h"

namespace ontime::cli {

inline constexpr std::size_t kRunsAtOnce = 256;  // each is an open file

// `options.fan_in` counts for folding only; `runs_at_once` is at least 2.
Status sort_parts(const std::vector<PartFile>& parts, app::Order& order, const MergeOptions& options,
                  app::Output& answer, std::size_t runs_at_once = kRunsAtOnce);

}  // namespace ontime::cli
