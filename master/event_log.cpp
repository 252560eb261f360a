#include "master/event_log.h"

#include <spdlog/spdlog.h>

#include <string>
#include <variant>

#include "common/log/fields.h"

namespace ontime::master {
namespace {

namespace fact = scheduler::fact;

struct Line {
  const scheduler::Cluster& cluster;

  void operator()(const fact::MasterStarted& fact) const { spdlog::info("master_started epoch={}", fact.epoch); }

  void operator()(const fact::NodeAdded& fact) const {
    spdlog::info("node_added {} name={} host={} slots={}", fact.node, log::Quoted{fact.name}, log::Quoted{fact.host},
                 fact.slots);
  }

  void operator()(const fact::DutyChanged& fact) const {
    const scheduler::Node* node = cluster.find_node(fact.node);
    spdlog::info("node_{} node={} name={}", name_of(fact.duty), to_string(fact.node),
                 node == nullptr ? "" : node->name);
  }

  void operator()(const fact::JobAccepted& fact) const {
    spdlog::info("job_accepted {} owner={} application={} inputs={} split_bytes={} policy={} output={}", fact.job,
                 log::Quoted{fact.spec.owner}, log::Quoted{fact.spec.application}, fact.spec.inputs.size(),
                 fact.spec.split_bytes, fact.spec.policy, log::Quoted{fact.spec.output});
  }

  void operator()(const fact::AttemptLaunched& fact) const {
    spdlog::debug("attempt_launched {} {} begin={} end={} speculative={}", fact.attempt, fact.node, fact.range.begin,
                  fact.range.end, fact.speculative);
  }

  void operator()(const fact::StandbyBegun& fact) const {
    spdlog::debug("standby_begun {} begin={} end={}", fact.attempt, fact.range.begin, fact.range.end);
  }

  void operator()(const fact::SegmentDivided& fact) const {
    spdlog::debug("segment_divided {} begin={} at={}", fact.task, fact.begin, fact.at);
  }

  void operator()(const fact::PolicyDecided& fact) const {
    const scheduler::DecisionNote& note = fact.decision;
    if (note.reason == scheduler::kPolicyMissing) {
      spdlog::warn("policy_missing {} message={}", fact.job, log::Quoted{note.text});
      return;
    }
    if (note.what == scheduler::DecisionNote::What::Note) {
      spdlog::info("policy_note {} text={}", fact.job, log::Quoted{note.text});
      return;
    }
    const std::string about = note.task ? log::fields_of(TaskId{fact.job, *note.task}) : log::fields_of(fact.job);
    spdlog::info("policy_decided {} reason={} segment={} copies={} pieces={}", about, note.reason, note.segment,
                 note.copies, note.pieces);
  }

  void operator()(const fact::ProfileUpdated& fact) const {
    spdlog::debug("profile_updated attempts={}", fact.sample.finished().size());
  }

  void operator()(const fact::ProfileForgotten&) const { spdlog::debug("profile_forgotten"); }

  void operator()(const fact::NodeForgotten& fact) const { spdlog::debug("node_forgotten {}", fact.node); }

  void operator()(const fact::SegmentCut& fact) const {
    spdlog::debug("segment_cut {} begin={} at={} release={}", fact.attempt, fact.begin, fact.at, fact.release);
  }

  void operator()(const fact::SegmentSealed& fact) const {
    spdlog::debug("segment_sealed {} begin={} end={} output_bytes={} records={}", fact.attempt, fact.range.begin,
                  fact.range.end, fact.output.length, fact.output.records);
  }

  void operator()(const fact::AttemptEnded& fact) const {
    using scheduler::AttemptEnd;
    const bool is_usual = fact.end == AttemptEnd::Killed || fact.end == AttemptEnd::Lost;
    spdlog::log(is_usual ? spdlog::level::debug : spdlog::level::warn, "attempt_ended {} end={} message={}",
                fact.attempt, log::Quoted{name_of(fact.end)}, log::Quoted{fact.message});
  }

  void operator()(const fact::CommitStarted& fact) const { spdlog::info("job_commit_started {}", fact.job); }

  void operator()(const fact::JobEnded& fact) const {
    const scheduler::Job* job = cluster.find_job(fact.job);
    const double elapsed = job == nullptr ? 0.0 : seconds(job->ended_at - job->submitted_at);
    spdlog::log(fact.state == scheduler::JobState::Failed ? spdlog::level::warn : spdlog::level::info,
                "job_ended {} state={} seconds={:.3f} message={}", fact.job, name_of(fact.state), elapsed,
                log::Quoted{fact.message});
  }

  void operator()(const fact::JobForgotten& fact) const { spdlog::debug("job_forgotten {}", fact.job); }
};

}  // namespace

void log_record(const scheduler::JournalRecord& record, const scheduler::Cluster& cluster) {
  std::visit(Line{cluster}, record.fact);
}

}  // namespace ontime::master
