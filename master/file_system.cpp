#include "master/file_system.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "master/progress.h"

namespace ontime::master {

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

Error system_error(const char* what, const std::string& path, int problem) {
  const char* advice = problem == ENOSPC || problem == EDQUOT ? "; make room and submit the job again" : "";
  return failed("Cannot " + std::string(what) + " '" + path + "': " + std::strerror(problem) + advice + ".");
}

Result<Descriptor> open_directory(const std::string& path) {
  Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) return system_error("open the directory", path, errno);
  return directory;
}

Status sync_directory(const std::string& path) {
  note_progress();
  const Result<Descriptor> directory = open_directory(path);
  if (!directory) return directory.error();
  if (::fsync(directory->get()) != 0) return system_error("sync the directory", path, errno);
  return {};
}

Status remove_tree(const std::string& path) {
  constexpr int kTries = 10;
  std::error_code error;
  for (int i = 0; i < kTries; ++i) {
    note_progress();
    std::filesystem::remove_all(path, error);
    if (error != std::errc::directory_not_empty) break;
  }
  if (error) return system_error("remove", path, error.value());
  return {};
}

}  // namespace ontime::master
