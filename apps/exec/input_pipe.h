#pragma once
// The pipe to a command's stdin, and how far the command has got with it: what it has really read, not what waits in
// the pipe. The pipe holds little at first and grows with the command's pace. What waits in it for a slow command could
// be neither shown as progress nor given back by a cut: a full pipe is half a minute's work at 30 lines a second.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/descriptor.h"

namespace ontime::apps {

// Pipes for talking to a child process. What fails throws std::runtime_error.
[[noreturn]] void throw_system_error(const std::string& what);

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Both ends are closed when a program is executed.
Pipe make_pipe();
void make_non_blocking(const Descriptor& descriptor);

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

}  // namespace ontime::apps
