// What a fault schedule's facts have to do with its faults and files. What each may follow on, the formal model says.
#include <algorithm>

#include "scheduler/core/cluster.h"
#include "tests/faults/audit.h"

namespace ontime::lab::faults {

namespace fact = scheduler::fact;

// The model has followed the fact already.
struct Audit::Watcher {
  Audit& audit;
  bool is_replay;

  void operator()(const fact::JobAccepted& fact) const {
    audit.require(is_replay || !audit.ended_.contains(fact.job), "a job's number is new");
    audit.taken_.insert(fact.spec.output);
  }

  void operator()(const fact::AttemptEnded& fact) const {
    // An order to begin may be lost with its connection, and a node that connects again too late as a whole; but a
    // worker that is there still has what it has mapped and the master does not know.
    const bool is_missed = fact.end == scheduler::AttemptEnd::Lost && fact.message == "its worker does not run it";
    if (is_missed && !is_replay && !audit.plan_.may_lose_attempts()) {
      const Job* job = audit.model_.find_job(fact.attempt.task.job);
      const bool has_worked = job != nullptr && audit.outputs_.holds_work_of(job->spec.output, fact.attempt);
      audit.require(!has_worked, "no work is lost where nothing happens to workers");
    }
    const bool is_silent = fact.end == scheduler::AttemptEnd::Silent;
    // One that waits for a store for longer than an attempt may takes no step forward either.
    const bool may_be_silent = audit.plan_.may_lose_attempts() || audit.plan_.may_fail_at_store();
    audit.require(!is_silent || is_replay || may_be_silent,
                  "no attempt is ended for its silence where nothing happens to workers or the store");
  }

  void operator()(const fact::TaskReopened&) const {
    audit.require(is_replay || audit.plan_.may_lose_output(), "what is sealed is still there when it is committed");
  }

  void operator()(const fact::JobEnded& fact) const {
    audit.require(fact.message.find("its output was lost") == fact.message.npos || audit.plan_.may_lose_output(),
                  "what is sealed is still there when it is committed");
    if (fact.message.find("workers down") != std::string::npos) audit.blamed_for_lost_workers_.insert(fact.job);
    audit.on_ended(fact.job, fact.state);
  }

  void operator()(const fact::JobNotified& fact) const {
    audit.noted_.insert(to_string(fact.job) + "/" + std::to_string(fact.number));
  }

  template <class Other>
  void operator()(const Other&) const {}
};

void Audit::follow(const scheduler::JournalRecord& record, bool is_replay) {
  model_.follow(record, is_replay);
  if (!model_.broken().empty()) complain(model_.broken());
  std::visit(Watcher{*this, is_replay}, record.fact);
}

}  // namespace ontime::lab::faults
