#include "apps/exec/command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "apps/exec/pipe_holders.h"
#include "common/base/environment.h"

namespace ontime::apps {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;
// Nobody tells when a command reads: while something waits for it, it is looked at so often.
constexpr int kTickMs = 100;
constexpr int kLeftOpenMs = 2000;  // by a program that the command left, before the job learns of it

// What the child does; only calls that are safe after a fork. Never returns.
[[noreturn]] void become_command(const char* line, const char* directory, char* const* environment, int in, int out,
                                 int error, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent died before the line above
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (chdir(directory) != 0) _exit(127);
  if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(error, STDERR_FILENO) >= 0) {
    close_range(STDERR_FILENO + 1, ~0U, 0);
    const char* const arguments[] = {"/bin/sh", "-c", line, nullptr};
    execve(arguments[0], const_cast<char* const*>(arguments), environment);
  }
  _exit(127);
}

// The kernel ends with SIGKILL what takes more memory than the machine or its control group has.
std::string describe_signal(int signal) {
  return std::string(strsignal(signal)) + (signal == SIGKILL ? ": perhaps memory ran out" : "");
}

std::string describe_end(int status, bool has_own_directory) {
  if (WIFSIGNALED(status))
    return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" + describe_signal(WTERMSIG(status)) + ")";
  const int code = WEXITSTATUS(status);
  std::string text = "ended with status " + std::to_string(code);
  constexpr int kSignalled = 128;  // what a shell adds to the signal that has ended a program
  if (code > kSignalled && code < kSignalled + NSIG)
    text += " (a program in it was ended by signal " + std::to_string(code - kSignalled) + ", " +
            describe_signal(code - kSignalled) + ")";
  if (code == 126) text += " (found, but not executable)";
  if (code == 127)
    text += has_own_directory
                ? " (not found; it works in a directory of its own: send its files with --file, or give whole paths)"
                : " (not found)";
  return text;
}

}  // namespace

Command::Command(const std::string& line, const std::vector<std::string>& environment, Listeners listeners,
                 std::unique_ptr<const OwnDirectory> directory)
    : directory_(std::move(directory)), line_(line), listeners_(std::move(listeners)), buffer_(kBufferBytes) {
  std::signal(SIGPIPE, SIG_IGN);  // a command may close its stdin early: write() then tells
  Pipe in = make_pipe(), out = make_pipe(), error = make_pipe();
  std::vector<std::string> variables = environment_with(environment);
  const std::vector<char*> pointers = pointers_to(variables);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw_system_error("cannot start the command \"" + line + "\"");
  if (process_ == 0) {
    become_command(line_.c_str(), directory_ ? directory_->path().c_str() : ".", pointers.data(), in.read_end.get(),
                   out.write_end.get(), error.write_end.get(), parent);
  }
  stdin_ = InputPipe(std::move(in.write_end));
  stdout_ = std::move(out.read_end);
  stderr_ = std::move(error.read_end);
  for (const Descriptor* end : {&stdout_, &stderr_}) make_non_blocking(*end);
}

Command::~Command() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::size_t Command::send(std::string_view bytes, const std::function<std::size_t(std::size_t)>& wanted) {
  std::size_t sent = 0;
  std::size_t end = bytes.size();
  while (sent < end && stdin_.open()) {
    std::string_view rest = bytes.substr(sent, end - sent);
    receive_or_send(rest);
    sent = end - rest.size();
    end = std::min(end, wanted(sent));
  }
  dropped_ += end - sent;
  tell_taken();
  return end;
}

void Command::receive_until(const std::function<bool()>& is_done) {
  std::string_view nothing;
  while (!is_done() && stdout_.is_open()) receive_or_send(nothing);
  if (stderr_.is_open()) receive(stderr_, listeners_.on_stderr);  // a pipe holds no more than is read at once
}

void Command::finish(std::span<const int> fine) {
  stdin_.close();
  std::string_view nothing;
  auto quiet_since = std::chrono::steady_clock::now();
  for (bool is_told = false; stdout_.is_open() || stderr_.is_open();) {
    const bool has_moved = receive_or_send(nothing, is_told ? -1 : kLeftOpenMs);
    const auto now = std::chrono::steady_clock::now();
    if (has_moved) quiet_since = now;
    if (is_told || now - quiet_since < std::chrono::milliseconds(kLeftOpenMs) || !has_ended()) continue;
    const std::string holder = holder_of(stdout_.is_open() ? stdout_ : stderr_);
    listeners_.on_stderr("reporter:status:the command has ended, but " + (holder.empty() ? "a program" : holder) +
                         ", which it left, holds its output open\n");
    is_told = true;
  }
  int status = 0;
  while (waitpid(process_, &status, 0) < 0) {
    if (errno != EINTR) throw_system_error("cannot wait for the command \"" + line_ + "\"");
  }
  process_ = -1;
  const bool is_fine = WIFEXITED(status) && std::find(fine.begin(), fine.end(), WEXITSTATUS(status)) != fine.end();
  if (!is_fine)
    throw std::runtime_error("the command \"" + line_ + "\" " + describe_end(status, directory_ != nullptr));
}

bool Command::has_ended() const {
  siginfo_t end{};
  return waitid(P_PID, static_cast<id_t>(process_), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid != 0;
}

bool Command::receive_or_send(std::string_view& bytes, int patience_ms) {
  // A closed end has number -1, which poll() ignores, as it should where there is nothing to send.
  std::array<pollfd, 3> ends = {
      {{bytes.empty() ? -1 : stdin_.get(), POLLOUT, 0}, {stdout_.get(), POLLIN, 0}, {stderr_.get(), POLLIN, 0}}};
  const int ready = poll(ends.data(), ends.size(), stdin_.has_waiting() ? kTickMs : patience_ms);
  if (ready < 0) {
    if (errno == EINTR) return true;
    throw_system_error("cannot wait for the command \"" + line_ + "\"");
  }
  if (ends[2].revents != 0) receive(stderr_, listeners_.on_stderr);
  if (ends[1].revents != 0) receive(stdout_, listeners_.on_stdout);
  if (ends[0].revents != 0) stdin_.send_some(bytes);
  tell_taken();
  return ready > 0;
}

void Command::tell_taken() {
  const std::uint64_t taken = stdin_.taken() + dropped_;
  if (taken > taken_) listeners_.on_taken(taken_ = taken);
}

void Command::receive(Descriptor& from, const Receiver& receiver) {
  const ssize_t got = read(from.get(), buffer_.data(), buffer_.size());
  if (got > 0)
    receiver({buffer_.data(), static_cast<std::size_t>(got)});
  else if (got == 0)
    from.close();
  else if (errno != EAGAIN && errno != EINTR)
    throw_system_error("cannot read from the command \"" + line_ + "\"");
}

namespace {

constexpr std::string_view kCounter = "reporter:counter:";

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// What stands before `separator`, which is taken too; all if there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(part.size() == text.size() ? part.size() : part.size() + 1);
  return part;
}

}  // namespace

void StderrLines::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t feed = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, feed);
    bytes.remove_prefix(feed == std::string_view::npos ? bytes.size() : feed + 1);
    partial_ += piece;
    if (feed == std::string_view::npos && partial_.size() < kMaxLine) break;
    take_line(partial_);
    partial_.clear();
  }
}

void StderrLines::finish() {
  if (!partial_.empty()) take_line(partial_);
  partial_.clear();
}

void StderrLines::take_line(std::string_view line) {
  if (report(line)) return;
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
  if (line.starts_with(kCounter))
    std::fputs("ontime: that is no counter: GROUP,NAME,AMOUNT is wanted, and an amount is a whole number\n", stderr);
}

// False when the line is none of the two that are known, or malformed.
bool StderrLines::report(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (take_prefix(line, kCounter)) return count(line);
  if (!take_prefix(line, "reporter:status:")) return false;
  context_.set_status(line);
  return true;
}

bool StderrLines::count(std::string_view arguments) {
  const std::string_view group = take_until(arguments, ',');
  const std::string_view name = take_until(arguments, ',');
  std::int64_t amount = 0;
  const auto [end, error] = std::from_chars(arguments.data(), arguments.data() + arguments.size(), amount);
  if (group.empty() || name.empty() || error != std::errc{} || end != arguments.data() + arguments.size()) return false;
  context_.counter(group, name) += static_cast<std::uint64_t>(amount);  // of one below zero the sums wrap back
  return true;
}

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
  watched_ =
      Descriptor(::open(("/proc/self/fd/" + std::to_string(end_.get())).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
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
