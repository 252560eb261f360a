#include "common/base/machine_use.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "common/base/units.h"

namespace ontime {
namespace {

// The number behind a word at the begin of a line: "inactive_file 4096", "MemTotal: 16 kB".
std::optional<std::uint64_t> number_behind(const std::string& path, std::string_view word) {
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first == word) return number_in<std::uint64_t>(second);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_of(const std::string& path) {
  std::string word;
  std::ifstream(path) >> word;
  return number_in<std::uint64_t>(word);
}

// Since the start of the machine, of the processors that this process may run on.
std::optional<double> busy_seconds_of_processors(const std::string& path) {
  cpu_set_t allowed;
  const bool is_known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  std::ifstream lines(path);
  std::optional<std::uint64_t> ticks;
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    std::uint64_t processor = 0, user = 0, nice = 0, system = 0, idle = 0, waits = 0, irq = 0, softirq = 0, stolen = 0;
    if (line.starts_with("cpu ") ||
        !(words >> processor >> user >> nice >> system >> idle >> waits >> irq >> softirq >> stolen))
      continue;
    if (is_known && (processor >= CPU_SETSIZE || !CPU_ISSET(processor, &allowed))) continue;
    ticks = ticks.value_or(0) + user + nice + system + irq + softirq + stolen;
  }
  if (!ticks) return std::nullopt;
  return static_cast<double>(*ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

std::optional<double> MachineMeter::busy_seconds() const {
  if (share_.cores_group.empty()) return busy_seconds_of_processors(root_ + "/proc/stat");
  if (const auto micros = number_behind(share_.cores_group + "/cpu.stat", "usage_usec"))
    return static_cast<double>(*micros) / 1e6;
  if (const auto nanos = number_of(share_.cores_group + "/cpuacct.usage")) return static_cast<double>(*nanos) / 1e9;
  return std::nullopt;
}

std::optional<std::uint64_t> MachineMeter::used_bytes() const {
  const auto without = [](std::optional<std::uint64_t> all, std::optional<std::uint64_t> rest) {
    if (all) *all -= std::min(*all, rest.value_or(0));
    return all;
  };
  const std::string& group = share_.memory_group;
  if (group.empty()) {
    const std::string path = root_ + "/proc/meminfo";
    const auto kib = without(number_behind(path, "MemTotal:"), number_behind(path, "MemAvailable:"));
    return kib ? std::optional(*kib << 10) : std::nullopt;
  }
  const auto current = number_of(group + "/memory.current");
  if (current) return without(current, number_behind(group + "/memory.stat", "inactive_file"));
  return without(number_of(group + "/memory.usage_in_bytes"),
                 number_behind(group + "/memory.stat", "total_inactive_file"));
}

std::optional<MachineUse> MachineMeter::look(Clock::time_point now) {
  const auto busy = busy_seconds();
  const auto used = used_bytes();
  const auto before = std::exchange(busy_before_, busy);
  const double passed = std::chrono::duration<double>(now - std::exchange(looked_at_, now)).count();
  if (!busy || !used || !before || passed <= 0) return std::nullopt;
  return MachineUse{std::max(0.0, *busy - *before) / passed, share_.cores, *used, share_.memory_bytes};
}

}  // namespace ontime
