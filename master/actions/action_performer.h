#pragma once
// Carries out what the scheduler has decided. Knows nothing of the cluster, which is ahead of the actions: each of them
// carries what performing it takes (tests/architecture/check_includes.py). Called on the control thread, never before
// the decision is durable.

#include "scheduler/core/action.h"
#include "scheduler/core/record.h"

namespace ontime::master {

class ActionPerformer {
 public:
  virtual ~ActionPerformer() = default;
  virtual void perform(const scheduler::Action& action) = 0;
  // After the last of several actions: send what was gathered.
  virtual void flush() = 0;
  // A record became durable; called before the actions of its step.
  virtual void observe(const scheduler::JournalRecord& record) = 0;
};

}  // namespace ontime::master
