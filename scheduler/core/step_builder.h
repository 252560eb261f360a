#pragma once
// One step of the scheduler in the making: what the ResourceManager and the ApplicationMasters write their facts and
// requests into. A fact is applied at once, so that the next decision sees it.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/time.h"
#include "scheduler/core/action.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/record.h"
#include "scheduler/core/timers.h"

namespace ontime::scheduler {

struct StepBuilder {
  Cluster& cluster;
  Timers& timers;
  const TimePoint now;
  const Duration cut_timeout;                // see answer_limit
  std::function<void(const Fact&)> on_fact;  // called after each fact was applied; records nothing itself
  std::vector<JournalRecord> records;
  std::vector<Action> actions;

  template <class What>
  void record(What fact) {
    records.push_back(JournalRecord{now, std::move(fact)});
    cluster.apply(records.back());
    if (on_fact) on_fact(records.back().fact);
  }
  // More than a job's first kDecisionsKept are counted only.
  void decide(JobId job, DecisionNote decision) {
    using What = DecisionNote::What;
    if (decision.what == What::Speculate || decision.what == What::EndAttempt) cluster.observe_decided();
    if (cluster.find_job(job)->decisions.size() < kDecisionsKept)
      record(fact::PolicyDecided{job, std::move(decision)});
    else
      cluster.observe_decision_dropped(job);
  }
  template <class What>
  void act(What what) {
    actions.emplace_back(std::move(what));
  }
};

// Ends a live attempt and tells its node; nothing happens to one that has ended already.
void end_attempt(StepBuilder& step, AttemptId attempt, AttemptEnd how, const std::string& reason);

}  // namespace ontime::scheduler
