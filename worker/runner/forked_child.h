#pragma once
// The first moments of any process that the launcher forks.

#include <sys/types.h>

namespace ontime::worker {

// From here on it is killed when `launcher` dies. Another user's process forgets this, so it has to come after that.
void die_with(pid_t launcher);
// As in a program that was just started: what the launcher ignores or reads from a descriptor works again.
void reset_signals();

}  // namespace ontime::worker
