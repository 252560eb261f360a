// bench_kernels PLAIN KEYED ROWS [PAIRS]: the map loops of the applications against the yardsticks, as ratios.
//
// PLAIN and KEYED are files of generate_text, the second with --keys, ROWS is one of `ontime gen weather`. Every
// application's mapper, loaded as a runner loads it, and its yardstick run in processes of their own, in turns, PAIRS
// times (default 5), and so does a program that only copies the file out of the page cache. Reported is the CPU time
// (user and system) of the three and the medians of the ratios of the pairs. Close to 1 is good; shares of a noisy
// machine move all alike.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/app/loaded_application.h"
#include "tests/benchmarks/mapper_run.h"

namespace {

using ontime::benchmarks::map_file;
using ontime::benchmarks::Settings;

constexpr std::uint64_t kSplit = 128 << 20;

std::string sibling(const std::string& name) {
  return (std::filesystem::canonical("/proc/self/exe").parent_path() / name).string();
}

// Seconds of CPU that a process needs for `work`.
double cpu_of(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    std::fputs("bench_kernels: a measured process failed\n", stderr);
    std::exit(1);
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int execute(const std::string& program, const std::string& file) {
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  execl(program.c_str(), program.c_str(), file.c_str(), nullptr);
  return 127;
}

// In blocks as large as a mapper's.
int copy(const std::string& file) {
  std::vector<char> buffer(128 * 1024);
  const int input = open(file.c_str(), O_RDONLY);
  ssize_t got = 1;
  while (got > 0) got = read(input, buffer.data(), buffer.size());
  close(input);
  return got == 0 ? 0 : 1;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const std::string& name, const std::string& file, int pairs, const Settings& settings = {}) {
  auto loaded = ontime::app::LoadedApplication::load(name, {ONTIME_APPS_DIRECTORY});
  if (!loaded) {
    std::fprintf(stderr, "bench_kernels: %s\n", loaded.error().message.c_str());
    std::exit(1);
  }
  copy(file);  // into the page cache
  const std::string yardstick = sibling("yardstick_" + name);
  std::vector<double> limits, kernels, copies, ratios, copy_shares;
  for (int i = 0; i < pairs; ++i) {
    limits.push_back(cpu_of([&] { return execute(yardstick, file); }));
    kernels.push_back(cpu_of([&] { return map_file(loaded->application(), file, kSplit, settings) > 0 ? 0 : 1; }));
    copies.push_back(cpu_of([&] { return copy(file); }));
    ratios.push_back(kernels.back() / limits.back());
    copy_shares.push_back(copies.back() / kernels.back());
  }
  const double megabytes = static_cast<double>(std::filesystem::file_size(file)) * 1e-6;
  std::printf("%-12s %8.0f %12.4f %12.4f %12.4f %10.0f %8.2f   %.2f to %.2f %12.2f\n", name.c_str(), megabytes,
              median(limits), median(copies), median(kernels), megabytes / median(kernels), median(ratios),
              *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()),
              median(copy_shares));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) {
    std::fputs("usage: bench_kernels PLAIN KEYED ROWS [PAIRS]\n", stderr);
    return 2;
  }
  const int pairs = argc == 5 ? std::max(1, std::atoi(argv[4])) : 5;
  std::printf("%-12s %8s %12s %12s %12s %10s %8s   %s %12s\n", "application", "MB", "yardstick s", "copy s", "mapper s",
              "MB/s CPU", "ratio", "of pairs    ", "of a copy");
  compare("wordcount", argv[1], pairs);
  compare("wordmean", argv[1], pairs);
  compare("termvector", argv[2], pairs);
  compare("aggregate", argv[3], pairs, {{"separator", ";"}, {"by", "1"}, {"take", "count,min(2),mean(2),max(2)"}});
}
