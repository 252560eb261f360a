#include "lab/verbs/python.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "common/base/environment.h"
#include "common/base/python.h"

namespace ontime::lab {
namespace {

constexpr int kLacksPackages = 69;  // python/ontime/lab/__main__.py ends so

// The exit status; kLacksPackages if there is no such program.
int run_to_end(std::vector<std::string> words) {
  const std::vector<char*> pointers = pointers_to(words);
  pid_t child = 0;
  if (posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0) return kLacksPackages;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

Result<cli::ExitCode> run_python(const std::vector<std::string>& arguments) {
  static const bool is_on_path = setenv("PYTHONPATH", python_path().c_str(), 1) == 0;
  if (!is_on_path) return failed("cannot set $PYTHONPATH");
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
