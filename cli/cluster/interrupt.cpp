#include "cli/cluster/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "cli/command.h"

namespace ontime::cli {
namespace {

std::atomic<int> count{0};
static_assert(std::atomic<int>::is_always_lock_free, "the signal handler adds to it");

void on_interrupt(int) {
  if (count.fetch_add(1) + 1 >= 3) _exit(static_cast<int>(ExitCode::Interrupted));
}

}  // namespace

void install_interrupt_handlers() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup stays in force
  }
}

int interrupts() { return count.load(); }

Status check_interrupts(int seen) {
  if (interrupts() > seen) return failed("interrupted");
  return {};
}

}  // namespace ontime::cli
