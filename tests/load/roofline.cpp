#include "tests/load/roofline.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

namespace ontime::load {
namespace {

using Clock = std::chrono::steady_clock;

double since_start(Clock::time_point at) { return std::chrono::duration<double>(at.time_since_epoch()).count(); }

double ticks(double count) { return count / static_cast<double>(::sysconf(_SC_CLK_TCK)); }

// User and system time as in /proc/PID/stat.
double cpu_of(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string field;
  double sum = 0;
  for (int number = 3; fields >> field && number <= 15; ++number)
    if (number >= 14) sum += std::strtod(field.c_str(), nullptr);
  return ticks(sum);
}

double own_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// All but what is idle or waits for a disk.
double machine_cpu() {
  std::ifstream file("/proc/stat");
  std::string name;
  std::array<double, 8> fields{};  // user nice system idle iowait irq softirq steal
  file >> name;
  for (double& field : fields) file >> field;
  double sum = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (i != 3 && i != 4) sum += fields[i];
  return ticks(sum);
}

}  // namespace

Work operator-(Work after, const Work& before) {
  after.wall -= before.wall;
  after.control_cpu -= before.control_cpu;
  after.master_cpu -= before.master_cpu;
  after.own_cpu -= before.own_cpu;
  after.machine_cpu -= before.machine_cpu;
  after.journal_busy -= before.journal_busy;
  after.batches -= before.batches;
  after.journal_bytes -= before.journal_bytes;
  return after;
}

Work work_until_now(int master) {
  const std::string process = "/proc/" + std::to_string(master);
  Work work;
  work.wall = since_start(Clock::now());
  work.control_cpu = cpu_of(process + "/task/" + std::to_string(master) + "/stat");
  work.master_cpu = cpu_of(process + "/stat");
  work.own_cpu = own_cpu();
  work.machine_cpu = machine_cpu();
  return work;
}

double syncs_per_second(const std::string& directory, std::uint64_t bytes) {
  constexpr int kMost = 1000;
  constexpr std::chrono::seconds kLength{2};
  const std::string path = directory + "/syncs";
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  const std::string batch(std::max<std::uint64_t>(1, bytes), 'x');
  const auto begin = Clock::now();
  int syncs = 0;
  while (syncs < kMost && Clock::now() - begin < kLength) {
    if (::write(file, batch.data(), batch.size()) < 0 || ::fdatasync(file) != 0) std::perror("fdatasync");
    ++syncs;
  }
  const double seconds = since_start(Clock::now()) - since_start(begin);
  ::close(file);
  ::unlink(path.c_str());
  return syncs / seconds;
}

std::string roofline_text(const Work& work, std::uint64_t tasks, double syncs_possible, unsigned cores) {
  const double wall = std::max(work.wall, 1e-9);
  const double each = 1e6 / static_cast<double>(std::max<std::uint64_t>(1, tasks));
  const double batches = std::max(1.0, static_cast<double>(work.batches));
  const double machine = 100 * work.machine_cpu / wall / cores;
  const std::array<std::pair<const char*, double>, 4> shares{{
      {"the master's thread that decides", 100 * work.control_cpu / wall},
      {"the way to the disk", 100 * work.journal_busy / wall},
      {"syncs, of those that the disk makes",
       100 * static_cast<double>(work.batches) / wall / std::max(syncs_possible, 1e-9)},
      {"the machine's cores", machine},
  }};
  std::array<char, 400> line{};
  std::snprintf(
      line.data(), line.size(),
      "   CPU a task: deciding %.1f us, the master's other threads %.1f us, the load's driver %.1f us; others "
      "took %.0f %% of the cores\n",
      each * work.control_cpu, each * (work.master_cpu - work.control_cpu), each * work.own_cpu,
      100 * (work.machine_cpu - work.master_cpu - work.own_cpu) / wall / cores);
  std::string text = line.data();
  std::snprintf(line.data(), line.size(),
                "   journal: %.0f syncs a second of %.1f KB each, %.2f MB a second; this disk makes %.0f such syncs\n",
                static_cast<double>(work.batches) / wall, static_cast<double>(work.journal_bytes) / batches / 1e3,
                static_cast<double>(work.journal_bytes) / wall / 1e6, syncs_possible);
  text += line.data();
  for (const auto& [name, share] : shares) {
    std::snprintf(line.data(), line.size(), "   %3.0f %% of %s\n", share, name);
    text += line.data();
  }
  const auto fullest = std::max_element(shares.begin(), shares.end(),
                                        [](const auto& one, const auto& other) { return one.second < other.second; });
  return text + "   nearest to full: " + fullest->first + "\n";
}

}  // namespace ontime::load
