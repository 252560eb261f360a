#pragma once
// A shell command that runs while bytes are sent to its stdin and its stdout and stderr are received. One thread; no
// side can block the other: whatever is ready is moved, and nothing is kept.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/exec/own_directory.h"
#include "common/app/application.h"
#include "common/base/descriptor.h"

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

// Pipes for talking to a child process. What fails throws std::runtime_error.
[[noreturn]] void throw_system_error(const std::string& what);

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Both ends are closed when a program is executed.
Pipe make_pipe();
void make_non_blocking(const Descriptor& descriptor);

// The pipe to a command's stdin, and how far the command has got with it: what it has really read, not what waits in
// the pipe. The pipe holds little at first and grows with the command's pace. What waits in it for a slow command could
// be neither shown as progress nor given back by a cut: a full pipe is half a minute's work at 30 lines a second.
class InputPipe {
 public:
  static constexpr int kBytesMin = 4 << 10;
  static constexpr int kBytesMax = 64 << 10;
  static constexpr std::chrono::milliseconds kPace{50};  // it shall hold what the command reads in this time

  InputPipe() = default;
  // Has the end to write to.
  explicit InputPipe(Descriptor end);

  int get() const { return end_.get(); }  // for poll(); negative: closed
  bool open() const { return end_.is_open(); }
  // Writes what fits. What a command that has closed its end is given is dropped.
  void send_some(std::string_view& bytes);
  // Nothing more comes.
  void close();

  // Whether there is something that the command has not read yet.
  bool has_waiting() const { return waiting_ > 0; }
  // How many bytes it has read, or will never read; asks the system.
  std::uint64_t taken();

 private:
  void ask();
  void widen();

  Descriptor end_;
  Descriptor watched_;  // the pipe, once our end is closed
  std::uint64_t sent_ = 0;
  std::uint64_t waiting_ = 0;  // of them, in the pipe
  int bytes_max_ = kBytesMax;  // of the pipe
  std::chrono::steady_clock::time_point since_;
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
  // process group and dies with us. It works in `directory`, which is removed with this object; none: where we are.
  Command(const std::string& line, const std::vector<std::string>& environment, Listeners listeners,
          std::unique_ptr<const OwnDirectory> directory = nullptr);
  // A command that still runs is killed.
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Returns when all bytes have been taken, or dropped because the command has closed its stdin.
  void send(std::string_view bytes) {
    send(bytes, [&](std::size_t) { return bytes.size(); });
  }
  // The same, but asks again and again how many of the bytes shall be sent, given how many have been. Returns that.
  std::size_t send(std::string_view bytes, const std::function<std::size_t(std::size_t)>& wanted);
  // Receives until `is_done` says so, or the command has closed its stdout. What it had written to stderr by then is
  // received too.
  void receive_until(const std::function<bool()>& is_done);
  // Closes the command's stdin, receives until it has closed its ends, and waits for it. Throws a sentence unless it
  // ended with one of the exit codes that are fine.
  void finish(std::span<const int> fine = kZero);

 private:
  static constexpr int kZero[] = {0};
  // Waits until something can be moved, and moves it. False: nothing could be for so long; negative: without an end.
  bool receive_or_send(std::string_view& bytes, int patience_ms = -1);
  bool has_ended() const;
  void receive(Descriptor& from, const Receiver& receiver);
  void tell_taken();

  const std::unique_ptr<const OwnDirectory> directory_;
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
