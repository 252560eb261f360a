#pragma once
// One load campaign from start to end: fills a real master with jobs, workers and clients, measures it, kills it,
// starts it again, and lets all jobs come to their end. Prints what it measures.

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "cli/client/master_client.h"
#include "tests/load/client_crowd.h"
#include "tests/load/failures.h"
#include "tests/load/measured_master.h"
#include "tests/load/options.h"
#include "tests/load/roofline.h"
#include "tests/load/worker_crowd.h"

namespace ontime::load {

class Campaign {
 public:
  explicit Campaign(Options options);

  // False if an answer was wrong or lost.
  bool run();

 private:
  void submit_large();
  void submit_jobs();
  void enlist_workers();
  void measure_clients(const std::string& when);
  void measure_accounts();
  void measure_with_stuck_peers();
  void finish_tasks();
  Work work();
  void restart();
  void finish_jobs();
  void look_at_outputs();

  wire::JobSpec spec(const std::string& input, std::uint64_t split_bytes, const std::string& output) const;
  void submit_some(std::uint32_t from, std::uint32_t to);
  std::string output_of(std::uint32_t job) const;
  std::string check_list(const wire::Reply& reply) const;
  void check_large(std::uint64_t at_least);
  void check_all_known();
  void time_program();
  std::uint32_t jobs_known() const { return options_.jobs + (options_.tasks > 0 ? 1 : 0); }
  cli::MasterClient client() const;
  void begin(const std::string& phase);
  template <class Holds, class Tell>
  void until(const std::string& what, Holds holds, Tell tell);

  const Options options_;
  Failures failures_;
  MeasuredMaster master_;
  std::uint32_t large_ = 0;  // its number
  Usage before_;             // the phase that is under way
  std::chrono::steady_clock::time_point begun_;
  std::unique_ptr<WorkerCrowd> workers_;
  std::unique_ptr<ClientCrowd> clients_;
};

}  // namespace ontime::load
