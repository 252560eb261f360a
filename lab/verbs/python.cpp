#include "lab/verbs/python.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "cli/cluster/interrupt.h"
#include "common/base/environment.h"
#include "common/base/python.h"

namespace ontime::lab {
namespace {

constexpr std::chrono::milliseconds kLook{10};
constexpr int kLacksPackages = 69;  // python/ontime/lab/__main__.py ends so

// The exit status; kLacksPackages if there is no such program.
int run_to_end(std::vector<std::string> words) {
  const std::vector<char*> pointers = pointers_to(words);
  std::vector<std::string> environment = environment_with(python_environment());
  pid_t child = 0;
  if (posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), pointers_to(environment).data()) != 0)
    return kLacksPackages;
  int status = 0;
  // An interrupt is for the child too, which it does not reach if it was sent to this process alone.
  for (bool is_told = false; waitpid(child, &status, WNOHANG) == 0;) {
    if (cli::interrupts() > 0 && !std::exchange(is_told, true)) kill(child, SIGTERM);
    std::this_thread::sleep_for(kLook);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

Result<cli::ExitCode> run_python(const std::vector<std::string>& arguments) {
  std::fflush(stdout);
  for (const std::string& interpreter : python_interpreters()) {
    std::vector<std::string> words{interpreter, "-B", "-m", "ontime.lab"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const int status = run_to_end(std::move(words));
    if (status == kLacksPackages || status == 127) continue;
    return status == 0 ? cli::ExitCode::Done : status == 2 ? cli::ExitCode::BadUsage : cli::ExitCode::Failed;
  }
  return failed(
      "tables, figures and pages need Python 3.11 with pandas, SciPy, Matplotlib and PyYAML (Debian: python3-pandas "
      "python3-scipy python3-matplotlib python3-yaml), or $ONTIME_PYTHON, which names one that has them");
}

}  // namespace ontime::lab
