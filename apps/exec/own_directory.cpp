#include "apps/exec/own_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "common/base/environment.h"
#include "common/files/disk.h"
#include "common/files/file_system.h"

namespace ontime::apps {
namespace {

std::string runners_directory() { return environment_variable("ONTIME_RUNNER_DIRECTORY"); }

int write_copy(const std::string& path, const JobFile& file) {
  const Descriptor copy = files::open(path, files::kNewFile, 0600);
  const int problem = copy ? files::append(copy.get(), file.content) : errno;
  if (problem != 0) return problem;
  return ::fchmod(copy.get(), file.mode) == 0 ? 0 : errno;
}

}  // namespace

std::vector<JobFile> read_job_files() {
  std::vector<JobFile> files;
  const std::string directory = runners_directory();
  if (directory.empty()) return files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    JobFile& read = files.emplace_back();
    read.name = entry.path().filename().string();
    read.content.assign(std::istreambuf_iterator<char>(file), {});
    read.mode = static_cast<mode_t>(entry.status().permissions());
    if (!file) throw std::runtime_error("cannot read '" + entry.path().string() + "', which the job brings");
  }
  return files;
}

OwnDirectory::OwnDirectory(const std::string& runners, const std::vector<JobFile>& files) {
  int problem = EEXIST;
  for (int number = 1; problem == EEXIST; ++number) {  // what an earlier command's programs still hold may be left
    path_ = runners + "/command-" + std::to_string(number);
    problem = files::make_directory(path_, 0700);
  }
  std::string at = path_;
  for (auto file = files.begin(); problem == 0 && file != files.end(); ++file) {
    at = path_ + "/" + file->name;
    problem = write_copy(at, *file);
  }
  if (problem == 0) return;
  static_cast<void>(files::remove_all(path_));
  throw std::runtime_error("cannot make '" + at + "' for a command to work in: " + std::strerror(problem));
}

// What cannot be removed yet the worker removes when the runner has ended.
OwnDirectory::~OwnDirectory() { static_cast<void>(files::remove_all(path_)); }

std::unique_ptr<const OwnDirectory> make_own_directory(const std::vector<JobFile>& files) {
  const std::string runners = runners_directory();
  return runners.empty() ? nullptr : std::make_unique<const OwnDirectory>(runners, files);
}

}  // namespace ontime::apps
