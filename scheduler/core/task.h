#pragma once
// The mapping of one split.

#include <cstdint>
#include <vector>

#include "scheduler/core/attempt.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/ledger.h"

namespace ontime::scheduler {

struct Task {
  explicit Task(const Split& split) : file(split.file), ledger(split.range) {}

  std::uint32_t file;  // index into JobSpec::inputs
  Ledger ledger;
  std::vector<Attempt> attempts;  // index = AttemptId::number
};

}  // namespace ontime::scheduler
