#pragma once
// What a master knows of a job that has ended and the journal does not say: how far attempts had come and when they
// began, why nothing was done for tasks, forecasts, nodes that were held back, and what attempts have written. It is
// kept in a file beside the journal for the masters to come (HistoryStore), which read it when a client asks. A thread
// of its own packs, writes and reads. What cannot be kept or read is missing, and nothing else. Control thread only.

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/thread_pool.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "master/base/signal.h"
#include "master/history/history.pb.h"
#include "master/history/history_store.h"
#include "master/outputs/attempt_logs.h"
#include "scheduler/core/account.h"
#include "scheduler/core/cluster.h"

namespace ontime::history {

// A job as it was before the master's start. Immutable.
struct Recalled {
  explicit Recalled(const scheduler::Job& known) : job(known) {}

  scheduler::Job job;
  scheduler::JobAccount account;
  stored::JobHistory kept;  // but for what is in `job`
  master::AttemptLogs logs;
};

// Adds what only this master knows of it, apart from its attempts.
void describe(const scheduler::Job& job, JobId id, stored::JobHistory& kept);
void add_attempts(std::span<const scheduler::Task> tasks, stored::JobHistory& kept);
// The reverse of both. False if that is another job's.
bool restore(Recalled& job, stored::JobHistory kept);

class JobHistory {
 public:
  using Pointer = std::shared_ptr<const Recalled>;

  struct Place {
    std::string directory;        // made if missing; the one above it exists
    std::uint64_t bytes_max = 0;  // 0: nothing is kept
  };
  // The cluster outlives it.
  JobHistory(asio::any_io_executor control, const scheduler::Cluster& cluster, Place place);
  ~JobHistory();  // what was kept is written then

  // Once, after the journal was read: only these jobs can be recalled.
  void start();
  bool is_on() const { return bytes_max_ > 0; }
  // Of a job that has ended: what clients are told of it, which the rest is added to. Replaces what was kept before.
  void keep(JobId id, stored::JobHistory kept);
  void forget(JobId id);

  // The job as the last master knew it. Null if this one knows as much, or nothing was kept.
  asio::awaitable<Pointer> recall(JobId id);

  static constexpr std::size_t kRecalled = 4;   // jobs, those that were asked for last
  static constexpr std::size_t kWaiting = 256;  // that wait to be written

 private:
  static constexpr const char* kNothingKept = "nothing was kept";

  Pointer recalled(JobId id) const;
  void read(JobId id, const scheduler::Job& job);
  std::string fill(JobId id, Recalled& wanted);  // on the thread
  void answer(JobId id, Pointer job, const std::string& problem);

  const asio::any_io_executor control_;
  const scheduler::Cluster& cluster_;
  const std::uint64_t bytes_max_;
  std::set<JobId> ended_before_;                   // this master's start, and may have been kept
  std::list<std::pair<JobId, Pointer>> recalled_;  // the one that was read last at the end
  std::map<JobId, std::shared_ptr<master::Signal>> being_read_;
  const std::shared_ptr<std::atomic<std::size_t>> waiting_ = std::make_shared<std::atomic<std::size_t>>(0);
  HistoryStore store_;  // of the thread
  asio::thread_pool thread_{1};
};

}  // namespace ontime::history
