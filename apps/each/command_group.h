#pragma once
// Runs commands, one after another, each in an empty directory of its own, and ends all that they have started.
//
// The commands are one process group. Its leader, the guard, is a shell that waits for the end of a pipe whose other
// end only this process has: so whatever ends this process, SIGKILL too, also ends the commands and removes the
// directory.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/descriptor.h"

namespace ontime::apps {

// The first bytes of a stream, or the last, and how many there were.
class KeptBytes {
 public:
  enum class End { First, Last };
  KeptBytes(End end, std::size_t bytes_max) : end_(end), bytes_max_(bytes_max) {}
  void add(std::string_view bytes);
  std::uint64_t seen() const { return seen_; }
  // Of the last bytes, those from a line's begin on, if there are any.
  std::string text() const;

 private:
  const End end_;
  const std::size_t bytes_max_;
  std::uint64_t seen_ = 0;
  std::string kept_;
};

struct RunBounds {
  std::optional<std::chrono::duration<double>> time;
  std::size_t output_bytes_max = 0;
  std::size_t error_bytes_max = 0;
  std::string directory;  // empty: one of its own
};

struct CommandEnd {
  int status = -1;  // -1: a signal has ended it
  int signal = 0;
  bool was_late = false;
  double started = 0;  // seconds since 1970
  double seconds = 0;
  std::uint64_t received = 0;
  std::string output;
  std::string errors;

  bool is_ok() const { return status == 0 && !was_late; }
};

class CommandGroup {
 public:
  // How often `while_waiting` is called, at least.
  static constexpr std::chrono::milliseconds kTick{100};
  // Between SIGTERM and SIGKILL.
  static constexpr std::chrono::milliseconds kGrace{500};

  // `environment`: NAME=VALUE, on top of ours.
  explicit CommandGroup(const std::vector<std::string>& environment);
  ~CommandGroup();
  CommandGroup(const CommandGroup&) = delete;
  CommandGroup& operator=(const CommandGroup&) = delete;

  // Runs it to its end. A command that cannot be started because of what it is has status 126 or 127, as in a shell.
  // Throws std::runtime_error if the machine has no room for it. If `while_waiting` throws, the command is ended.
  CommandEnd run(const std::string& line, const RunBounds& bounds, const std::function<void()>& while_waiting);

 private:
  struct Child;
  void ensure_guard();
  void end_all();
  pid_t start(const std::string& line, const std::string& directory, int out, int error, CommandEnd& end);
  int spawn(std::vector<std::string> words, const std::string& directory, int out, int error, pid_t& process);
  void wait(Child& child, const RunBounds& bounds, const std::function<void()>& while_waiting, CommandEnd& end);

  std::vector<std::string> environment_;
  std::string base_;  // for the directories
  std::uint64_t runs_ = 0;
  pid_t guard_ = -1;
  Descriptor guarded_;  // closed: the guard ends the group
  Descriptor nothing_;
  std::vector<char> buffer_;
};

}  // namespace ontime::apps
