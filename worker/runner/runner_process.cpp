#include "worker/runner/children.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "worker/progress_block.h"
#include "worker/runner/run_loop.h"

namespace ontime::worker {

void die_with(pid_t launcher) {
  if (!die_with_parent(launcher)) ::_exit(1);
}

void reset_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

namespace {

// The runner's only descriptors besides the standard ones; the second only if the launcher makes its output files.
constexpr int kSocket = 3;
constexpr int kOutputs = 4;

[[noreturn]] void give_up(const char* why) {
  std::perror(why);
  ::_exit(1);
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
void place_descriptors(const RunnerInheritance& from) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0) give_up("ontime-runner: cannot open /dev/null");
  ::dup2(from.stderr_pipe, STDOUT_FILENO);
  ::dup2(from.stderr_pipe, STDERR_FILENO);
  // Out of the way of each other first.
  const bool has_outputs = from.outputs >= 0;
  const int socket = ::fcntl(from.socket, F_DUPFD_CLOEXEC, kOutputs + 1);
  if (has_outputs) {
    const int source = ::fcntl(from.outputs, F_DUPFD_CLOEXEC, kOutputs + 1);
    if (source < 0 || ::dup3(source, kOutputs, O_CLOEXEC) < 0) give_up("ontime-runner: cannot place its descriptors");
  }
  // Not for programs the application starts.
  if (socket < 0 || ::dup3(socket, kSocket, O_CLOEXEC) < 0) give_up("ontime-runner: cannot place its descriptors");
  ::close_range(static_cast<unsigned>(has_outputs ? kOutputs : kSocket) + 1, UINT_MAX, 0);
}

}  // namespace

pid_t fork_process(const std::function<void()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) body();
  return pid;
}

void become_runner(const RunnerInheritance& inherited, pid_t launcher, const Confinement& confinement,
                   const app::Keeper& keeper) {
  ::setpgid(0, 0);
  die_with(launcher);
  reset_signals();
  ProgressBlock* const block = map_block(inherited.progress_block);
  const int output_socket = inherited.outputs >= 0 ? kOutputs : -1;
  place_descriptors(inherited);
  if (block == nullptr) {
    std::fprintf(stderr, "ontime-runner: the worker is of another build; stop it and start it again\n");
    ::_exit(1);
  }
  if (Status confined = confine(confinement); !confined) {
    std::fprintf(stderr, "ontime-runner: %s\n", confined.error().message.c_str());
    ::_exit(1);
  }
  die_with(launcher);
  int status = 1;
  {
    RunnerChannel channel{Descriptor(kSocket)};
    status = RunLoop(channel, *block, RecordReader::kBlockBytes, steady_run_clock(),
                     {confinement.limits, output_socket, keeper})
                 .serve();
  }
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace ontime::worker
