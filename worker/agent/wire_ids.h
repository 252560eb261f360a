#pragma once
// Attempt identifiers as they travel and as this program holds them.

#include "common/base/ids.h"
#include "common/protocol/types.pb.h"

namespace ontime::worker {

inline AttemptId attempt_id(const wire::Attempt& attempt) {
  return {{JobId{attempt.job()}, attempt.task()}, attempt.number()};
}

inline wire::Attempt to_wire(AttemptId id) {
  wire::Attempt attempt;
  attempt.set_job(id.task.job.value);
  attempt.set_task(id.task.index);
  attempt.set_number(id.number);
  return attempt;
}

}  // namespace ontime::worker
