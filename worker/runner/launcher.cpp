#include "worker/runner/launcher.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "common/base/kill_point.h"

namespace ontime::worker {
namespace {

// At the end, for those that were killed. Less than the worker's patience (launcher_start.cpp).
constexpr std::chrono::milliseconds kLastWait{500};
constexpr std::size_t kOrderBytesMax = 16u << 10;

// Signals that are read from a descriptor instead of interrupting. A key press in the terminal (SIGINT) is the worker's
// affair: the launcher ends when the worker does.
Descriptor open_signals() {
  for (const int signal : {SIGINT, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  return Descriptor(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Takes all pending signals; true if one asks the launcher to end.
bool drain(int signals) {
  bool has_to_end = false;
  signalfd_siginfo signal{};
  while (::read(signals, &signal, sizeof(signal)) == static_cast<ssize_t>(sizeof(signal))) {
    has_to_end |= signal.ssi_signo == SIGTERM;
  }
  return has_to_end;
}

// Fills protobuf's tables and the allocator's first pages here, not in every runner.
void touch_messages() {
  wire::ToRunner order;
  order.mutable_setup()->mutable_job()->mutable_spec()->add_parameters()->set_key("key");
  order.mutable_run()->mutable_launch()->mutable_file()->set_path("path");
  std::string bytes = order.SerializeAsString();
  order.ParseFromString(bytes);
  wire::FromRunner report;
  report.mutable_sealed()->mutable_output()->add_counters()->set_name("name");
  bytes = report.SerializeAsString();
  report.ParseFromString(bytes);
}

}  // namespace

Launcher::Launcher(Descriptor socket, Confinement confinement, Fork fork)
    : worker_(std::move(socket), kOrderBytesMax),
      confinement_(std::move(confinement)),
      fork_(std::move(fork)),
      keeper_{::geteuid(), ::getegid()},
      openers_(files::Roots::of_resolved(confinement_.output_roots), fork_) {}

int Launcher::run() {
  // Reaps what attempts leave behind: a process that nobody reaps keeps its user from the next job.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Descriptor signals = open_signals();
  touch_messages();
  const Status status = signals ? serve(signals.get()) : failed("cannot watch for signals");
  if (!status) std::fprintf(stderr, "ontime-runner: %s\n", status.error().message.c_str());
  kill_all(signals.get());
  return status ? 0 : 1;
}

Status Launcher::serve(int signals) {
  for (;;) {
    pollfd watched[] = {{worker_.descriptor(), POLLIN, 0}, {signals, POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0 && errno != EINTR) return failed("cannot wait for the worker");
    if (watched[1].revents != 0) {
      if (drain(signals)) return {};
      if (auto reported = report_exits(); !reported) return {};  // the worker is gone
    }
    while (watched[0].revents != 0 || worker_.has_begun_next()) {
      watched[0].revents = 0;
      auto goes_on = obey_next();
      if (!goes_on) return std::move(goes_on).error();
      if (!*goes_on) return {};
    }
  }
}

Result<bool> Launcher::obey_next() {
  wire::ToLauncher order;
  auto came = worker_.receive(order);
  if (!came || !*came) return came;
  if (order.has_spawn()) {
    const std::vector<Descriptor> attached = worker_.take_attached(kAttachedMax);
    if (attached.size() != kAttachedMax) return failed("the worker sent an order without its three descriptors");
    return spawn(order.spawn(), attached);
  }
  if (order.has_open_output()) {
    open_output(order.open_output());
  } else if (order.has_sweep()) {
    sweep(order.sweep().user());
  } else {
    return failed("the worker sent an order that means nothing");
  }
  return true;
}

bool Launcher::spawn(const wire::ToLauncher::Spawn& order, const std::vector<Descriptor>& attached) {
  pass_kill_point("fork-before");
  Confinement confinement = confinement_;
  if (order.user() != 0) {
    confinement.run_as = identity_of(order.user());
    users_.insert(order.user());
  }
  // A runner of another user may not make files where outputs go.
  std::array<int, 2> outputs{-1, -1};
  const bool has_outputs =
      !confinement.run_as || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, outputs.data()) == 0;
  Descriptor ours(outputs[0]);
  Descriptor theirs(outputs[1]);
  const RunnerInheritance inherited{attached[0].get(), attached[1].get(), attached[2].get(), theirs.get()};
  const pid_t pid = has_outputs ? fork_([inherited, launcher = ::getpid(), confinement, keeper = keeper_] {
    become_runner(inherited, launcher, confinement, keeper);
  })
                                : -1;
  wire::FromLauncher message;
  wire::FromLauncher::Spawned& spawned = *message.mutable_spawned();
  spawned.set_runner(order.runner());
  if (pid > 0) {
    ::setpgid(pid, pid);  // as the child does: the first of both counts
    runners_.emplace(pid, order.runner());
    if (ours) outputs_.insert_or_assign(order.runner(), std::move(ours));
    spawned.set_pid(pid);
  } else {
    spawned.set_error(std::string("cannot fork: ") + std::strerror(errno));
  }
  pass_kill_point("fork-done");
  const bool is_told = worker_.send(message).has_value();
  pass_kill_point("fork-reported");
  return is_told;
}

// Nobody waits for one whose runner has ended.
void Launcher::open_output(const wire::ToLauncher::OpenOutput& order) {
  const auto runner = outputs_.find(order.runner());
  if (runner != outputs_.end()) openers_.open(order.runner(), runner->second.get(), order.path());
}

// A process that may signal the user's processes and no others signals all that it may. The kernel does so in one step,
// so that none escapes by forking. Waited for, as the next runner may have this user; nobody but root can hold it up.
void Launcher::sweep(uid_t user) {
  users_.erase(user);
  if (user == 0 || confinement_.sweeper == 0) return;
  const pid_t pid = fork_([user, sweeper = confinement_.sweeper] {
    if (become_sweeper_of(user, sweeper)) ::kill(-1, SIGKILL);
    ::_exit(0);
  });
  if (pid > 0) ::waitpid(pid, nullptr, 0);
}

// Before a runner is reaped, while its process id cannot be given to anyone else, the rest of its group is killed.
Status Launcher::report_exits() {
  for (;;) {
    siginfo_t exited{};
    if (::waitid(P_ALL, 0, &exited, WEXITED | WNOHANG | WNOWAIT) != 0 || exited.si_pid == 0) return {};
    const pid_t pid = exited.si_pid;
    ::kill(-pid, SIGKILL);
    int wait_status = 0;
    ::waitpid(pid, &wait_status, 0);
    if (openers_.on_exited(pid, wait_status)) continue;
    if (auto reported = report_exit(pid, wait_status); !reported) return reported;
  }
}

Status Launcher::report_exit(pid_t pid, int wait_status) {
  const auto runner = runners_.extract(pid);
  if (runner.empty()) return {};
  outputs_.erase(runner.mapped());
  openers_.leave(runner.mapped());
  pass_kill_point("exit-before-report");
  wire::FromLauncher message;
  message.mutable_exited()->set_runner(runner.mapped());
  message.mutable_exited()->set_wait_status(wait_status);
  if (auto sent = worker_.send(message); !sent) return sent;
  pass_kill_point("exit-reported");
  return {};
}

void Launcher::kill_all(int signals) {
  for (const auto& [pid, runner] : runners_) {
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);
  }
  openers_.kill_all();
  while (!users_.empty()) sweep(*users_.begin());
  const auto until = std::chrono::steady_clock::now() + kLastWait;
  while (!runners_.empty() || !openers_.empty()) {
    for (pid_t pid = 0; (pid = ::waitpid(-1, nullptr, WNOHANG)) > 0;) {
      if (!openers_.on_exited(pid, 0)) runners_.erase(pid);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left <= left.zero() || (runners_.empty() && openers_.empty())) return;
    pollfd ended{signals, POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(left.count()));
    drain(signals);
  }
}

}  // namespace ontime::worker
