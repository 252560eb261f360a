#include "master/notices/notifiers.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <vector>

#include "common/base/descriptor.h"
#include "common/base/environment.h"
#include "common/base/result.h"

namespace ontime::master {

struct Notifiers::Process {
  explicit Process(const asio::any_io_executor& executor) : output(executor), limit(executor) {}
  pid_t pid = 0;
  std::string answer;
  asio::posix::stream_descriptor output;
  asio::steady_timer limit;
  std::function<void(const std::string& problem)> done;
  bool is_too_slow = false;
};

namespace {

// The begin of a file without a name that holds the text.
Descriptor file_with(const std::string& text) {
  Descriptor file(::memfd_create("notice", MFD_CLOEXEC));
  if (file && (write_all(file.get(), text) != 0 || ::lseek(file.get(), 0, SEEK_SET) != 0)) file.close();
  return file;
}

Result<pid_t> start(const std::string& program, int input, int output) {
  std::vector<std::string> words{program, std::to_string(::getpid())};
  std::vector<std::string> environment = environment_with({"ONTIME_TOKEN="});
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int problem = posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers_to(words).data(),
                                  pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return failed("'" + program + "' cannot be started: " + std::strerror(problem));
  return pid;
}

}  // namespace

void Notifiers::tell(const std::string& notice, std::function<void(const std::string& problem)> done) {
  int ends[2] = {-1, -1};
  const Descriptor input = file_with(notice);
  const bool has_pipe = input && ::pipe2(ends, O_CLOEXEC) == 0;
  Descriptor read_end(ends[0]);
  const Descriptor write_end(ends[1]);
  const Result<pid_t> pid = has_pipe ? start(program_, input.get(), write_end.get())
                                     : failed(std::string("no room: ") + std::strerror(errno));
  if (!pid) return done(pid.error().message);
  const auto process = std::make_shared<Process>(executor_);
  process->pid = *pid;
  process->done = std::move(done);
  process->output.assign(read_end.release());
  running_.insert(process);
  process->limit.expires_after(kMost);
  process->limit.async_wait([process](const asio::error_code& error) {
    if (error) return;
    process->is_too_slow = true;
    ::kill(-process->pid, SIGKILL);
  });
  asio::async_read(process->output, asio::dynamic_buffer(process->answer, kAnswerBytesMax), asio::transfer_all(),
                   [self = shared_from_this(), process](const asio::error_code& error, std::size_t) {
                     if (error != asio::error::operation_aborted) self->on_ended(process);
                   });
}

// It has closed its output, so it has ended or is about to.
void Notifiers::on_ended(const std::shared_ptr<Process>& process) {
  if (running_.erase(process) == 0) return;
  process->limit.cancel();
  int status = 0;
  ::waitpid(process->pid, &status, 0);
  std::string problem = process->answer.substr(0, process->answer.find('\n'));
  if (process->is_too_slow) problem = "it took longer than 3 minutes";
  const bool has_ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (problem.empty() && !has_ended_well) problem = "the process that tells it was killed or failed";
  process->done(problem);
}

void Notifiers::stop() {
  for (const auto& process : running_) {
    ::kill(-process->pid, SIGKILL);
    process->output.close();
    process->limit.cancel();
    ::waitpid(process->pid, nullptr, 0);
  }
  running_.clear();
}

}  // namespace ontime::master
