#pragma once
// The answer of a finished job, from its part files: merged by the application where it can merge, otherwise the part
// files one after another. Memory stays within a budget plus the longest line; the rest goes to temporary files.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/result/part_file.h"
#include "common/app/application.h"
#include "common/base/result.h"

namespace ontime::cli {

struct MergeOptions {
  std::uint64_t memory_bytes = 256u << 20;
  std::size_t fan_in = 64;          // runs that are merged at once; at least 2
  std::string temporary_directory;  // for what does not fit into the memory
};

// Every line of `parts` is key<TAB>value (without a tab: a key with an empty value).
Status merge_parts(const std::vector<PartFile>& parts, app::Merger& merger, const MergeOptions& options,
                   app::Output& answer);
Status concatenate_parts(const std::vector<PartFile>& parts, app::Output& answer);

// The answer of an application that sorts: the records of all part files in its order. Part files hold ascending runs;
// they are found by looking, so that any part file gives the right answer and those with long runs a quick one. Memory
// stays within a budget plus the longest records; too many runs are merged in passes over temporary files.
inline constexpr std::size_t kRunsAtOnce = 256;  // each is an open file

// `options.fan_in` counts for folding only; `runs_at_once` is at least 2.
Status sort_parts(const std::vector<PartFile>& parts, app::Order& order, const MergeOptions& options,
                  app::Output& answer, std::size_t runs_at_once = kRunsAtOnce);

}  // namespace ontime::cli
