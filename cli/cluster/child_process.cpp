#include "cli/cluster/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace ontime::cli {
namespace {

constexpr std::streamoff kTailBytes = 8192;

// What the child's descriptors shall be, in the form posix_spawn wants.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void prepare(const ChildProgram& program) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, program.log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    int first_to_close = kInheritedDescriptor;
    if (program.inherited_descriptor) {
      posix_spawn_file_actions_adddup2(&actions_, *program.inherited_descriptor, kInheritedDescriptor);
      ++first_to_close;
    }
    posix_spawn_file_actions_addclosefrom_np(&actions_, first_to_close);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// Its own process group, no blocked signals, default reactions.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (auto& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  auto merged = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('=') + 1);
    const bool is_changed = std::any_of(changes.begin(), changes.end(),
                                        [&](const std::string& change) { return change.starts_with(name); });
    if (!is_changed) merged.emplace_back(text);
  }
  return merged;
}

}  // namespace

Result<pid_t> start(const ChildProgram& program) {
  FileActions actions;
  actions.prepare(program);
  const Attributes attributes;
  std::vector<std::string> words{program.path};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  auto environment = environment_with(program.environment);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.path.c_str(), actions.get(), attributes.get(), pointers_to(words).data(),
                                pointers_to(environment).data());
  if (error != 0) return failed("cannot start " + program.name + " (" + program.path + "): " + std::strerror(error));
  return pid;
}

Result<std::string> sibling_program(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return failed("cannot find out where this program lies: " + error.message());
  const auto path = (self.parent_path() / name).string();
  if (access(path.c_str(), X_OK) != 0)
    return failed("the program '" + path + "' is missing; it belongs beside 'ontime': build or install it");
  return path;
}

std::string describe_wait_status(int wait_status) {
  if (WIFEXITED(wait_status)) return "exited with code " + std::to_string(WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

std::string last_line_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTailBytes));
  std::string line;
  std::string last;
  while (std::getline(file, line))
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return last;
}

}  // namespace ontime::cli
