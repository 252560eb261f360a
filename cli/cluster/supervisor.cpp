#include "cli/cluster/supervisor.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

#include "cli/cluster/interrupt.h"

namespace ontime::cli {
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

// SIGCHLD stays pending while this lives, so that sigtimedwait() can wait for it without a race.
class BlockedChildSignal {
 public:
  BlockedChildSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ~BlockedChildSignal() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  BlockedChildSignal(const BlockedChildSignal&) = delete;
  BlockedChildSignal& operator=(const BlockedChildSignal&) = delete;
  void wait() const {
    const timespec limit{0, 20'000'000};
    sigtimedwait(&set_, nullptr, &limit);
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

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

// Waits until no child is left; from the end of the grace on it kills whatever there is.
void wait_for_all(Clock::time_point grace_ends) {
  const BlockedChildSignal children;
  const auto give_up_at = grace_ends + 5s;
  while (reap_some() && Clock::now() < give_up_at) {
    if (Clock::now() >= grace_ends || interrupts() >= 2) kill_all_children();
    children.wait();
  }
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

Status Supervisor::start_child(ChildProgram program) {
  children_.push_back({.program = std::move(program), .pid = 0, .rule = {}, .start_at = {}});
  return start_again(children_.back());
}

Status Supervisor::start_again(Child& child) {
  const auto pid = start(child.program);
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
    ++restarts_;
    if (auto status = start_again(child); !status) return status;
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
