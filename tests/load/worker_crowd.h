#pragma once
// Many simulated workers on one thread.

#include <cstdint>
#include <memory>
#include <vector>

#include "common/net/endpoint.h"
#include "tests/load/event_thread.h"
#include "tests/load/simulated_worker.h"

namespace ontime::load {

struct CrowdCounts {
  std::uint64_t welcomed = 0;  // by the present master
  std::uint64_t launches = 0;
  std::uint64_t reports = 0;
  std::uint64_t fenced = 0;
  std::uint64_t tasks_done = 0;
};

class WorkerCrowd {
 public:
  WorkerCrowd(net::Endpoint master, std::uint32_t workers, std::uint32_t slots, Failures& failures);
  ~WorkerCrowd();

  void start();
  void set_attempt_time(Duration time);
  void expect_new_master();  // from here on only the welcomes of the next one count
  CrowdCounts counts();
  bool is_quiet();                              // every report is acknowledged
  std::uint64_t tasks_done(std::uint32_t job);  // tasks of it that some worker has sealed to the end

 private:
  Failures& failures_;
  EventThread thread_;
  Crowd crowd_;  // of the thread
  std::vector<std::unique_ptr<SimulatedWorker>> workers_;
};

}  // namespace ontime::load
