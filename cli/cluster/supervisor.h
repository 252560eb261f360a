#pragma once
// Keeps a set of child processes going: starts them, starts again (with back-off) what has died, ends them all. Also
// inherits and ends what they leave behind, so that nothing outlives stop(). One of these per process, one thread.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace ontime::cli {

// Starting one program: a process group of its own (so that a terminal's Ctrl-C reaches only `ontime`), /dev/null as
// input, output and errors appended to a file, every other descriptor closed except one that may be handed on.
struct ChildProgram {
  std::string name;  // "worker 2": for messages
  std::string path;
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // "NAME=value", replacing the parent's
  std::string log_path;
  std::optional<int> inherited_descriptor;  // becomes kInheritedDescriptor in the child
};

inline constexpr int kInheritedDescriptor = 3;

Result<pid_t> start(const ChildProgram& program);

// The path of a program that lies beside the running one.
Result<std::string> sibling_program(const std::string& name);

// "exited with code 1", "was killed by signal 9 (Killed)".
std::string describe_wait_status(int wait_status);

// The last line of a log file that is not empty; empty if there is none.
std::string last_line_of(const std::string& path);

// When a child that died is started again, and when that is given up. Pure.
class RestartRule {
 public:
  using Clock = std::chrono::steady_clock;
  void started(Clock::time_point now) { started_at_ = now; }
  bool has_started() const { return started_at_ != Clock::time_point(); }
  // The time to start it again; nothing if it keeps dying right after its start. A child that exits on its own gets
  // three such tries (bad usage: none), one that is killed from outside many more.
  std::optional<Clock::time_point> died(int wait_status, Clock::time_point now);

 private:
  Clock::time_point started_at_;
  int exits_ = 0;  // in a row, each soon after the start
  int kills_ = 0;
};

class Supervisor {
 public:
  Supervisor();
  ~Supervisor() { stop(); }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // One that shall start later is started by tend().
  Status start_child(ChildProgram program, RestartRule::Clock::duration later = {});
  // Takes note of deaths and starts again what is due. An error says which child cannot be kept going and why.
  Status tend();
  // Asks all to end, waits a second, kills what is left; a second Ctrl-C shortens it. Idempotent.
  void stop();

  int restarts() const { return restarts_; }

 private:
  struct Child {
    ChildProgram program;
    pid_t pid = 0;  // 0: not running
    RestartRule rule;
    RestartRule::Clock::time_point start_at;  // only while not running
  };
  Status start(Child& child);
  Status note_death(pid_t pid, int wait_status);

  std::vector<Child> children_;
  int restarts_ = 0;
};

}  // namespace ontime::cli
