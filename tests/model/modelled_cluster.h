#pragma once
// The shipped scheduler with all that it talks to reduced to what matters: two workers that cut as the shipped runner
// does (CutPoints), a wire to each, a journal and a committer. Nothing happens on its own: each next event is a choice,
// so a search can try all of them in all orders.
//
// Orders arrive at once and reports wait on the wire until a choice delivers them. No order of events is lost by that:
// a worker that acts before a late order reaches it acts before the master has decided, and its report comes after.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduler/core/scheduler.h"
#include "tests/model/fact_model.h"
#include "worker/runner/cut_points.h"

namespace ontime::model {

enum class What : std::uint8_t {
  Deliver,       // the worker's oldest report reaches the master
  DeliverCrash,  // so it does, its records become durable, and the master dies before it acts; the next one starts
  Break,         // the worker's connection is gone; the master does not know
  Rejoin,        // it registers, sends again what was not confirmed, and says what it runs
  RejoinRepeat,  // likewise; the confirmation of what was delivered last was lost too
  Die,           // the worker's process ends; the next one has a name of its own
  Start,         // the attempt maps its first record, a standby is ready
  Map,           // it maps one byte, and a heartbeat says so
  Seal,          // it seals the segment that it has mapped
  Fail,          // it ends without
  Restart,       // the master is killed, and the next one reads the journal
  Wait,          // six seconds pass; who has a connection and nothing on its wire sends heartbeats
  Copy,          // the policy wants the segment raced
  Share,         // the policy wants its tail raced, cut at once
  Give,          // the policy wants its tail divided in two, when a standby is ready
  End,           // the policy ends the attempt
  Drain,         // an operator takes the node out
  Leave,         // the worker wants to leave
  Commit,        // the commit is done
  CommitLost,    // it has not found what the first task had stored
  Kill,          // somebody kills the job
};

struct Choice {
  What what = What::Wait;
  std::uint8_t who = 0;  // worker: 0, 1; of Start, Map, Seal, Fail, End and what a policy wants: the attempt's number
  bool operator==(const Choice&) const = default;
};
std::string name_of(const Choice& choice);  // "map a1"

struct Rules {
  std::vector<What> may;           // what the search may choose
  std::uint32_t bytes = 3;         // of the only task
  std::uint32_t failures_max = 3;  // --max-attempts
  bool has_checkpoints = true;
};

class ModelledCluster {
 public:
  // Two workers with one slot each have registered, and the job is submitted.
  explicit ModelledCluster(const Rules& rules);

  std::vector<Choice> choices() const;
  // REQUIRES: it is one of choices(), or would be if the rules had it.
  void take(const Choice& choice);
  // Whatever is broken is mended and everything goes on; false if the job has not ended then.
  bool end_well();

  // Whether each step is checked. Not needed where it is known to go well.
  void look(bool looks) { looks_ = looks; }
  // The first thing that was wrong; empty: all is well.
  const std::string& broken() const { return broken_; }
  // Whether the journal rebuilds the same state, and the formal model agrees with it; a sentence if not.
  std::string compare() const;
  // Of all that the future depends on, as far as it can be seen from outside of the scheduler; times are relative.
  std::uint64_t fingerprint() const;
  const std::vector<scheduler::JournalRecord>& journal() const { return journal_; }
  const scheduler::Cluster& cluster() const { return scheduler_->cluster(); }

 private:
  struct Attempt {  // as its worker sees it
    worker::CutPoints points;
    std::uint64_t offset = 0;
    bool has_started = false;
    bool is_standby = false;
  };
  struct Worker {
    std::string incarnation;
    bool is_linked = false;
    bool leaves = false;
    std::deque<scheduler::Event> wire;            // not delivered
    std::optional<scheduler::Event> unconfirmed;  // delivered last
    std::map<std::uint32_t, Attempt> running;     // by number
  };
  class Puppet;

  NodeId node_of(const Worker& worker) const { return cluster().node_of(worker.incarnation); }
  bool may(What what) const { return std::find(rules_.may.begin(), rules_.may.end(), what) != rules_.may.end(); }
  void add_choices(std::uint8_t who, std::vector<Choice>& to) const;
  void add_policy_choices(std::vector<Choice>& to) const;

  void start_master();
  void send(const scheduler::Event& event, bool acts = true);
  void check(const scheduler::Event* event, const scheduler::Step& step, bool acts);
  void check_record(const scheduler::Event* event, const scheduler::JournalRecord& record);
  void check_order(const scheduler::Action& action);
  void check_output(const scheduler::action::CommitOutput& commit);
  void obey(const scheduler::Action& action);
  void plan(const Choice& choice);
  void pass(Duration time);
  void require(bool holds, const std::string& law) {
    if (!holds && broken_.empty()) broken_ = law;
  }

  static std::vector<scheduler::AttemptProgress> positions(const Worker& worker);
  Worker* worker_at(NodeId node);  // null: no worker with a connection is there
  Worker* worker_of(std::uint32_t attempt);
  void unlink(Worker& worker);
  void deliver(Worker& worker, bool acts);
  void rejoin(Worker& worker, bool repeats);
  void die(Worker& worker);
  void work(const Choice& choice);
  void seal(Worker& worker, std::uint32_t number, Attempt& attempt);
  void cut(const scheduler::action::CutAttempt& order);
  void report(Worker& worker, scheduler::Event event) { worker.wire.push_back(std::move(event)); }

  const Rules rules_;
  std::vector<scheduler::Decision> orders_;  // of the policy, for its next look
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::vector<scheduler::JournalRecord> journal_;
  FactModel model_;
  std::vector<Worker> workers_;
  std::uint32_t processes_ = 0;                          // of workers, that there were
  bool is_committing_ = false;                           // the committer of the master that lives now is at work
  std::map<std::uint32_t, std::set<ByteRange>> mapped_;  // by attempt: segments that it has truly mapped
  TimePoint now_{std::chrono::seconds(1000)};
  bool looks_ = true;
  std::string broken_;
};

}  // namespace ontime::model
