// Processes, signals, users, chance.
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <utility>

#include "tests/machines/calls.h"
#include "tests/machines/watched.h"

namespace ontime::lab::machines {
namespace {

bool has_child(Thread& here, pid_t id) {
  for (const auto& [other, process] : here.process().machine().cluster().processes()) {
    if (process->parent == here.process().id() && !process->is_over() && (id <= 0 || id == other)) return true;
  }
  return false;
}

// One of those that have ended; null: none, and `error` says whether there is one that may yet.
const std::pair<const pid_t, int>* await_child(Thread& here, pid_t id, bool waits, int& error) {
  auto& ended = here.process().ended_children;
  for (;;) {
    const auto found = id > 0 ? ended.find(id) : ended.begin();
    if (found != ended.end()) return &*found;
    error = has_child(here, id) ? 0 : ECHILD;
    if (error != 0 || !waits) return nullptr;
    here.wait(here.process().children_changed);
  }
}

void fill_with_chance(Thread& here, void* to, std::size_t size) {
  auto* bytes = static_cast<unsigned char*>(to);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(here.world().random().next() >> 32);
}

long make_process_file(Thread& here, pid_t id) {
  Cluster& cluster = here.process().machine().cluster();
  const Process* const process = cluster.process(id);
  const bool is_known = (process != nullptr && !process->is_over()) || here.process().ended_children.contains(id);
  if (!is_known) return given<long>(-ESRCH);
  return here.process().add(std::make_shared<ProcessFile>(cluster, id), true);
}

}  // namespace
}  // namespace ontime::lab::machines

using namespace ontime;                 // NOLINT: what follows has the C library's names
using namespace ontime::lab::machines;  // NOLINT

ONTIME_CALL(void, _exit, int status) {
  if (Thread* const here = caller()) here->process().exit(status);
  ONTIME_REAL(_exit)(status);
}

ONTIME_CALL(void, _Exit, int status) {
  if (Thread* const here = caller()) here->process().exit(status);
  ONTIME_REAL(_Exit)(status);
}

ONTIME_CALL(void, abort, void) {
  if (Thread* const here = caller()) {
    std::string& broken = here->process().machine().cluster().broken;
    if (broken.empty()) broken = here->process().name() + " calls abort()";
    here->process().kill(SIGABRT);
  }
  ONTIME_REAL(abort)();
}

ONTIME_SIMULATE(int, kill, (id, signal), pid_t id, int signal) {
  here.process().machine().cluster().send_signal(id, signal);
  return 0;
}

ONTIME_SIMULATE(pid_t, waitpid, (id, status, options), pid_t id, int* status, int options) {
  int error = 0;
  const auto* const child = await_child(here, id, (options & WNOHANG) == 0, error);
  if (child == nullptr) return error == 0 ? 0 : given(-error);
  const auto [ended, how] = *child;
  if (status != nullptr) *status = how;
  here.process().ended_children.erase(ended);
  return ended;
}

ONTIME_SIMULATE(int, waitid, (type, id, info, options), idtype_t type, id_t id, siginfo_t* info, int options) {
  int error = 0;
  const auto* const child =
      await_child(here, type == P_ALL ? -1 : static_cast<pid_t>(id), (options & WNOHANG) == 0, error);
  info->si_pid = 0;
  if (child == nullptr) return given(-error);
  info->si_pid = child->first;
  info->si_signo = SIGCHLD;
  info->si_status = child->second;
  if ((options & WNOWAIT) == 0) here.process().ended_children.erase(child->first);
  return 0;
}

ONTIME_SIMULATE(pid_t, getpid, ()) { return here.process().id(); }
ONTIME_SIMULATE(pid_t, getppid, ()) { return here.process().parent; }

ONTIME_SIMULATE(int, setpgid, (id, group), pid_t id, pid_t group) {
  Process* const process = id == 0 ? &here.process() : here.process().machine().cluster().process(id);
  if (process == nullptr) return given(-ESRCH);
  process->group = group == 0 ? process->id() : group;
  return 0;
}

ONTIME_CALL(int, prctl, int option, ...) {
  va_list arguments;
  va_start(arguments, option);
  unsigned long values[4];
  for (unsigned long& value : values) value = va_arg(arguments, unsigned long);
  va_end(arguments);
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(prctl)(option, values[0], values[1], values[2], values[3]);
  if (option == PR_SET_PDEATHSIG) here->process().dies_with_parent = values[0] != 0;
  return 0;
}

// What a simulated process says of itself or limits must not bind the real one.
ONTIME_SIMULATE(int, setrlimit, (resource, limit), int resource, const rlimit* limit) { return 0; }
ONTIME_SIMULATE(mode_t, umask, (mask), mode_t mask) { return 022; }
ONTIME_SIMULATE(int, chdir, (path), const char* path) { return 0; }
ONTIME_SIMULATE(int, sigprocmask, (how, set, before), int how, const sigset_t* set, sigset_t* before) { return 0; }
ONTIME_SIMULATE(sighandler_t, signal, (number, handler), int number, sighandler_t handler) { return SIG_DFL; }

ONTIME_SIMULATE(int, gethostname, (to, size), char* to, std::size_t size) {
  std::strncpy(to, here.process().machine().name().c_str(), size);
  return 0;
}

ONTIME_SIMULATE(ssize_t, getrandom, (to, size, flags), void* to, std::size_t size, unsigned flags) {
  fill_with_chance(here, to, size);
  return static_cast<ssize_t>(size);
}

ONTIME_CALL(long, syscall, long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long values[6];
  for (long& value : values) value = va_arg(arguments, long);
  va_end(arguments);
  Thread* const here = World::here();
  if (here != nullptr && number == SYS_pidfd_open) return make_process_file(*here, static_cast<pid_t>(values[0]));
  return ONTIME_REAL(syscall)(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

// The C++ library's source of chance. Asking the processor what it has would be slow in a virtual machine.
void std::random_device::_M_init(const std::string&) { _M_file = nullptr; }
void std::random_device::_M_fini() {}
unsigned std::random_device::_M_getval() {
  Thread* const here = caller();
  if (here != nullptr) return static_cast<unsigned>(here->world().random().next() >> 32);
  unsigned value = 0;
  static_cast<void>(ONTIME_REAL(getrandom)(&value, sizeof value, 0));
  return value;
}
