#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "apps/gen/generator.h"
#include "cli/commands/execute.h"
#include "cli/text_file.h"
#include "lab/experiment/backend.h"

namespace ontime::lab::experiment {

using namespace cli;
namespace {

constexpr std::uint64_t kDataMax = 1ull << 30;
constexpr std::uint64_t kRowBytes = 100;  // of kinds that count rows

// As `ontime gen` wants it; kinds that are not there are its to refuse.
std::string amount_of(const std::string& data, std::uint64_t bytes) {
  const auto& kinds = apps::generator_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) { return known.name == data; });
  const bool counts_rows = kind != kinds.end() && kind->unit == apps::GeneratorKind::Unit::Rows;
  return std::to_string(counts_rows ? bytes / kRowBytes : bytes);
}

}  // namespace

std::string Inputs::data_path(const JobGroup& group, std::uint32_t tasks) const {
  return directory_ + "/" + group.data + "-" + std::to_string(group.split_bytes * tasks);
}

std::vector<std::string> Inputs::of(const JobGroup& group, std::uint32_t tasks) const {
  return group.files.empty() ? std::vector{data_path(group, tasks)} : group.files;
}

Status Inputs::prepare(const Scenario& scenario, const std::vector<PlannedJob>& jobs) {
  if (auto made = make_directory(directory_); !made) return made;
  for (const PlannedJob& job : jobs) {
    const JobGroup& group = scenario.jobs[job.group];
    for (const std::string& file : group.files) {
      if (access(file.c_str(), R_OK) != 0) return bad_input("the input '" + file + "' cannot be read");
    }
    const std::string path = data_path(group, job.tasks);
    if (!group.files.empty() || access(path.c_str(), R_OK) == 0) continue;
    const std::uint64_t bytes = group.split_bytes * job.tasks;
    if (bytes > kDataMax) return bad_input("a job of '" + group.name + "' has more than 1 GiB of data; name a file");
    GenCommand gen;
    gen.kind = group.data;
    gen.amount = amount_of(group.data, bytes);
    gen.output = path;
    gen.quiet = true;
    if (auto made = execute(gen); !made) return made.error();
  }
  return {};
}

}  // namespace ontime::lab::experiment
