#include "cli/each_job.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

namespace ontime::cli {
namespace {

constexpr std::uint64_t kTasksMost = 1000;
constexpr std::uint64_t kLookedAtMost = 64u << 20;  // bytes

struct Lines {
  std::uint64_t bytes = 0;
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
};

// Nothing if they are not small files of this machine.
std::optional<Lines> lines_of(const std::vector<std::string>& inputs) {
  Lines lines;
  for (const std::string& path : inputs) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    if (lines.bytes + static_cast<std::uint64_t>(status.st_size) > kLookedAtMost) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    for (std::string line; std::getline(file, line);) {
      lines.bytes += line.size() + 1;
      lines.shortest = std::min<std::uint64_t>(lines.shortest, line.size() + 1);
    }
  }
  return lines;
}

std::string given(const JobOptions& job, const char* name) {
  const auto found = job.parameters.find(name);
  return found == job.parameters.end() ? std::string() : found->second;
}

}  // namespace

void complete_each(JobOptions& job) {
  if (job.application != "each") return;
  if (given(job, "repeatable") != "yes") job.policy_parameters.emplace("race", "no");
  if (job.attempt_timeout == Duration::zero()) job.attempt_timeout = Duration::max();
  if (given(job, "halt") == "first") job.attempts_max = 1;
  if (job.split_bytes > 0 || job.splits > 0) return;
  // In a split that is no longer than the shortest record no two begin.
  const auto lines = job.records.empty() ? lines_of(job.inputs) : std::nullopt;
  if (lines && lines->bytes > 0)
    job.split_bytes = std::max(lines->shortest, lines->bytes / kTasksMost + 1);
  else
    job.splits = kTasksMost;
}

}  // namespace ontime::cli
