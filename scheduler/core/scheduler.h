#pragma once
// The decision core. Pure: it owns no socket, file, clock, random source or thread; the same state, event and time give
// the same step. The master drives it with real events, the simulator with simulated ones. Not thread-safe.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/time.h"
#include "scheduler/core/action.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/event.h"
#include "scheduler/core/history.h"
#include "scheduler/core/record.h"
#include "scheduler/core/resource_manager.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

struct Settings {
  Duration node_timeout = std::chrono::seconds(5);  // silence after which a node is lost
  Duration cut_timeout = std::chrono::seconds(3);   // see answer_limit
  Placement placement{};
  // For all jobs, whatever their policies say; none: each by its policy.
  std::optional<JobOrder> job_order{};
  double owner_share = 1;  // of all slots: the most that one owner's attempts hold
  HistoryLimits history{};  // what is remembered of ended jobs
  PolicyMaker make_policy = scheduler::make_policy;
};

// Perform the actions only when the records are durable. Both are in order.
struct Step {
  std::vector<JournalRecord> records;
  std::vector<Action> actions;
};

// Attempts of a running job that wait for slots, copies too.
struct Claim {
  JobId job;
  std::uint32_t waiting = 0;
};

class Scheduler {
 public:
  explicit Scheduler(Settings settings);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Recovery: all records of the journal, each job's in their order; then start() once.
  void replay(const JournalRecord& record);
  // A new master begins: a higher epoch, interrupted commits again, nodes given node_timeout to report.
  Step start(TimePoint now);

  Step step(const Event& event, TimePoint now);
  // When step(TimePassed) is due if nothing else happens.
  std::optional<TimePoint> next_wake_up() const;

  const Cluster& cluster() const;
  const ResourceManager& resources() const;
  const Settings& settings() const;
  // What is expected of a running job; null for any other.
  const Outlook* outlook(JobId job) const;
  // Who waits for slots, in the order in which jobs get them.
  std::vector<Claim> claims() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ontime::scheduler
