#pragma once
// A few simulated machines, and processes that a test writes as functions. What they call is the system's API.

#include <functional>
#include <string>
#include <utility>

#include "tests/machines/disk.h"
#include "tests/machines/network.h"
#include "tests/machines/process.h"

namespace ontime::lab::machines::test {

class SmallCluster {
 public:
  explicit SmallCluster(std::uint64_t seed = 1) : cluster(seed, from_unix_ns(1'790'000'000'000'000'000)) {}

  // Runs on `machine` until it returns; the others go on meanwhile.
  void run(Machine& machine, std::function<void()> body) {
    const pid_t id = start(machine, std::move(body));
    while (is_alive(id) && cluster.world.step()) {
    }
  }
  pid_t start(Machine& machine, std::function<void()> body) {
    return cluster
        .start(machine, "test",
               [body = std::move(body)] {
                 body();
                 return 0;
               })
        .id();
  }
  bool is_alive(pid_t id) {
    const Process* const process = cluster.process(id);
    return process != nullptr && !process->is_over();
  }
  void pass(Duration time) {
    const TimePoint until = cluster.world.now() + time;
    bool is_over = false;
    cluster.world.at(until, [&is_over] { is_over = true; });
    while (!is_over && cluster.world.step()) {
    }
  }

  Cluster cluster;
  Machine& one = cluster.add_machine("one");
  Machine& other = cluster.add_machine("other");
};

}  // namespace ontime::lab::machines::test
