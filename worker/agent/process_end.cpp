#include "worker/agent/process_end.h"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace ontime::worker {

std::string describe_process_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    const char* name = sigdescr_np(signal);
    std::string text = "was killed by signal " + std::to_string(signal);
    if (name != nullptr) text += " (" + std::string(name) + ")";
    if (signal == SIGKILL) text += ", not by this worker; perhaps the machine ran out of memory (see dmesg)";
    return text;
  }
  const int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : wait_status;
  if (code == 0) return "exited without finishing; the application must not end the process itself";
  return "exited with status " + std::to_string(code) + " before it had finished";
}

}  // namespace ontime::worker
