#include "common/base/parent_process.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace ontime {

bool die_with_parent(pid_t parent) { return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent; }

}  // namespace ontime
