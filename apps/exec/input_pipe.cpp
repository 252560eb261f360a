#include "apps/exec/command.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace ontime::apps {
void throw_system_error(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_system_error("cannot make a pipe for the command");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void make_non_blocking(const Descriptor& descriptor) {
  const int flags = fcntl(descriptor.get(), F_GETFL);
  if (flags < 0 || fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw_system_error("cannot prepare a pipe for the command");
  }
}

InputPipe::InputPipe(Descriptor end) : end_(std::move(end)), since_(std::chrono::steady_clock::now()) {
  make_non_blocking(end_);
  if (const int size = fcntl(end_.get(), F_SETPIPE_SZ, kBytesMin); size > 0) bytes_max_ = size;
}

void InputPipe::send_some(std::string_view& bytes) {
  const ssize_t sent = write(end_.get(), bytes.data(), bytes.size());
  if (sent >= 0) {
    bytes.remove_prefix(static_cast<std::size_t>(sent));
    sent_ += static_cast<std::uint64_t>(sent);
    ask();
    widen();
  } else if (errno == EPIPE) {
    end_.close();
    waiting_ = 0;
  } else if (errno != EAGAIN && errno != EINTR) {
    throw_system_error("cannot write to the command");
  }
}

void InputPipe::close() {
  if (!end_.is_open()) return;
  // What waits is watched through a name of the pipe's: with a second descriptor of the end that is written to the
  // command would never see the end, with one of the end that is read from we would not see that it has closed its own.
  watched_ = Descriptor(::open(("/proc/self/fd/" + std::to_string(end_.get())).c_str(),
                               O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  end_.close();
  ask();
}

std::uint64_t InputPipe::taken() {
  ask();
  return sent_ - waiting_;
}

void InputPipe::ask() {
  const Descriptor& pipe = end_.is_open() ? end_ : watched_;
  int waiting = 0;
  waiting_ = pipe.is_open() && ioctl(pipe.get(), FIONREAD, &waiting) == 0 ? static_cast<std::uint64_t>(waiting) : 0;
}

// What it reads at once when it starts is no pace: it may go on slowly.
void InputPipe::widen() {
  if (bytes_max_ >= kBytesMax) return;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - since_;
  if (time < kPace) return;
  const double wanted = static_cast<double>(sent_ - waiting_) * (std::chrono::duration<double>(kPace) / time);
  if (wanted <= bytes_max_) return;
  const int size = fcntl(end_.get(), F_SETPIPE_SZ, wanted < kBytesMax ? static_cast<int>(wanted) : kBytesMax);
  bytes_max_ = size > 0 ? size : kBytesMax;  // not allowed: it stays as it is
}

}  // namespace ontime::apps
