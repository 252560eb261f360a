#pragma once
// Wall time and memory of whole programs.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/process.h"

namespace ontime::test {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

inline double wall_of(const Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const Finished finished = run(arguments);
  if (finished.status != 0) std::fprintf(stderr, "%s: %s\n", arguments.front().c_str(), finished.err.c_str());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Highest resident size of any process called `name` below us, in MiB, sampled while a job runs.
class MemoryWatch {
 public:
  explicit MemoryWatch(std::string name)
      : name_(std::move(name)), thread_([this](std::stop_token stop) { watch(stop); }) {}
  double highest_mib() {
    thread_.request_stop();
    thread_.join();
    return highest_kib_ / 1024.0;
  }

 private:
  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (const pid_t pid : descendants(getpid(), name_)) sample(pid);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void sample(pid_t pid) {
    std::string status;
    try {
      status = read_file("/proc/" + std::to_string(pid) + "/status");
    } catch (const std::exception&) {  // it has ended meanwhile
    }
    const std::size_t at = status.find("VmHWM:");
    if (at != std::string::npos) highest_kib_ = std::max(highest_kib_, std::strtod(status.c_str() + at + 6, nullptr));
  }
  const std::string name_;
  double highest_kib_ = 0;
  std::jthread thread_;
};

}  // namespace ontime::test
