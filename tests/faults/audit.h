#pragma once
// Looks at everything that happens and says what should not have. It knows nothing of how the scheduler comes to its
// decisions: it follows the durable facts with the formal model, the journal with a memory of its own, and looks at the
// files.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/core/cluster.h"
#include "scheduler/core/record.h"
#include "tests/faults/fault_plan.h"
#include "tests/faults/outputs.h"
#include "tests/model/fact_model.h"

namespace ontime::journal {
class Journal;
}

namespace ontime::lab::faults {

// What every job asks for: its number in the list of notices.
inline constexpr std::uint32_t kNoticeOfEnd = 1;
inline constexpr const char* kJournal = "/journal";  // and what lies beside it
inline const std::vector<std::string> kNotices{"late:a", "ended:b"};

class Audit {
 public:
  Audit(const Outputs& outputs, const FaultPlan& plan) : outputs_(outputs), plan_(plan) {}

  // The first thing that was wrong; empty: all is well.
  const std::string& broken() const { return broken_; }
  void require(bool holds, const char* what) {
    if (!holds) complain(what);
  }
  void complain(std::string what) {
    if (broken_.empty()) broken_ = std::move(what);
  }

  void on_step(const scheduler::Cluster& cluster);

  // The journal. A batch is begun and becomes durable, or the master ends before it is known whether it is.
  void on_batch(std::span<const scheduler::JournalRecord> batch);
  void on_durable();
  // All times were set back.
  void on_set_back() { times_have_changed_ = true; }
  // A new master has read these.
  void on_recovered(const std::vector<scheduler::JournalRecord>& records);

  // A journal that several masters share, which says itself what is durable. A master of that life is about to append
  // this batch; it has become part of the journal; a master was told so. Only the master that has read it last may
  // append.
  void on_announced(std::uint32_t life, std::string bytes, std::span<const scheduler::JournalRecord> batch);
  void on_accepted(const std::string& bytes);
  void on_told_durable(const std::string& bytes);
  void on_leading(std::uint32_t life) { leading_ = life; }

  // What clients were told.
  void on_answered(JobId job, const std::string& output);
  void on_told(JobId job, scheduler::JobState state);
  // Somebody was told what the job asks for under that number, by that master.
  void on_notice(const std::string& id, std::uint32_t master);
  // Somebody's request has changed an object in the store. Null: there was none; there is none any more.
  void on_object(const std::string& key, const std::string* before, const std::string* after);
  // Everything has come to rest.
  void on_rest();

  bool have_all_ended() const;
  bool has_ended(JobId job) const { return ended_.contains(job); }
  std::size_t jobs_ended() const { return ended_.size(); }
  std::size_t succeeded() const { return succeeded_; }
  std::uint32_t batches() const { return batches_; }
  std::uint32_t masters() const { return masters_; }

 private:
  using Job = model::FactModel::Job;
  // What the journal must hold: checksums of records, in order.
  struct Memory {
    std::map<std::string, std::uint32_t> cluster;  // of no job, by place
    std::map<JobId, std::vector<std::uint32_t>> records;
    bool operator==(const Memory&) const = default;
    void apply(const scheduler::JournalRecord& record, std::uint32_t checksum);
  };
  struct Watcher;  // of facts, an overload for each that is watched

  void follow(const scheduler::JournalRecord& record, bool is_replay);
  void on_ended(JobId job, scheduler::JobState state);
  void check_end(JobId job, const std::string& output, scheduler::JobState state);
  void check_refused();

  const Outputs& outputs_;
  const FaultPlan& plan_;
  std::string broken_;
  std::uint32_t masters_ = 0;  // that have read the journal; a master may die before its epoch is durable
  model::FactModel model_;
  std::set<JobId> blamed_for_lost_workers_;
  std::set<std::string> taken_;  // outputs that a job has had
  Memory durable_;
  std::vector<scheduler::JournalRecord> under_way_;
  struct Announced {
    std::uint32_t life = 0;
    std::vector<scheduler::JournalRecord> records;
  };
  std::map<std::string, Announced> announced_;  // by their bytes
  std::set<std::string> accepted_;
  std::uint32_t leading_ = 0;  // the life of the master that may append
  bool times_have_changed_ = false;
  std::set<std::pair<std::string, std::uint32_t>> notices_;  // by the master that told them
  std::set<std::string> noted_;                              // notices that are durable as told: "job-1/0"
  std::map<JobId, std::string> answered_;                    // and the output
  std::map<JobId, scheduler::JobState> ended_;
  std::size_t succeeded_ = 0;
  std::uint32_t batches_ = 0;
};

// The master's journal, watched: everything that it is given and that it gives back goes to the audit, which outlives
// it. `before` is called before a batch is written, `after` when it is durable.
std::unique_ptr<journal::Journal> watched(std::unique_ptr<journal::Journal> real, Audit& audit,
                                          std::function<void()> before, std::function<void()> after);

// The same of a journal in etcd, of which the audit learns from etcd itself what is durable.
struct SharedWatch {
  std::uint32_t life = 0;  // of the master, among all
  std::function<bool()> leads;
  std::function<void()> before{};
  std::function<void()> after{};
};
std::unique_ptr<journal::Journal> watched_shared(std::unique_ptr<journal::Journal> real, Audit& audit,
                                                 SharedWatch watch);

// Whether what the masters of a schedule have recorded leads to the same decisions again and the formal model allows
// it: the first difference in the
// recordings of this journal, in a sentence; empty: there is none. What a crash has damaged is left out. In a simulated
// process on the master's machine.
std::string replay_recordings(const std::string& journal);

}  // namespace ontime::lab::faults
