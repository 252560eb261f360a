#pragma once
// How a process ended, in words.

#include <string>

namespace ontime::worker {

// Completes "the attempt's process ...", from a status as waitpid gives it: "was killed by signal 11 (Segmentation
// fault)", "exited with status 3 before it had finished". A SIGKILL is taken for one that this worker did not send.
std::string describe_process_end(int wait_status);

}  // namespace ontime::worker
