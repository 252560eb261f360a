#include "apps/each/command_group.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "apps/each/shell_words.h"
#include "apps/exec/command.h"
#include "common/base/environment.h"
#include "common/base/spawning.h"
#include "common/files/disk.h"
#include "common/files/file_system.h"
#include "common/files/temporary_directory.h"

namespace ontime::apps {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBufferBytes = 64 << 10;  // what a pipe holds
constexpr int kFirstOther = STDERR_FILENO + 1;

// Waits for its stdin's end. SIGTERM first, so that nothing is made in the directory while it goes.
constexpr const char* kGuard = "trap '' TERM INT HUP; read -r _; kill -TERM 0; rm -rf -- \"$1\"; kill -KILL 0";

double since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) throw_system_error("cannot wait for a command");
  }
  return status;
}

}  // namespace

void KeptBytes::add(std::string_view bytes) {
  seen_ += bytes.size();
  if (end_ == End::First) {
    kept_ += bytes.substr(0, bytes_max_ - kept_.size());
    return;
  }
  kept_ += bytes.substr(bytes.size() - std::min(bytes.size(), bytes_max_));
  if (kept_.size() > bytes_max_) kept_.erase(0, kept_.size() - bytes_max_);
}

std::string KeptBytes::text() const {
  const std::size_t feed = kept_.find('\n');
  const bool is_cut = end_ == End::Last && seen_ > kept_.size() && feed + 1 < kept_.size() && feed != kept_.npos;
  return is_cut ? kept_.substr(feed + 1) : kept_;
}

// A command that runs, and what has been received of it.
struct CommandGroup::Child {
  pid_t process = -1;
  Descriptor ended;  // can be read from once it has
  Descriptor out;
  Descriptor error;
  KeptBytes output;
  KeptBytes errors;
};

CommandGroup::CommandGroup(const std::vector<std::string>& environment)
    : environment_(environment_with(environment)),
      nothing_(files::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      buffer_(kBufferBytes) {
  if (!nothing_) throw_system_error("cannot open /dev/null");
}

CommandGroup::~CommandGroup() {
  end_all();
  if (!base_.empty()) files::remove_all(base_, [] {});
}

void CommandGroup::ensure_guard() {
  if (base_.empty()) {
    base_ = files::TemporaryDirectory::parent() + "/ontime-each-" + std::to_string(getpid());
    files::remove_all(base_, [] {});  // of an earlier process with that number
    if (const int problem = files::make_directory(base_, 0700); problem != 0)
      throw std::runtime_error("cannot make the directory '" + base_ + "': " + std::strerror(problem));
  }
  if (guard_ > 0) return;
  Pipe pipe = make_pipe();
  const int problem = Spawning()
                          .give(pipe.read_end.get(), STDIN_FILENO)
                          .open(STDOUT_FILENO, "/dev/null", O_WRONLY)
                          .open(STDERR_FILENO, "/dev/null", O_WRONLY)
                          .close_from(kFirstOther)
                          .start({"/bin/sh", "-c", kGuard, "ontime-guard", base_}, environment_, guard_);
  if (problem != 0) {
    guard_ = -1;
    throw std::runtime_error(std::string("cannot start the guard of the commands: ") + std::strerror(problem));
  }
  guarded_ = std::move(pipe.write_end);
}

void CommandGroup::end_all() {
  if (guard_ < 0) return;
  kill(-guard_, SIGKILL);
  guarded_.close();
  wait_for(guard_);
  guard_ = -1;
}

int CommandGroup::spawn(std::vector<std::string> words, const std::string& directory, int out, int error,
                        pid_t& process) {
  Spawning spawning(guard_);
  spawning.give(nothing_.get(), STDIN_FILENO)
      .give(out, STDOUT_FILENO)
      .give(error, STDERR_FILENO)
      .close_from(kFirstOther);
  if (!spawning.enter(directory.c_str()))
    words.insert(words.begin(), {"/bin/sh", "-c", "cd -- \"$0\" && exec \"$@\"", directory});
  return spawning.start(std::move(words), environment_, process);
}

// Without a shell where there is nothing for one to do. What then cannot be started is left to the shell, which knows
// scripts without a first line and says what is wrong in its own words.
pid_t CommandGroup::start(const std::string& line, const std::string& directory, int out, int error, CommandEnd& end) {
  pid_t process = -1;
  if (auto words = plain_words(line); words && spawn(*words, directory, out, error, process) == 0) return process;
  std::vector<std::string> words{"/bin/sh", "-c", line};
  const int problem = spawn(words, directory, out, error, process);
  if (problem == 0) return process;
  if (problem != E2BIG && problem != ENOENT)
    throw std::runtime_error("cannot start the command \"" + line.substr(0, 200) + "\": " + std::strerror(problem));
  end.status = problem == E2BIG ? 126 : 127;
  end.errors = problem == E2BIG ? "the command line is too long" : "the directory '" + directory + "' is not there";
  return -1;
}

CommandEnd CommandGroup::run(const std::string& line, const RunBounds& bounds,
                             const std::function<void()>& while_waiting) {
  ensure_guard();
  CommandEnd end;
  const std::string own = base_ + "/" + std::to_string(++runs_);
  if (bounds.directory.empty()) {
    if (const int problem = files::make_directory(own); problem != 0)
      throw std::runtime_error("cannot make the directory '" + own + "': " + std::strerror(problem));
  }
  Pipe out = make_pipe(), error = make_pipe();
  end.started = since_1970();
  const Clock::time_point begin = Clock::now();
  Child child{
      -1, {}, {}, {}, {KeptBytes::End::First, bounds.output_bytes_max}, {KeptBytes::End::Last, bounds.error_bytes_max}};
  child.process =
      start(line, bounds.directory.empty() ? own : bounds.directory, out.write_end.get(), error.write_end.get(), end);
  if (child.process > 0) {
    child.ended = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, child.process, 0)));
    if (!child.ended) throw_system_error("cannot watch a command");
    child.out = std::move(out.read_end);
    child.error = std::move(error.read_end);
    make_non_blocking(child.out);
    make_non_blocking(child.error);
    // The pipes' other ends stay open here, so that a command that ends wakes this process once and not three times.
    wait(child, bounds, while_waiting, end);
  }
  end.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (bounds.directory.empty() && files::remove_directory(own) != 0) files::remove_all(own, [] {});
  return end;
}

namespace {

void receive(Descriptor& from, KeptBytes& kept, std::vector<char>& buffer) {
  const ssize_t got = read(from.get(), buffer.data(), buffer.size());
  if (got > 0)
    kept.add({buffer.data(), static_cast<std::size_t>(got)});
  else if (got == 0 || (errno != EAGAIN && errno != EINTR))
    from.close();
}

}  // namespace

void CommandGroup::wait(Child& child, const RunBounds& bounds, const std::function<void()>& while_waiting,
                        CommandEnd& end) {
  const Clock::time_point begin = Clock::now();
  bool has_ended = false;
  try {
    while (!has_ended) {
      std::array<pollfd, 3> ends = {
          {{child.ended.get(), POLLIN, 0}, {child.out.get(), POLLIN, 0}, {child.error.get(), POLLIN, 0}}};
      std::chrono::duration<double> patience = kTick;
      const std::chrono::duration<double> lasted = Clock::now() - begin;
      if (bounds.time && !end.was_late) patience = std::clamp(*bounds.time - lasted, 0 * patience, patience);
      const int ready = poll(ends.data(), ends.size(), static_cast<int>(std::ceil(patience.count() * 1000)));
      if (ready < 0 && errno != EINTR) throw_system_error("cannot wait for a command");
      // What it wrote before its end is received: a pipe holds no more than is read at once. What a program that it
      // left may still write is not waited for.
      has_ended = ready > 0 && ends[0].revents != 0;
      if (child.out && (has_ended || ends[1].revents != 0)) receive(child.out, child.output, buffer_);
      if (child.error && (has_ended || ends[2].revents != 0)) receive(child.error, child.errors, buffer_);
      if (has_ended) break;
      const std::chrono::duration<double> now = Clock::now() - begin;
      if (bounds.time && now >= *bounds.time) {
        if (!std::exchange(end.was_late, true)) kill(-guard_, SIGTERM);
        if (now >= *bounds.time + kGrace) end_all();
      }
      while_waiting();
    }
  } catch (...) {
    end_all();
    wait_for(child.process);
    throw;
  }
  const int status = wait_for(child.process);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.received = child.output.seen();
  end.output = child.output.text();
  end.errors = child.errors.text();
}

}  // namespace ontime::apps
