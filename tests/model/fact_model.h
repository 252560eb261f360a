#pragma once
// The formal model (docs/research/model.md): what a durable fact may follow on, and what may have caused it. It knows
// nothing of how the scheduler decides and keeps states of its own, so it is a second opinion on shipped code, on the
// journals of fault schedules and on recordings of real masters.

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/core/event.h"
#include "scheduler/core/record.h"

namespace ontime::model {

// Not thread-safe.
class FactModel {
 public:
  struct Segment {
    std::uint64_t end = 0;
    bool sealed = false;
    bool operator==(const Segment&) const = default;
  };
  struct Attempt {
    NodeId node;
    ByteRange held;  // what it has not sealed and not given back, as far as others have not taken it
    bool is_live = true;
    bool is_standby = false;
    bool operator==(const Attempt&) const = default;
  };
  struct Task {
    ByteRange split;
    std::map<std::uint64_t, Segment> segments;  // by begin
    std::vector<Attempt> attempts;
    std::uint32_t file = 0;
    bool is_done() const;
    bool operator==(const Task&) const = default;
  };
  struct Job {
    scheduler::JobSpec spec;
    scheduler::JobState state = scheduler::JobState::Running;
    std::vector<Task> tasks;
    std::set<std::uint32_t> told{};  // notices, by number
    bool operator==(const Job&) const = default;
  };

  // The first law that was broken, in a sentence; empty: none.
  const std::string& broken() const { return broken_; }

  // A fact of the journal, without its cause: one that is read again, or a batch that has become durable.
  void follow(const scheduler::JournalRecord& record, bool is_replay);
  // A step of a scheduler: each record has to be caused by the event, or by time. Null: a master's start.
  void step(const scheduler::Event* event, TimePoint now, std::span<const scheduler::JournalRecord> records);
  // A new master reads the journal from its beginning; what was broken stays.
  void forget() { *this = FactModel(std::move(broken_)); }

  const Job* find_job(JobId id) const;
  const Task* find_task(TaskId id) const;
  const Attempt* find_attempt(AttemptId id) const;
  bool runs_something(NodeId node) const {
    const auto there = running_.find(node);
    return there != running_.end() && !there->second.empty();
  }
  const std::map<JobId, Job>& jobs() const { return jobs_; }
  std::uint64_t epoch() const { return epoch_; }

 private:
  struct Follower;  // of facts, one overload each
  struct Cause;     // whether the event may have caused a fact, one overload each

  FactModel(std::string broken) : broken_(std::move(broken)) {}
  // The sentence is only made when it is needed: searches follow millions of facts.
  template <class Who>
  void require(bool holds, const Who& who, const char* law) {
    if (!holds && broken_.empty()) broken_ = name_of(who) + ": " + law;
  }
  template <class Id>
  static std::string name_of(const Id& id) {
    return to_string(id);
  }
  static std::string name_of(const scheduler::Fact& fact) { return scheduler::describe(fact, scheduler::Ids::All); }

  std::string broken_;
  std::uint64_t epoch_ = 0;
  TimePoint latest_;
  std::map<JobId, Job> jobs_;
  JobId last_job_;
  std::map<NodeId, std::uint32_t> slots_;          // of each node that is known
  std::map<NodeId, std::set<AttemptId>> running_;  // live attempts
  std::map<NodeId, scheduler::Duty> duties_;       // that were ever changed

 public:
  FactModel() = default;
};

}  // namespace ontime::model
