#pragma once
// Jobs and nodes as clients see them.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/protocol/client.pb.h"
#include "master/base/attempt_messages.h"
#include "master/base/measures.h"
#include "scheduler/core/account.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/job.h"
#include "scheduler/core/record.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/forecast/forecast.h"

namespace ontime::master {

enum class ShowCounters : bool { No, Yes };

wire::JobSummary summary_of(JobId id, const scheduler::Job& job, TimePoint now, ShowCounters counters);
// What the job waits for while nothing of it runs: "a slot", "a worker that is not drained", or "workers" if there are
// none. Empty: something runs or nothing has to.
inline constexpr const char* kWaitsForSlot = "a slot";
std::string waiting_for(const scheduler::Job& job, const scheduler::Cluster& cluster);
wire::JobState state_of(scheduler::JobState state);

const char* name_of(scheduler::AttemptState state);  // "launching"
// "waiting", "running", "done"; "unfinished" if it is not done and the job has ended.
const char* state_name_of(const scheduler::Job& job, const scheduler::Task& task);

// Nanoseconds for an instant in seconds; nothing if it is infinite or not known.
std::optional<std::int64_t> instant_of(double seconds);
wire::Account view_of(const scheduler::JobAccount& account);
// Durations are shown for a split of mean size.
wire::Forecast view_of(const scheduler::Forecast& forecast, const scheduler::Job& job);
wire::Measures view_of(const Measures& measures, const SessionCounters& counters);

// Bytes that live attempts have mapped beyond what is sealed; of attempts that race, the one that is furthest counts.
std::uint64_t reached_bytes(const scheduler::Job& job);

// Task by task with segments and attempts.
class TaskViews {
 public:
  TaskViews(const scheduler::Cluster& cluster, const AttemptMessages& failures)
      : cluster_(cluster), failures_(failures) {}

  struct Wanted {
    std::uint32_t first = 0;  // task
    std::uint32_t max = 0;    // tasks; 0: no limit
    std::string state{};      // only tasks in it, as TaskDetail.state, or "open": not done; empty: all
  };
  // Appends tasks until there are enough, the reply is full, or it has looked at kLookedAt of them; sets next_task if
  // there are more to look at.
  void append_to(wire::Reply::Job& reply, JobId id, const scheduler::Job& job, const Wanted& wanted) const;
  void fill(wire::AttemptDetail& detail, AttemptId id, const scheduler::Attempt& attempt) const;

  static constexpr std::uint32_t kLookedAt = 50'000;

 private:
  void fill(wire::TaskDetail& detail, TaskId id, const scheduler::Job& job, const scheduler::Task& task) const;

  const scheduler::Cluster& cluster_;
  const AttemptMessages& failures_;
};

// The node that somebody means by `text`: "node-3", "3", or the name of a node that has neither left nor is lost.
// BadInput when there is none, or more than one of that name.
Result<NodeId> named_node(const scheduler::Cluster& cluster, const std::string& text);

wire::NodeSummary summary_of(NodeId id, const scheduler::Scheduler& scheduler, TimePoint now);

// Which nodes were held back while the job ran, in order of their beginning.
void append_held_nodes(wire::Reply::Explained& reply, const scheduler::Job& job, const scheduler::Scheduler& scheduler,
                       TimePoint now);

}  // namespace ontime::master
