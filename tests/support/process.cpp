#include "tests/support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

extern char** environ;

// No test leaves files in the home of the user who runs it.
[[maybe_unused]] static const int is_without_cache = ::setenv("ONTIME_CACHE_DIR", "", 0);

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::vector<std::string> merged(const Environment& environment) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!environment.contains(text.substr(0, text.find('=')))) entries.push_back(text);
  }
  for (const auto& [name, value] : environment) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int decoded(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// What /proc says of a process; nothing if it is gone, also in the middle of reading.
std::string proc_stat(pid_t pid) {
  char text[1024];
  const int file = ::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "";
}

// Name and parent of a process; parent 0 if it is gone.
std::pair<std::string, pid_t> identity(pid_t pid) {
  const std::string stat = proc_stat(pid);
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return {"", 0};
  std::istringstream rest(stat.substr(close + 1));
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  if (state == 'Z') return {"", 0};
  return {stat.substr(open + 1, close - open - 1), parent};
}

bool descends(pid_t pid, pid_t ancestor) {
  for (pid_t at = identity(pid).second; at > 1; at = identity(at).second) {
    if (at == ancestor) return true;
  }
  return false;
}

}  // namespace

Process::Process(const Arguments& arguments, const std::string& log, const Environment& environment) : log_(log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, (log + ".out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, (log + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const std::vector<std::string> entries = merged(environment);
  const int error = posix_spawnp(&pid_, arguments.front().c_str(), &actions, nullptr, pointers(arguments).data(),
                                 pointers(entries).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    std::fprintf(stderr, "cannot start %s\n", arguments.front().c_str());
    std::abort();
  }
}

Process::~Process() { kill(); }

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  kill();
  pid_ = std::exchange(other.pid_, 0);
  status_ = other.status_;
  log_ = other.log_;
  return *this;
}

bool Process::is_running() {
  if (pid_ == 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  status_ = decoded(status);
  pid_ = 0;
  return false;
}

void Process::signal(int number) {
  if (pid_ != 0) ::kill(pid_, number);
}

void Process::kill() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  status_ = decoded(status);
  pid_ = 0;
}

Finished Process::wait() {
  const auto limit = std::chrono::steady_clock::now() + 120s;
  while (is_running()) {
    if (std::chrono::steady_clock::now() > limit) {
      std::fprintf(stderr, "process %d does not end; its stderr:\n%s\n", pid_, read_file(log_ + ".err").c_str());
      std::abort();
    }
    std::this_thread::sleep_for(1ms);
  }
  return output();
}

Finished Process::output() const { return {status_, read_file(log_ + ".out"), read_file(log_ + ".err")}; }

Finished run(const Arguments& arguments, const Environment& environment) {
  const TemporaryDirectory directory;
  return Process(arguments, directory / "process", environment).wait();
}

Finished shell(const std::string& command) { return run({"/bin/sh", "-c", command}); }

bool eventually(const std::function<bool()>& holds) {
  using Clock = std::chrono::steady_clock;
  const auto limit = Clock::now() + 4min;
  for (;;) {
    const auto begin = Clock::now();
    if (holds()) return true;
    const auto end = Clock::now();
    if (end > limit) return false;
    // A look may start a program, which others would have to wait for; and what is looked for may not last.
    std::this_thread::sleep_for(std::clamp<Clock::duration>(end - begin, 2ms, 50ms));
  }
}

std::vector<pid_t> descendants(pid_t ancestor, const std::string& name) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid > 1 && identity(pid).first == name.substr(0, 15) && descends(pid, ancestor)) found.push_back(pid);
  }
  return found;
}

std::size_t open_descriptors(pid_t pid) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) ++count;
  return count;
}

}  // namespace ontime::test
