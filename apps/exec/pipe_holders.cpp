#include "apps/exec/pipe_holders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace ontime::apps {
namespace {

namespace fs = std::filesystem;

bool holds(const fs::path& process, const std::string& pipe) {
  std::error_code problem;
  for (fs::directory_iterator at(process / "fd", problem), end; !problem && at != end; at.increment(problem)) {
    std::error_code closed;
    if (fs::read_symlink(at->path(), closed) == pipe) return true;
  }
  return false;
}

}  // namespace

std::string holder_of(const Descriptor& pipe) {
  struct stat status {};
  if (::fstat(pipe.get(), &status) != 0) return {};
  const std::string name = "pipe:[" + std::to_string(status.st_ino) + "]";
  const std::string ours = std::to_string(::getpid());
  std::error_code problem;
  for (fs::directory_iterator at("/proc", problem), end; !problem && at != end; at.increment(problem)) {
    const std::string number = at->path().filename();
    if (number == ours || number.find_first_not_of("0123456789") != number.npos || !holds(at->path(), name)) continue;
    std::string program;
    std::getline(std::ifstream(at->path() / "comm"), program);
    return program + " (process " + number + ")";
  }
  return {};
}

}  // namespace ontime::apps
