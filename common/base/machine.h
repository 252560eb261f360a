#pragma once
// What of this machine a process may use: containers, batch systems and taskset leave it less than there is.

#include <cstdint>
#include <string>

#include "common/base/result.h"

namespace ontime {

struct MachineShare {
  std::uint32_t cores = 1;  // a part of one counts as one
  std::uint64_t memory_bytes = 0;
  std::string cores_group{};   // the directory of the control group that allows fewer than there are; empty: none does
  std::string memory_group{};  // the same of memory
};

// By the processors it may run on, the memory that is there, and the limits of its control group and those above.
MachineShare machine_share();

// As this machine calls itself; "localhost" if it does not.
std::string host_name();

// Lets this process have as many open files as a master or a worker needs. BadInput if it may not: it would fail in the
// middle of a job.
Status allow_open_files();

// `share` within the limits of control groups, version 2 and 1. `groups`: the file that names those of a process;
// `mounted`: the directory where they are mounted.
MachineShare within_groups(MachineShare share, const std::string& groups, const std::string& mounted);

}  // namespace ontime
