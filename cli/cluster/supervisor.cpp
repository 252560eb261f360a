#include "cli/cluster/supervisor.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "cli/cluster/interrupt.h"
#include "common/base/environment.h"
#include "common/base/spawning.h"

namespace ontime::cli {
namespace {

constexpr std::streamoff kTailBytes = 8192;

}  // namespace

Result<pid_t> start(const ChildProgram& program) {
  std::vector<std::string> words{program.path};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  Spawning spawning;
  spawning.open(STDIN_FILENO, "/dev/null", O_RDONLY)
      .open(STDOUT_FILENO, program.log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600)
      .give(STDOUT_FILENO, STDERR_FILENO);
  if (program.inherited_descriptor) spawning.give(*program.inherited_descriptor, kInheritedDescriptor);
  spawning.close_from(kInheritedDescriptor + (program.inherited_descriptor ? 1 : 0));
  pid_t pid = 0;
  const int error = spawning.start(std::move(words), environment_with(program.environment), pid);
  if (error != 0) return failed("cannot start " + program.name + " (" + program.path + "): " + std::strerror(error));
  return pid;
}

Result<std::string> sibling_program(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return failed("cannot find out where this program lies: " + error.message());
  const auto path = (self.parent_path() / name).string();
  if (access(path.c_str(), X_OK) != 0)
    return failed("the program '" + path + "' is missing; it belongs beside 'ontime': build or install it");
  return path;
}

std::string describe_wait_status(int wait_status) {
  if (WIFEXITED(wait_status)) return "exited with code " + std::to_string(WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

std::string last_line_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTailBytes));
  std::string line;
  std::string last;
  while (std::getline(file, line))
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return last;
}

namespace {

using namespace std::chrono_literals;
using Clock = RestartRule::Clock;

constexpr auto kSettledAfter = 2s;  // a child that lived so long has started well
constexpr int kExitsMost = 3;
constexpr int kKillsMost = 100;
constexpr auto kBackOffFirst = 20ms;
constexpr auto kBackOffLast = 1000ms;
constexpr auto kGraceAtStop = 1s;
constexpr int kBadUsage = 2;

// All direct children of this process, also those inherited from children that have died.
std::vector<pid_t> direct_children() {
  std::vector<pid_t> pids;
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return pids;
  while (const dirent* entry = readdir(tasks)) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream list(std::string("/proc/self/task/") + entry->d_name + "/children");
    for (pid_t pid = 0; list >> pid;) pids.push_back(pid);
  }
  closedir(tasks);
  return pids;
}

// False when there is no child left.
bool reap_some() {
  for (;;) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG);
    if (pid == 0) return true;
    if (pid < 0) return errno != ECHILD;
  }
}

void kill_all_children() {
  for (const pid_t pid : direct_children()) kill(pid, SIGKILL);
}

// Waits until no child is left; from the end of the grace on it kills whatever there is. SIGCHLD stays pending
// meanwhile, so that sigtimedwait() can wait for it without a race.
void wait_for_all(Clock::time_point grace_ends) {
  sigset_t children{};
  sigset_t before{};
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, &before);
  const auto give_up_at = grace_ends + 5s;
  while (reap_some() && Clock::now() < give_up_at) {
    if (Clock::now() >= grace_ends || interrupts() >= 2) kill_all_children();
    const timespec limit{0, 20'000'000};
    sigtimedwait(&children, nullptr, &limit);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

std::optional<Clock::time_point> RestartRule::died(int wait_status, Clock::time_point now) {
  if (now - started_at_ >= kSettledAfter) exits_ = kills_ = 0;
  const bool was_killed = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL;
  ++(was_killed ? kills_ : exits_);
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == kBadUsage) return {};
  if (exits_ >= kExitsMost || kills_ >= kKillsMost) return {};
  const auto back_off = kBackOffFirst * (1 << std::min(exits_ + kills_ - 1, 8));
  return now + std::min<Clock::duration>(back_off, kBackOffLast);
}

Supervisor::Supervisor() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

Status Supervisor::start_child(ChildProgram program, Clock::duration later) {
  children_.push_back({.program = std::move(program), .pid = 0, .rule = {}, .start_at = Clock::now() + later});
  return later > Clock::duration::zero() ? Status() : start(children_.back());
}

Status Supervisor::start(Child& child) {
  const auto pid = cli::start(child.program);
  if (!pid) return pid.error();
  child.pid = *pid;
  child.rule.started(Clock::now());
  return {};
}

Status Supervisor::note_death(pid_t pid, int wait_status) {
  const auto child = std::find_if(children_.begin(), children_.end(), [pid](const Child& c) { return c.pid == pid; });
  if (child == children_.end()) return {};  // an orphan of a worker that died
  child->pid = 0;
  const auto start_at = child->rule.died(wait_status, Clock::now());
  if (start_at) {
    child->start_at = *start_at;
    return {};
  }
  const auto reason = last_line_of(child->program.log_path);
  return failed("the " + child->program.name + " of this run cannot be kept going: it " +
                describe_wait_status(wait_status) + (reason.empty() ? "" : "; it said: " + reason));
}

Status Supervisor::tend() {
  int wait_status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &wait_status, WNOHANG)) > 0;) {
    if (auto status = note_death(pid, wait_status); !status) return status;
  }
  const auto now = Clock::now();
  for (auto& child : children_) {
    if (child.pid != 0 || now < child.start_at) continue;
    if (child.rule.has_started()) ++restarts_;
    if (auto status = start(child); !status) return status;
  }
  return {};
}

void Supervisor::stop() {
  if (children_.empty()) return;
  for (const auto& child : children_)
    if (child.pid > 0) kill(child.pid, SIGTERM);
  children_.clear();
  wait_for_all(Clock::now() + kGraceAtStop);
}

}  // namespace ontime::cli
