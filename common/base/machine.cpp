#include "common/base/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <string_view>
#include <thread>

#include "common/base/descriptor.h"
#include "common/base/units.h"

namespace ontime {
namespace {

// Its words, up to two; "" for what is not there.
std::pair<std::string, std::string> words_in(const std::string& path) {
  std::pair<std::string, std::string> words;
  std::ifstream(path) >> words.first >> words.second;
  return words;
}

void limit_memory(MachineShare& share, const std::string& limit, const std::string& group) {
  const auto bytes = number_in<std::uint64_t>(limit);
  if (!bytes || *bytes >= share.memory_bytes) return;
  share.memory_bytes = *bytes;
  share.memory_group = group;
}

// So many microseconds of each period; "max" and -1 are no numbers above 0.
void limit_cores(MachineShare& share, const std::string& quota, const std::string& period, const std::string& group) {
  const auto used = number_in<double>(quota);
  const auto of = number_in<double>(period);
  if (!used || !of || *used <= 0 || *of <= 0 || *used / *of >= share.cores) return;
  share.cores = static_cast<std::uint32_t>(std::max(std::ceil(*used / *of), 1.0));
  share.cores_group = group;
}

// The group and all above it. A container sees its own group as the topmost, and may be told another name of it.
void for_each_group(const std::string& mounted, std::string group,
                    const std::function<void(const std::string& directory)>& look) {
  while (true) {
    look(mounted + group);
    if (group.empty()) return;
    group.resize(group.rfind('/') == group.npos ? 0 : group.rfind('/'));
  }
}

bool has_controller(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == wanted) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

MachineShare within_groups(MachineShare share, const std::string& groups, const std::string& mounted) {
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // NUMBER:CONTROLLERS:/GROUP
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      for_each_group(mounted, group, [&](const std::string& directory) {
        const auto [quota, period] = words_in(directory + "/cpu.max");
        limit_cores(share, quota, period, directory);
        limit_memory(share, words_in(directory + "/memory.max").first, directory);
      });
    }
    if (has_controller(controllers, "cpu")) {
      for_each_group(mounted + "/cpu", group, [&](const std::string& directory) {
        limit_cores(share, words_in(directory + "/cpu.cfs_quota_us").first,
                    words_in(directory + "/cpu.cfs_period_us").first, directory);
      });
    }
    if (has_controller(controllers, "memory")) {
      for_each_group(mounted + "/memory", group, [&](const std::string& directory) {
        limit_memory(share, words_in(directory + "/memory.limit_in_bytes").first, directory);
      });
    }
  }
  return share;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

Status allow_open_files() {
  constexpr std::uint64_t kLeast = 32;
  const std::uint64_t most = raise_descriptor_limit(kLeast);
  if (most >= kLeast) return {};
  return bad_input("A process may have " + std::to_string(most) + " files open here, and Ontime needs " +
                   std::to_string(kLeast) + "; allow more, such as with 'ulimit -n 1024'.");
}

MachineShare machine_share() {
  MachineShare share{
      std::max(1u, std::thread::hardware_concurrency()),
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)),
      {},
      {}};
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    share.cores = static_cast<std::uint32_t>(CPU_COUNT(&allowed));
  return within_groups(share, "/proc/self/cgroup", "/sys/fs/cgroup");
}

}  // namespace ontime
