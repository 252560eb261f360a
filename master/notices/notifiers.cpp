#include "master/notices/notifiers.h"

#include <fcntl.h>
#include <signal.h>
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
#include "common/base/spawning.h"

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
  pid_t pid = 0;
  const int problem = Spawning()
                          .give(input, STDIN_FILENO)
                          .give(output, STDOUT_FILENO)
                          .open(STDERR_FILENO, "/dev/null", O_WRONLY)
                          .close_from(STDERR_FILENO + 1)
                          .start({program, std::to_string(::getpid())}, environment_with({"ONTIME_TOKEN="}), pid);
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
