#include "cli/experiment/inputs.h"

#include <unistd.h>

#include <filesystem>

#include "cli/study/study_files.h"
#include "experiment/input_text.h"

namespace ontime::cli {
namespace {

constexpr std::uint64_t kTextMax = 1ull << 30;

}  // namespace

std::string Inputs::text_path(std::uint64_t bytes) const {
  return directory_ + "/text-" + std::to_string(bytes) + ".txt";
}

std::vector<std::string> Inputs::of(const experiment::JobGroup& group, std::uint32_t tasks) const {
  return group.files.empty() ? std::vector{text_path(group.text_bytes * tasks)} : group.files;
}

Status Inputs::prepare(const experiment::Scenario& scenario, const std::vector<experiment::PlannedJob>& jobs) {
  if (auto made = make_directory(directory_); !made) return made;
  std::error_code error;
  for (const experiment::PlannedJob& job : jobs) {
    const experiment::JobGroup& group = scenario.jobs[job.group];
    for (const std::string& file : group.files) {
      if (access(file.c_str(), R_OK) != 0) return bad_input("the input '" + file + "' cannot be read");
    }
    const std::uint64_t bytes = group.text_bytes * job.tasks;
    if (!group.files.empty() || std::filesystem::exists(text_path(bytes), error)) continue;
    if (bytes > kTextMax) return bad_input("a job of '" + group.name + "' has more than 1 GiB of text; name a file");
    const std::string unfinished = text_path(bytes) + ".unfinished";
    if (auto written = write_text_file(unfinished, experiment::input_text(bytes)); !written) return written;
    std::filesystem::rename(unfinished, text_path(bytes), error);
    if (error) return failed("cannot write " + text_path(bytes) + ": " + error.message());
  }
  return {};
}

}  // namespace ontime::cli
