#pragma once
// Wall and processor time of this process, for programs that are compared with each other.

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace ontime::benchmarks {

// User and system time of all threads of this process, in seconds.
inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Stopwatch {
 public:
  double wall() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_begin_).count(); }
  double cpu() const { return cpu_seconds() - cpu_begin_; }

  // One line on stderr, for people and scripts.
  void print(std::uint64_t bytes) const {
    const double seconds = wall();
    std::fprintf(stderr, "wall %.4f cpu %.4f MB/s %.0f\n", seconds, cpu(), static_cast<double>(bytes) * 1e-6 / seconds);
  }

 private:
  std::chrono::steady_clock::time_point wall_begin_ = std::chrono::steady_clock::now();
  double cpu_begin_ = cpu_seconds();
};

}  // namespace ontime::benchmarks
