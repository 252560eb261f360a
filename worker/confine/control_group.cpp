#include "worker/confine/control_group.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ontime::worker {
namespace {

std::string members_of(const std::string& directory) { return directory + "/cgroup.procs"; }

}  // namespace

Status check_control_group(const std::string& directory) {
  if (::access(members_of(directory).c_str(), W_OK) == 0) return {};
  const std::string why = errno == ENOENT || errno == ENOTDIR ? "it has no cgroup.procs" : std::strerror(errno);
  return bad_input("'" + directory + "' is no control group that this worker can put attempts into: " + why +
                   "; make one with mkdir below /sys/fs/cgroup and let the worker's user write its cgroup.procs");
}

Status enter_control_group(const std::string& directory) {
  const int members = ::open(members_of(directory).c_str(), O_WRONLY | O_CLOEXEC);
  const bool has_entered = members >= 0 && ::write(members, "0", 1) == 1;  // 0: the writing process
  const int problem = errno;
  if (members >= 0) ::close(members);
  if (has_entered) return {};
  return failed("cannot enter the control group " + directory + ": " + std::strerror(problem));
}

}  // namespace ontime::worker
