#include "scheduler/core/turn.h"

namespace ontime::scheduler {

void end_attempt(Turn& turn, AttemptId id, AttemptEnd how, const std::string& reason) {
  const Attempt* attempt = turn.cluster.find_live(id);
  if (attempt == nullptr) return;
  const NodeId node = attempt->node;
  turn.record(record::AttemptEnded{id, how, reason});
  turn.act(action::KillAttempt{node, id, reason});
}

}  // namespace ontime::scheduler
