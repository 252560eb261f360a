#pragma once
// A shell command that runs while bytes are sent to its stdin and its stdout and stderr are received. One thread; no
// side can block the other: whatever is ready is moved, and nothing is kept.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/exec/input_pipe.h"
#include "common/app/context.h"

namespace ontime::apps {

// What a command says on stderr: lines that begin with `reporter:` are meant for the job, all others for people.
//
//   reporter:counter:GROUP,NAME,AMOUNT     adds to a counter
//   reporter:status:TEXT                   sets the status line
class StderrLines {
 public:
  // Longer lines are passed on in pieces.
  static constexpr std::size_t kMaxLine = 64 * 1024;

  explicit StderrLines(app::Context& context) : context_(context) {}

  // Bytes as they come, cut anywhere. What is not for the job goes to our own stderr.
  void add(std::string_view bytes);
  // The end of the stream ends a last line without its end.
  void finish();

 private:
  void take_line(std::string_view line);
  bool report(std::string_view line);
  bool count(std::string_view arguments);

  app::Context& context_;
  std::string partial_;  // a line whose end has not come
};

class Command {
 public:
  using Receiver = std::function<void(std::string_view)>;
  // Called from within send() and finish().
  struct Listeners {
    Receiver on_stdout;
    Receiver on_stderr;
    // How many of the bytes that were sent the command has read so far, or will never read; each time that it grows.
    std::function<void(std::uint64_t)> on_taken;
  };

  // Starts `/bin/sh -c line` with our environment and `environment` (NAME=VALUE) on top. The process stays in our
  // process group and dies with us.
  Command(const std::string& line, const std::vector<std::string>& environment, Listeners listeners);
  // A command that still runs is killed.
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Returns when all bytes have been taken, or dropped because the command has closed its stdin.
  void send(std::string_view bytes);
  // Receives until `is_done` says so, or the command has closed its stdout. What it had written to stderr by then is
  // received too.
  void receive_until(const std::function<bool()>& is_done);
  // Closes the command's stdin, receives until it has closed its ends, and waits for it. Throws a sentence unless it
  // ended with one of the exit codes that are fine.
  void finish(std::span<const int> fine = kZero);

 private:
  static constexpr int kZero[] = {0};
  void receive_or_send(std::string_view& bytes);
  void receive(Descriptor& from, const Receiver& receiver);
  void tell_taken();

  std::string line_;
  const Listeners listeners_;
  InputPipe stdin_;
  std::uint64_t dropped_ = 0;  // sent after the command had closed its stdin
  std::uint64_t taken_ = 0;    // as told last
  Descriptor stdout_;
  Descriptor stderr_;
  pid_t process_ = -1;
  std::vector<char> buffer_;
};

}  // namespace ontime::apps
