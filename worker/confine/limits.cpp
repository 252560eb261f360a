#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/base/units.h"
#include "worker/confine/confinement.h"

namespace ontime::worker {
namespace {

// `grace` on top of the soft limit before the hard one.
Status set(int resource, const char* what, std::uint64_t value, std::uint64_t grace = 0) {
  rlimit now{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &now);
  rlimit wanted{value, value + grace};
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < wanted.rlim_max) wanted.rlim_max = now.rlim_max;
  if (wanted.rlim_cur > wanted.rlim_max) wanted.rlim_cur = wanted.rlim_max;
  if (::setrlimit(static_cast<__rlimit_resource>(resource), &wanted) == 0) return {};
  return failed(std::string("cannot limit ") + what + ": " + std::strerror(errno));
}

bool says(const std::string& failure, int problem) { return failure.find(std::strerror(problem)) != failure.npos; }

bool has_files_left() {
  const int another = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (another >= 0) ::close(another);
  return another >= 0 || errno != EMFILE;
}

bool has_processes_left() {
  const pid_t another = ::fork();
  if (another == 0) ::_exit(0);
  if (another > 0) ::waitpid(another, nullptr, 0);
  return another > 0 || errno != EAGAIN;
}

std::string memory_of(const AttemptLimits& limits) {
  return format_size(limits.memory_bytes) + " of memory that --attempt-memory allows";
}

}  // namespace

Status apply(const AttemptLimits& limits) {
  Status status = set(RLIMIT_CORE, "core dumps", 0);
  if (status && limits.files > 0) status = set(RLIMIT_NOFILE, "open files", limits.files);
  if (status && limits.cpu_seconds > 0) status = set(RLIMIT_CPU, "CPU time", limits.cpu_seconds, 1);
  if (status && limits.processes > 0) status = set(RLIMIT_NPROC, "processes", limits.processes);
  if (status && limits.memory_bytes > 0) status = set(RLIMIT_DATA, "memory", limits.memory_bytes);
  return status;
}

std::string used_up(const AttemptLimits& limits, const std::string& failure) {
  if (limits.files > 0 && (says(failure, EMFILE) || !has_files_left())) {
    return "; it had all " + std::to_string(limits.files) + " files open that --attempt-files allows";
  }
  if (limits.processes > 0 && (says(failure, EAGAIN) || !has_processes_left())) {
    return "; its user had all " + std::to_string(limits.processes) + " processes that --attempt-processes allows";
  }
  return limits.memory_bytes > 0 && says(failure, ENOMEM) ? used_up_memory(limits) : std::string();
}

std::string used_up_memory(const AttemptLimits& limits) {
  return limits.memory_bytes > 0 ? "; it needed more than the " + memory_of(limits) : std::string();
}

std::string used_up_by(int wait_status, const AttemptLimits& limits) {
  if (!WIFSIGNALED(wait_status)) return {};
  if (WTERMSIG(wait_status) == SIGXCPU && limits.cpu_seconds > 0) {
    return "; it had used the " + std::to_string(limits.cpu_seconds) + " s of CPU time that --attempt-cpu allows";
  }
  const bool may_need_memory = WTERMSIG(wait_status) == SIGKILL || WTERMSIG(wait_status) == SIGSEGV ||
                               WTERMSIG(wait_status) == SIGBUS || WTERMSIG(wait_status) == SIGABRT;
  return may_need_memory && limits.memory_bytes > 0 ? "; it had at most the " + memory_of(limits) : std::string();
}

}  // namespace ontime::worker
