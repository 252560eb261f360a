#include "master/event_log.h"

#include <spdlog/spdlog.h>

#include <string>
#include <variant>

#include "common/log/fields.h"
#include "scheduler/core/record.h"

namespace ontime::master {
namespace {

namespace fact = scheduler::fact;

struct LevelOf {
  spdlog::level::level_enum operator()(const fact::AttemptEnded& ended) const {
    using scheduler::AttemptEnd;
    const bool is_usual = ended.end == AttemptEnd::Killed || ended.end == AttemptEnd::Lost;
    return is_usual ? spdlog::level::debug : spdlog::level::warn;
  }
  spdlog::level::level_enum operator()(const fact::PolicyDecided& decided) const {
    return decided.decision.reason == scheduler::kPolicyMissing ? spdlog::level::warn : spdlog::level::info;
  }
  spdlog::level::level_enum operator()(const fact::JobEnded& ended) const {
    return ended.state == scheduler::JobState::Failed ? spdlog::level::warn : spdlog::level::info;
  }
  spdlog::level::level_enum operator()(const fact::MasterStarted&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const fact::NodeAdded&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const fact::DutyChanged&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const fact::JobAccepted&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const fact::CommitStarted&) const { return spdlog::level::info; }
  spdlog::level::level_enum operator()(const auto&) const { return spdlog::level::debug; }
};

// What the cluster knows about it and the fact does not say.
std::string more_about(const scheduler::Fact& fact, const scheduler::Cluster& cluster) {
  if (const auto* changed = std::get_if<fact::DutyChanged>(&fact)) {
    const scheduler::Node* node = cluster.find_node(changed->node);
    return node == nullptr ? "" : fmt::format(" name={}", log::Quoted{node->name});
  }
  if (const auto* ended = std::get_if<fact::JobEnded>(&fact)) {
    const scheduler::Job* job = cluster.find_job(ended->job);
    return job == nullptr ? "" : fmt::format(" seconds={:.3f}", seconds(job->ended_at - job->submitted_at));
  }
  return "";
}

}  // namespace

void log_record(const scheduler::JournalRecord& record, const scheduler::Cluster& cluster) {
  const auto level = std::visit(LevelOf{}, record.fact);
  if (!spdlog::should_log(level)) return;
  spdlog::log(level, "{}{}", scheduler::describe(record.fact, scheduler::Ids::All), more_about(record.fact, cluster));
}

}  // namespace ontime::master
