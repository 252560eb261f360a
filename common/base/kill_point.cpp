#include "common/base/kill_point.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/base/units.h"

namespace ontime {
namespace {

// Never destroyed: threads may still pass points while the process ends.
std::string& file_to_make() {
  static std::string& path = *new std::string;
  return path;
}

std::atomic<std::uint64_t> passings_left{0};

[[noreturn]] void refuse(std::string_view setting) {
  std::fprintf(stderr,
               "ONTIME_KILL_AT is '%.*s' and has to be NAME:N:FILE, with a name from common/base/kill_point.h\n",
               static_cast<int>(setting.size()), setting.data());
  std::_Exit(2);
}

int index_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kKillPoints); ++i) {
    if (kKillPoints[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int arm() {
  const char* setting = std::getenv("ONTIME_KILL_AT");
  if (setting == nullptr || *setting == '\0') return -1;
  const std::string_view text = setting;
  const std::size_t first = text.find(':');
  const std::size_t second = first == text.npos ? text.npos : text.find(':', first + 1);
  if (second == text.npos) refuse(text);
  const auto passings = number_in<std::uint64_t>(text.substr(first + 1, second - first - 1));
  const int index = index_of(text.substr(0, first));
  if (index < 0 || passings.value_or(0) == 0 || second + 1 == text.size()) refuse(text);
  passings_left = *passings;
  file_to_make() = text.substr(second + 1);
  return index;
}

}  // namespace

const int armed_kill_point = arm();

void pass_armed_kill_point() {
  if (passings_left.fetch_sub(1) != 1) return;
  const int file = ::open(file_to_make().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return;
  const std::string who = std::to_string(::getpid()) + "\n";
  static_cast<void>(::write(file, who.data(), who.size()) < 0);
  ::prctl(PR_SET_DUMPABLE, 0);  // no core file
  std::abort();
}

}  // namespace ontime
