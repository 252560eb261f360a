#pragma once
// Looks at everything that happens and says what should not have. It knows nothing of how the scheduler comes to its
// decisions: it follows the facts with a ledger of its own, the journal with a memory of its own, and looks at the
// files.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduler/core/cluster.h"
#include "scheduler/core/event.h"
#include "scheduler/core/record.h"
#include "lab/faults/fault_plan.h"
#include "lab/faults/journal_image.h"
#include "lab/faults/output_store.h"

namespace ontime::lab::faults {

class Audit {
 public:
  // The first thing that was wrong; empty: all is well.
  const std::string& broken() const { return broken_; }
  void require(bool holds, const char* what) {
    if (!holds) complain(what);
  }
  void complain(std::string what) {
    if (broken_.empty()) broken_ = std::move(what);
  }

  // A step has made these facts; `cause` is the event, null at the start of a master. They are not durable yet.
  void on_facts(const std::vector<scheduler::JournalRecord>& records, const scheduler::Event* cause);
  void on_step(const scheduler::Cluster& cluster);
  void on_inventory(const scheduler::event::NodeInventory& inventory,
                    const std::vector<scheduler::JournalRecord>& records, const scheduler::Cluster& cluster);

  // The journal. A batch is begun, becomes durable, or is torn.
  void on_batch(const std::vector<scheduler::JournalRecord>& batch, const std::vector<std::string>& encoded);
  void on_durable();
  // The master dies: what it knew, if all of it was durable.
  void on_death(const scheduler::Cluster* settled);
  void on_recovered(const JournalContent& content, const std::vector<scheduler::JournalRecord>& records,
                    const scheduler::Cluster& cluster, const OutputStore& store);

  // What clients want and were told: the records that each task of a job has output for, by directory.
  void expect(std::uint32_t directory, std::vector<std::vector<std::uint32_t>> records) {
    expected_[directory] = std::move(records);
  }
  void on_answered(JobId job, const std::string& output);
  void on_reported(JobId job, scheduler::JobState state, const OutputStore& store);
  // A commit has put _SUCCESS in place.
  void on_success(JobId job, std::uint32_t directory, const OutputStore& store);
  // Everything has come to rest.
  void on_rest(const OutputStore& store, const FaultPlan& plan);

  std::size_t jobs_reported() const { return reported_.size(); }
  bool is_reported(JobId job) const { return reported_.contains(job); }
  std::size_t succeeded() const;

 private:
  struct Segment {
    std::uint64_t end = 0;
    bool sealed = false;
  };
  struct Attempt {
    NodeId node;
    bool is_live = true;
  };
  struct Task {
    ByteRange split;
    std::map<std::uint64_t, Segment> segments;  // by begin
    std::vector<Attempt> attempts;
  };
  struct Job {
    scheduler::JobSpec spec;
    scheduler::JobState state = scheduler::JobState::Running;
    std::vector<Task> tasks;
  };
  // What the journal must hold: checksums of records, in order.
  struct Memory {
    std::map<std::string, std::uint32_t> cluster;  // of no job, by place
    std::map<JobId, std::vector<std::uint32_t>> records;
    bool operator==(const Memory&) const = default;
    void apply(const scheduler::JournalRecord& record, std::uint32_t checksum);
  };
  struct Follower;  // of facts, one overload each

  void follow(const scheduler::JournalRecord& record, const scheduler::Event* cause, bool is_replay);
  Task* task_of(TaskId id);
  Attempt* attempt_of(AttemptId id);
  void check_output(JobId job, std::uint32_t directory, const OutputStore& store);

  std::string broken_;
  std::uint64_t epoch_ = 0;
  TimePoint latest_;
  std::map<JobId, Job> jobs_;
  std::map<NodeId, scheduler::Duty> duties_;        // that were ever changed
  std::map<JobId, scheduler::JobState> forgotten_;  // how they had ended
  std::set<JobId> blamed_for_lost_workers_;
  Memory durable_;
  std::vector<scheduler::JournalRecord> under_way_;
  std::vector<std::uint32_t> under_way_checksums_;
  std::optional<std::string> settled_;  // what the last master knew
  std::map<JobId, std::string> answered_;
  std::map<JobId, scheduler::JobState> reported_;
  std::map<std::uint32_t, JobId> succeeded_;                                   // by directory
  std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> expected_;  // by directory and task: its records
};

// The durable part of what a master knows, as text.
std::string durable_state(const scheduler::Cluster& cluster);

}  // namespace ontime::lab::faults
