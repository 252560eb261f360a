#pragma once
// Ctrl-C (and SIGTERM, SIGHUP): the first one asks for an orderly end, the second for an end at once, the third ends
// the process where it stands. Process-wide; install once, from the main thread.

#include "common/base/result.h"

namespace ontime::cli {

void install_interrupt_handlers();
// How many have arrived so far.
int interrupts();
// An error once interrupts() is larger than `seen`: for MasterClient::Options::watch.
Status check_interrupts(int seen = 0);

}  // namespace ontime::cli
