#pragma once
// A scheduler in a world of verbs: nodes come and go, attempts report, time passes. Keeps every record as a journal
// would and every action since they were last looked at.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/core/scheduler.h"

namespace ontime::scheduler::test {

class World {
 public:
  // Sees each step of the scheduler; no event: its start.
  using OnStep = std::function<void(const Event*, TimePoint, const Step&)>;
  explicit World(Settings settings = {}, OnStep on_step = {});

  // A worker registers and says what it runs.
  NodeId register_node(const std::string& name, std::uint32_t slots = 1, std::vector<AttemptProgress> running = {});
  // One file of `bytes` in splits of `split_bytes`.
  JobId submit(std::uint64_t bytes, std::uint64_t split_bytes, JobSpec spec = quiet_spec());
  JobId submit(JobSpec spec);
  void heartbeat(AttemptId attempt, std::uint64_t offset);
  void heartbeat(NodeId node);
  void start_attempt(AttemptId attempt);
  void make_ready(AttemptId standby);
  void answer_cut(AttemptId attempt, std::uint64_t at, bool release = false);
  void seal(AttemptId attempt, ByteRange range);
  void seal_all(AttemptId attempt);  // whole segments, until it holds nothing
  void fail(AttemptId attempt, const std::string& message = "boom", FailureKind kind = FailureKind::Attempt);
  void commit(JobId job, const std::string& error = "", std::vector<std::uint32_t> lost = {});
  void kill(JobId job);
  void sleep(Duration duration);  // the master, with its clock going on: nothing is done meanwhile
  void pass(Duration duration);   // in one go, waking the scheduler whenever it asked for it
  void send(const Event& event);
  // A new scheduler from the records so far; nodes have to register again.
  void restart();

  // Actions of one kind since the last call for that kind.
  template <class What>
  std::vector<What> take() {
    std::vector<What> taken;
    std::vector<Action> rest;
    for (Action& action : actions_) {
      if (auto* what = std::get_if<What>(&action))
        taken.push_back(std::move(*what));
      else
        rest.push_back(std::move(action));
    }
    actions_ = std::move(rest);
    return taken;
  }
  std::vector<Action> take_all() { return std::exchange(actions_, {}); }
  AttemptId take_launch();  // REQUIRES: exactly one attempt was launched since the last look

  const Cluster& cluster() const { return scheduler_->cluster(); }
  const Scheduler& scheduler() const { return *scheduler_; }
  const Attempt& attempt(AttemptId id) const { return *cluster().find_attempt(id); }
  const Job& job(JobId id) const { return *cluster().find_job(id); }
  const std::vector<JournalRecord>& records() const { return records_; }
  TimePoint now() const { return now_; }

  static JobSpec quiet_spec();  // no checkpoints
  // Of a policy with these parameters, of which `more` replaces some.
  static JobSpec quiet_spec(const std::string& policy, StringMap parameters, const StringMap& more, Duration deadline);

 private:
  void keep(const Event* event, Step step);
  OnStep on_step_;
  Settings settings_;
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<JournalRecord> records_;
  std::vector<Action> actions_;
  TimePoint now_{std::chrono::seconds(1000)};
  std::uint64_t requests_ = 0;
};

}  // namespace ontime::scheduler::test
