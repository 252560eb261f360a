#include "worker/runner/runner_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <utility>

#include "worker/progress_block.h"
#include "worker/runner/run_loop.h"

namespace ontime::worker {
namespace {

constexpr int kSocket = 3;  // the runner's only descriptor besides the standard ones

[[noreturn]] void give_up(const char* why) {
  std::perror(why);
  ::_exit(1);
}

void belong_to(pid_t launcher) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launcher) ::_exit(1);  // it died before the line above
}

void reset_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

ProgressBlock* map_block(int fd) {
  struct stat file {};
  if (::fstat(fd, &file) != 0 || file.st_size < static_cast<off_t>(sizeof(ProgressBlock))) return nullptr;
  void* const at = ::mmap(nullptr, sizeof(ProgressBlock), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* const block = static_cast<ProgressBlock*>(at);
  return block->layout == ProgressBlock::kLayout ? block : nullptr;
}

// Moves the descriptors to their places and closes all others. Received ones never are 0, 1 or 2: the launcher keeps
// those open.
void place_descriptors(RunnerDescriptors from) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0) give_up("ontime-runner: cannot open /dev/null");
  ::dup2(from.stderr_pipe.get(), STDOUT_FILENO);
  ::dup2(from.stderr_pipe.get(), STDERR_FILENO);
  from.stderr_pipe.release();
  from.progress_block.release();
  if (const int socket = from.socket.release(); socket != kSocket) ::dup2(socket, kSocket);
  ::fcntl(kSocket, F_SETFD, FD_CLOEXEC);  // not for programs the application starts
  ::close_range(kSocket + 1, UINT_MAX, 0);
}

}  // namespace

void become_runner(RunnerDescriptors descriptors, pid_t launcher) {
  belong_to(launcher);
  reset_signals();
  ProgressBlock* const block = map_block(descriptors.progress_block.get());
  place_descriptors(std::move(descriptors));
  if (block == nullptr) {
    std::fprintf(stderr, "ontime-runner: the worker is of another build; stop it and start it again\n");
    ::_exit(1);
  }
  int status = 1;
  {
    RunnerChannel channel{FileDescriptor(kSocket)};
    status = RunLoop(channel, *block).serve();
  }
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace ontime::worker
