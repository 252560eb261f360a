#pragma once
// A real ontime-master as a process, and what it takes of the machine.

#include <cstdint>
#include <string>

#include "common/net/endpoint.h"
#include "tests/load/options.h"
#include "tests/support/process.h"

namespace ontime::load {

// What a process takes, as /proc says.
struct Usage {
  std::uint64_t resident_bytes = 0;
  double cpu_seconds = 0;
  std::uint64_t voluntary_switches = 0;
  std::size_t descriptors = 0;
};
Usage usage_of(pid_t pid);
std::uint64_t bytes_below(const std::string& directory);  // of all files in it

class MeasuredMaster {
 public:
  explicit MeasuredMaster(const Options& options);

  // Returns when it listens. Throws std::runtime_error if it ends instead.
  void start();
  void kill() { process_.kill(); }
  void signal(int number) { process_.signal(number); }
  int stop();  // SIGTERM; its exit code

  net::Endpoint endpoint() const { return {"127.0.0.1", port_}; }
  pid_t pid() const { return process_.pid(); }
  Usage usage() const { return usage_of(process_.pid()); }
  std::uint64_t journal_bytes() const;  // without its recordings
  std::uint64_t recording_bytes() const;

 private:
  const Options options_;
  test::Process process_;
  std::uint16_t port_ = 0;
  int starts_ = 0;
};

}  // namespace ontime::load
