#include "scheduler/core/record.h"

namespace ontime::scheduler {
namespace {

struct JobOf {
  JobId operator()(const record::MasterStarted&) const { return {}; }
  JobId operator()(const record::NodeAdded&) const { return {}; }
  JobId operator()(const record::DutyChanged&) const { return {}; }
  JobId operator()(const record::AttemptLaunched& fact) const { return fact.attempt.task.job; }
  JobId operator()(const record::StandbyBegun& fact) const { return fact.attempt.task.job; }
  JobId operator()(const record::SegmentDivided& fact) const { return fact.task.job; }
  JobId operator()(const record::ProfileUpdated&) const { return {}; }
  JobId operator()(const record::ProfileForgotten&) const { return {}; }
  JobId operator()(const record::NodeForgotten&) const { return {}; }
  JobId operator()(const record::SegmentCut& fact) const { return fact.attempt.task.job; }
  JobId operator()(const record::SegmentSealed& fact) const { return fact.attempt.task.job; }
  JobId operator()(const record::AttemptEnded& fact) const { return fact.attempt.task.job; }
  JobId operator()(const auto& fact) const { return fact.job; }
};

}  // namespace

const char* name_of(JobState state) {
  switch (state) {
    case JobState::Running:
      return "running";
    case JobState::Committing:
      return "committing";
    case JobState::Succeeded:
      return "succeeded";
    case JobState::Failed:
      return "failed";
    case JobState::Killed:
      break;
  }
  return "killed";
}

const char* name_of(AttemptEnd end) {
  switch (end) {
    case AttemptEnd::Succeeded:
      return "succeeded";
    case AttemptEnd::Failed:
      return "failed";
    case AttemptEnd::Fatal:
      return "failed for good";
    case AttemptEnd::Killed:
      return "killed";
    case AttemptEnd::Lost:
      return "lost";
    case AttemptEnd::Silent:
      return "ended as it stood still";
    case AttemptEnd::Stalled:
      return "failed, without progress";
    case AttemptEnd::Excused:
      break;
  }
  return "failed, not counted";
}

JobId job_of(const Fact& fact) { return std::visit(JobOf{}, fact); }

}  // namespace ontime::scheduler
