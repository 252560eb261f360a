#include <fcntl.h>

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/job_request.h"
#include "common/output/attempt_log.h"
#include "common/output/manifest.h"

namespace ontime::cli {
namespace {

namespace fs = std::filesystem;

bool is_written_by_jobs(std::string_view name) {
  return name == output::kAttemptsName || name.starts_with(output::kUnfinishedClaim) || name == output::kManifestName ||
         name == output::kNewManifestName || name == output::kLogsName || name == output::kNewLogsName ||
         name.starts_with("part-m-");
}

}  // namespace

LeftOutput::LeftOutput(std::string directory) : directory_(std::move(directory)) {
  std::error_code ignored;
  existed_ = fs::exists(directory_, ignored);
}

void LeftOutput::hold() { held_ = Descriptor(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

void LeftOutput::remove() const {
  if (!held_) return;
  std::error_code ignored;
  const fs::path held = "/proc/self/fd/" + std::to_string(held_.get());
  if (fs::exists(held / output::kSuccessName, ignored)) return;
  std::vector<fs::path> doomed;
  for (fs::directory_iterator entry(held, ignored), end; entry != end; entry.increment(ignored))
    if (is_written_by_jobs(entry->path().filename().string())) doomed.push_back(entry->path());
  for (const auto& path : doomed) fs::remove_all(path, ignored);
  if (!existed_ && fs::equivalent(held, directory_, ignored)) fs::remove(directory_, ignored);  // only if it is empty
}

}  // namespace ontime::cli
