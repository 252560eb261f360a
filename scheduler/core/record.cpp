#include "scheduler/core/record.h"

namespace ontime::scheduler {
namespace {

struct JobOf {
  JobId operator()(const fact::MasterStarted&) const { return {}; }
  JobId operator()(const fact::NodeAdded&) const { return {}; }
  JobId operator()(const fact::DutyChanged&) const { return {}; }
  JobId operator()(const fact::AttemptLaunched& fact) const { return fact.attempt.task.job; }
  JobId operator()(const fact::StandbyBegun& fact) const { return fact.attempt.task.job; }
  JobId operator()(const fact::SegmentDivided& fact) const { return fact.task.job; }
  JobId operator()(const fact::ProfileUpdated&) const { return {}; }
  JobId operator()(const fact::ProfileForgotten&) const { return {}; }
  JobId operator()(const fact::NodeForgotten&) const { return {}; }
  JobId operator()(const fact::SegmentCut& fact) const { return fact.attempt.task.job; }
  JobId operator()(const fact::SegmentSealed& fact) const { return fact.attempt.task.job; }
  JobId operator()(const fact::AttemptEnded& fact) const { return fact.attempt.task.job; }
  JobId operator()(const auto& fact) const { return fact.job; }
};

}  // namespace

const char* name_of(DecisionNote::What what) {
  switch (what) {
    case DecisionNote::What::Speculate:
      return "speculate";
    case DecisionNote::What::Divide:
      return "divide";
    case DecisionNote::What::Clone:
      return "clone";
    case DecisionNote::What::EndAttempt:
      return "end-attempt";
    case DecisionNote::What::Note:
      break;
  }
  return "note";
}

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
