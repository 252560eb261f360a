#include "lab/verbs/python.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "cli/cluster/interrupt.h"
#include "common/base/program_path.h"

namespace ontime::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLook{10};
constexpr int kLacksPackages = 69;  // python/ontime/lab/__main__.py ends so

// Beside the programs: in a build a link to the sources.
std::string package_folder() {
  const fs::path folder = program_path().parent_path();
  std::error_code error;
  for (const fs::path& prefix : {folder.parent_path(), folder.parent_path().parent_path()}) {
    const fs::path found = prefix / "share" / "ontime" / "python";
    if (fs::exists(found, error)) return found.string();
  }
  return {};
}

bool put_on_path(const std::string& folder) {
  const char* before = std::getenv("PYTHONPATH");
  return setenv("PYTHONPATH", (folder + (before == nullptr ? "" : ":" + std::string(before))).c_str(), 1) == 0;
}

std::vector<std::string> interpreters() {
  const char* chosen = std::getenv("ONTIME_PYTHON");
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  return {"python3", "/usr/bin/python3"};
}

// The exit status; kLacksPackages if there is no such program.
int run_to_end(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0) return kLacksPackages;
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
  static const bool is_on_path = put_on_path(package_folder());
  if (!is_on_path) return failed("cannot set $PYTHONPATH");
  std::fflush(stdout);
  for (const std::string& interpreter : interpreters()) {
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
