#include "master/event_log.h"

#include <spdlog/spdlog.h>

#include <string>
#include <variant>

namespace ontime::master {
namespace {

namespace record = scheduler::record;

const char* name_of(scheduler::JobState state) {
  switch (state) {
    case scheduler::JobState::Running:
      return "running";
    case scheduler::JobState::Committing:
      return "committing";
    case scheduler::JobState::Succeeded:
      return "succeeded";
    case scheduler::JobState::Failed:
      return "failed";
    case scheduler::JobState::Killed:
      return "killed";
  }
  return "unknown";
}

// A message of several lines in one field.
std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

struct Line {
  const scheduler::Cluster& cluster;

  void operator()(const record::MasterStarted& fact) const { spdlog::info("master_started epoch={}", fact.epoch); }

  void operator()(const record::NodeAdded& fact) const {
    spdlog::info("node_added node={} name={} host={} slots={}", to_string(fact.node), fact.name, fact.host, fact.slots);
  }

  void operator()(const record::JobAccepted& fact) const {
    spdlog::info("job_accepted job={} application={} inputs={} split_bytes={} policy={} output={}", to_string(fact.job),
                 fact.spec.application, fact.spec.inputs.size(), fact.spec.split_bytes, fact.spec.policy,
                 fact.spec.output);
  }

  void operator()(const record::AttemptLaunched& fact) const {
    spdlog::debug("attempt_launched attempt={} node={} begin={} end={} speculative={}", to_string(fact.attempt),
                  to_string(fact.node), fact.range.begin, fact.range.end, fact.speculative);
  }

  void operator()(const record::StandbyBegun& fact) const {
    spdlog::debug("standby_begun attempt={} begin={} end={}", to_string(fact.attempt), fact.range.begin,
                  fact.range.end);
  }

  void operator()(const record::SegmentDivided& fact) const {
    spdlog::debug("segment_divided task={} begin={} at={}", to_string(fact.task), fact.begin, fact.at);
  }

  void operator()(const record::PolicyDecided& fact) const {
    const scheduler::DecisionNote& note = fact.decision;
    if (note.what == scheduler::DecisionNote::What::Note) {
      spdlog::info("policy_note job={} text=\"{}\"", to_string(fact.job), note.text);
      return;
    }
    const std::string who = note.task ? to_string(TaskId{fact.job, *note.task}) : to_string(fact.job);
    spdlog::info("policy_decided about={} reason={} segment={} copies={} pieces={}", who, note.reason, note.segment,
                 note.copies, note.pieces);
  }

  void operator()(const record::ProfileUpdated& fact) const {
    spdlog::debug("profile_updated attempts={}", fact.sample.finished().size());
  }

  void operator()(const record::SegmentCut& fact) const {
    spdlog::debug("segment_cut attempt={} begin={} at={} release={}", to_string(fact.attempt), fact.begin, fact.at,
                  fact.release);
  }

  void operator()(const record::SegmentSealed& fact) const {
    spdlog::debug("segment_sealed attempt={} begin={} end={} output_bytes={} records={}", to_string(fact.attempt),
                  fact.range.begin, fact.range.end, fact.output.length, fact.output.records);
  }

  void operator()(const record::AttemptEnded& fact) const {
    const bool failed = fact.end == scheduler::AttemptEnd::Failed || fact.end == scheduler::AttemptEnd::Fatal;
    spdlog::log(failed ? spdlog::level::warn : spdlog::level::debug, "attempt_ended attempt={} end={} message=\"{}\"",
                to_string(fact.attempt),
                failed                                      ? "failed"
                : fact.end == scheduler::AttemptEnd::Killed ? "killed"
                                                            : "lost",
                first_line(fact.message));
  }

  void operator()(const record::CommitStarted& fact) const {
    spdlog::info("job_commit_started job={}", to_string(fact.job));
  }

  void operator()(const record::JobEnded& fact) const {
    const scheduler::Job* job = cluster.find_job(fact.job);
    const double elapsed = job == nullptr ? 0.0 : seconds(job->ended_at - job->submitted_at);
    spdlog::log(fact.state == scheduler::JobState::Failed ? spdlog::level::warn : spdlog::level::info,
                "job_ended job={} state={} seconds={:.3f} message=\"{}\"", to_string(fact.job), name_of(fact.state),
                elapsed, first_line(fact.message));
  }

  void operator()(const record::JobForgotten& fact) const {
    spdlog::debug("job_forgotten job={}", to_string(fact.job));
  }
};

}  // namespace

void log_record(const scheduler::Record& record, const scheduler::Cluster& cluster) {
  std::visit(Line{cluster}, record.fact);
}

}  // namespace ontime::master
