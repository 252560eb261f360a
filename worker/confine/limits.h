#pragma once
// What the processes of an attempt may use, and how an attempt that used it up says so. Zero: no limit.

#include <cstdint>
#include <string>

#include "common/base/result.h"

namespace ontime::worker {

struct AttemptLimits {
  std::uint64_t memory_bytes = 0;  // RLIMIT_DATA of each process: what is allocated, not what is mapped from files
  std::uint64_t files = 0;         // RLIMIT_NOFILE: open at a time, in each process
  std::uint64_t processes = 0;     // RLIMIT_NPROC: of its user, on the whole machine, threads too; does not bind root
  std::uint64_t cpu_seconds = 0;   // RLIMIT_CPU of each process

  bool operator==(const AttemptLimits&) const = default;
};

// Limits this process and those that it starts from now on; no core dumps in any case. Failed if the system refuses.
Status apply(const AttemptLimits& limits);

// The rest of a sentence about a failure: "; it had all 64 files open that --attempt-files allows". Looks at what this
// process can still get, and at the words of the failure. Empty if no limit seems to be behind it.
std::string used_up(const AttemptLimits& limits, const std::string& failure);
// The same of memory, for one that could not get any.
std::string used_up_memory(const AttemptLimits& limits);
// The same from outside, of a process that ended with this status (of waitpid).
std::string used_up_by(int wait_status, const AttemptLimits& limits);

}  // namespace ontime::worker
