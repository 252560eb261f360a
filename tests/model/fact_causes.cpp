// What may cause each fact: a step's event, or what only time and free slots bring about.
#include <algorithm>
#include <map>
#include <string>

#include "tests/model/fact_model.h"

namespace ontime::model {

namespace event = scheduler::event;
namespace fact = scheduler::fact;
using scheduler::AttemptEnd;
using scheduler::describe;
using scheduler::Duty;
using scheduler::JobState;

// What is asked of the state is asked before the fact is followed.
struct FactModel::Cause {
  const FactModel& model;
  const scheduler::Event* event;

  bool operator()(const fact::MasterStarted&) const { return event == nullptr; }
  bool operator()(const fact::NodeAdded& fact) const {
    const auto* cause = of<event::NodeRegistered>();
    return cause != nullptr && cause->incarnation == fact.incarnation && cause->slots == fact.slots;
  }
  bool operator()(const fact::DutyChanged& fact) const {
    const auto* leaving = of<event::NodeLeaving>();
    const auto* drain = of<event::DrainRequested>();
    if (fact.duty == Duty::Left) return true;  // nothing runs there any more, which anything may bring about
    if (fact.duty == Duty::Leaves) return leaving != nullptr && leaving->node == fact.node;
    return drain != nullptr && drain->node == fact.node && drain->drain == (fact.duty == Duty::Drains);
  }
  bool operator()(const fact::JobAccepted& fact) const {
    const auto* cause = of<event::JobSubmitted>();
    return cause != nullptr && cause->spec == fact.spec;
  }
  bool operator()(const fact::SegmentCut& fact) const {
    const auto* cause = of<event::CutAnswered>();
    return cause != nullptr && is_from(*cause, fact.attempt) && cause->at == fact.at && cause->release == fact.release;
  }
  bool operator()(const fact::SegmentSealed& fact) const {
    const auto* cause = of<event::SegmentSealed>();
    return cause != nullptr && is_from(*cause, fact.attempt) && cause->range == fact.range &&
           cause->input_end == fact.input_end && cause->output == fact.output;
  }
  bool operator()(const fact::AttemptEnded& fact) const {
    switch (fact.end) {
      case AttemptEnd::Failed:
      case AttemptEnd::Fatal:
        return has_exited(fact.attempt);
      case AttemptEnd::Succeeded:
        return false;  // follows from the seals
      default:
        return true;  // a race, a policy, silence, no progress, which may be excused
    }
  }
  bool operator()(const fact::CommitStarted&) const {
    return event == nullptr || of<event::SegmentSealed>() != nullptr || of<event::AttemptExited>() != nullptr ||
           of<event::JobSubmitted>() != nullptr;
  }
  bool operator()(const fact::TaskReopened& fact) const {
    const auto* cause = of<event::CommitFinished>();
    return cause != nullptr && cause->job == fact.task.job &&
           std::find(cause->lost.begin(), cause->lost.end(), fact.task.index) != cause->lost.end();
  }
  // The input's other tasks end with the one that an attempt has found to be of a kind that the job skips.
  bool operator()(const fact::InputLeftOut& fact) const {
    const auto* cause = of<event::AttemptExited>();
    const auto job = model.jobs_.find(fact.attempt.task.job);
    if (cause == nullptr || !is_from(*cause, cause->attempt) || job == model.jobs_.end()) return false;
    if (!skips(job->second.spec.skip.kinds, cause->kind)) return false;
    const Task* found = model.find_task(cause->attempt.task);
    const Task* left_out = model.find_task(fact.attempt.task);
    return cause->attempt.task.job == fact.attempt.task.job && found != nullptr && left_out != nullptr &&
           found->file == left_out->file;
  }
  bool operator()(const fact::JobEnded& fact) const {
    if (fact.state != JobState::Succeeded) return true;  // killed, too late, failed
    const auto* cause = of<event::CommitFinished>();
    return cause != nullptr && cause->job == fact.job && cause->error.empty() && cause->lost.empty();
  }
  bool operator()(const fact::JobNotified& fact) const {
    const auto* cause = of<event::JobNotified>();
    return cause != nullptr && cause->job == fact.job && cause->number == fact.number;
  }
  // Launches, what policies decide, what is forgotten: time or a free slot is cause enough.
  template <class Other>
  bool operator()(const Other&) const {
    return true;
  }

 private:
  static bool skips(const std::string& kinds, scheduler::FailureKind kind) {
    using enum scheduler::FailureKind;
    const std::map<scheduler::FailureKind, std::string> names{
        {Data, "corrupt"}, {Vanished, "vanished"}, {Unreadable, "unreadable"}};
    const auto name = names.find(kind);
    return name != names.end() && kinds.find(name->second) != kinds.npos;
  }
  template <class What>
  const What* of() const {
    return event != nullptr ? std::get_if<What>(event) : nullptr;
  }
  // An attempt is believed from the node that it was launched on, and from no other.
  template <class Report>
  bool is_from(const Report& report, AttemptId id) const {
    const Attempt* attempt = model.find_attempt(id);
    return report.attempt == id && attempt != nullptr && attempt->node == report.node;
  }
  // Or it has said what cannot be true.
  bool has_exited(AttemptId id) const {
    const auto* exited = of<event::AttemptExited>();
    const auto* sealed = of<event::SegmentSealed>();
    return (exited != nullptr && is_from(*exited, id)) || (sealed != nullptr && is_from(*sealed, id));
  }
};

void FactModel::step(const scheduler::Event* event, TimePoint now, std::span<const scheduler::JournalRecord> records) {
  for (const scheduler::JournalRecord& record : records) {
    const bool is_caused = std::visit(Cause{*this, event}, record.fact);
    if (!is_caused && broken_.empty()) {
      broken_ = name_of(record.fact) + ": nothing has caused it, least of all " +
                (event != nullptr ? describe(*event) : "a start");
    }
    require(record.at == now, record.fact, "a record has the time of its step");
    follow(record, false);
  }
}

}  // namespace ontime::model
