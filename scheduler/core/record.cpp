#include "scheduler/core/record.h"

#include "common/base/wording.h"

namespace ontime::scheduler {

const char* name_of(DecisionNote::What what) {
  return name_at<DecisionNote::What::Note>(what, "speculate", "divide", "clone", "end-attempt", "note");
}

const char* name_of(JobState state) {
  return name_at<JobState::Killed>(state, "running", "committing", "succeeded", "failed", "killed");
}

const char* name_of(AttemptEnd end) {
  return name_at<AttemptEnd::Excused>(end, "succeeded", "failed", "failed for good", "killed", "lost",
                                      "ended as it stood still", "failed, without progress", "failed, not counted");
}

JobId job_of(const Fact& fact) {
  const auto find = [](const auto& what) -> JobId {
    if constexpr (requires { what.attempt; })
      return what.attempt.task.job;
    else if constexpr (requires { what.task; })
      return what.task.job;
    else if constexpr (requires { what.job; })
      return what.job;
    else
      return {};
  };
  return std::visit(find, fact);
}

}  // namespace ontime::scheduler
