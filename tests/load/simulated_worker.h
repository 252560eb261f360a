#pragma once
// A worker without processes: the agent's own connection to the master and its own log of reports, and attempts that
// only pretend. They map at an even pace, answer cuts, seal what they hold when they come to its end, and leave an
// empty output file where the master is to find one. On one thread.

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "tests/load/failures.h"
#include "worker/agent/session/master_link.h"
#include "worker/agent/session/report_log.h"

namespace ontime::load {

// Shared by all workers of a crowd, and used on their thread.
struct Crowd {
  Failures& failures;
  Duration attempt_time{0};      // for a whole split; 0: at once
  std::uint64_t generation = 1;  // of masters: how many there have been
  std::uint64_t welcomed = 0;    // workers that this master has welcomed
  std::uint64_t launches = 0;    // orders
  std::uint64_t reports = 0;
  std::uint64_t fenced = 0;                           // attempts that a master did not want any more
  std::map<std::uint32_t, std::vector<bool>> done{};  // by job: tasks that were sealed to their end
  std::uint64_t tasks_done = 0;
};

class SimulatedWorker final : public worker::OrderTaker {
 public:
  SimulatedWorker(asio::any_io_executor executor, worker::MasterLink::Options options, Crowd& crowd);

  void start();
  bool is_quiet() const { return reports_.unacknowledged().empty(); }
  void hurry();  // the crowd's pace has changed

  Status begin_session(const wire::ToWorker::Welcome& welcome) override;
  Status obey(const wire::Order& order) override;
  void add_progress(google::protobuf::RepeatedPtrField<wire::AttemptProgress>& to) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    ByteRange held;
    std::uint64_t split_bytes = 0;
    std::uint64_t from = 0;  // where it was at `since`
    Clock::time_point since;
    std::string output;  // file; empty: nobody will look for it
    bool standby = false;
  };

  void launch(const wire::Order::Launch& launch);
  void begin(const wire::Order::Begin& begin);
  void cut(const wire::Order::Cut& cut);
  void seal(AttemptId id, const Running& running, ByteRange range);
  void report(wire::Report report);
  void finish_due();
  void arm();
  Duration left(const Running& running) const;
  std::uint64_t position(const Running& running) const;

  Crowd& crowd_;
  worker::ReportLog reports_;
  worker::MasterLink link_;
  asio::any_io_executor executor_;
  asio::steady_timer due_;                // when the next attempt comes to its end
  std::map<JobId, std::string> outputs_;  // directories of jobs that were set up; empty: nobody will look there
  std::map<AttemptId, Running> attempts_;
  std::uint64_t generation_ = 0;  // of the master that has welcomed it last
};

}  // namespace ontime::load
