#include "scheduler/core/step_builder.h"

namespace ontime::scheduler {

void end_attempt(StepBuilder& step, AttemptId id, AttemptEnd how, const std::string& reason) {
  const Attempt* attempt = step.cluster.find_live(id);
  if (attempt == nullptr) return;
  const NodeId node = attempt->node;
  step.record(fact::AttemptEnded{id, how, reason});
  step.act(action::KillAttempt{node, id, reason});
}

}  // namespace ontime::scheduler
