#pragma once

#include <sys/types.h>

namespace ontime {

// From now on the kernel kills this process when `parent` ends. False if `parent` is not our parent any more: it ended
// before we asked, and nobody would tell us. Not to be guessed from a parent id of 1: process 1 of a container may well
// be a parent that lives.
bool die_with_parent(pid_t parent);

}  // namespace ontime
