// The one way to cut an attempt's work: a question, a time-out, an answer. Checkpoints, fresh attempts that take over
// and draining nodes all use it. At most one cut is in flight for an attempt, and none waits for an unanswered one:
//
//   none --ask_cut--> in flight --answered--> none --somebody else waits: ask_cut--> in flight
//                         |  ^
//                         |  '-- the worker registers again: the same question again
//                         '-- overdue, and somebody waits: the attempt is ended
#include <algorithm>

#include "scheduler/core/application_master.h"
#include "scheduler/core/timers.h"

namespace ontime::scheduler {
namespace {

// What a checkpoint seals begins anew behind it, and a command may take longer to begin than the interval. So a segment
// is mapped for twenty times as long as it took to begin: checkpoints cost a twentieth of an attempt's time at most.
constexpr int kBeginsToPay = 20;

// `usual`: seconds that the next segment needs to begin, as far as is known. The first byte may be late for another
// reason: a long first record.
bool has_paid(const Attempt& attempt, double usual, TimePoint now) {
  if (const SegmentTimes& times = attempt.segment; times.is_known()) {
    const double begin = std::min(seconds(times.first), usual);
    return times.moves > 0 && seconds(times.age - times.first) >= kBeginsToPay * begin;
  }
  return now - attempt.idle_until >= kBeginsToPay * (attempt.idle_until - attempt.segment_at);
}

}  // namespace

// Nobody waits for this one, so it has no time-out: a long record may delay the answer, and ending the attempt would
// lose more than the checkpoint saves. A policy that wants a cut meanwhile joins it, and asks its own when it is
// answered.
void ApplicationMaster::on_checkpoint_due(StepBuilder& step, AttemptId id) {
  const Attempt* attempt = step.cluster.find_live(id);
  if (attempt == nullptr) return;
  // In a race the part in front of the cut would be this attempt's, while the other one may stand beyond it already.
  // With standbys a better cut is planned. An attempt that has mapped nothing since its last seal would seal nothing.
  const bool is_alone = step.cluster.racing(id.task, attempt->held.begin).size() == 1 &&
                        step.cluster.standing_by(id.task, attempt->held.begin).empty();
  const bool has_progressed = attempt->offset > attempt->held.begin && attempt->offset < attempt->held.end;
  const Job& job = *step.cluster.find_job(job_);
  const bool has_begun =
      has_progressed && has_paid(*attempt, outlook_.fixed(step.cluster, job, math::Beginning::Next), step.now);
  if (is_alone && has_begun && !attempt->cut && !attempt->standby) {
    ask_cut(step, id, {attempt->offset, false, CutReason::Checkpoint, step.now});
  }
  step.timers.arm(checkpoint_of(id), step.now + *job.spec.checkpoint_interval);
}

void ApplicationMaster::hand_over(StepBuilder& step, AttemptId id) {
  const Attempt* attempt = step.cluster.find_live(id);
  if (attempt == nullptr) return;
  // What another has already done, or a standby has not begun, is not worth an answer.
  if (attempt->standby || farthest(step.cluster, job_, {id.task.index, attempt->held.begin}) != id) {
    return end_attempt(step, id, AttemptEnd::Killed, "its node drains");
  }
  handing_over_.insert(id);
  ask_next_cut(step, id);
}

// What a policy wants comes first: copies may hang on it. Both join a cut that is in flight, because an attempt can
// have one boundary at a time: a second question could be answered before the first, and the segments would not tile.
// A drain asks at the begin of what is held, which the attempt has passed: so it stops where it stands.
void ApplicationMaster::ask_next_cut(StepBuilder& step, AttemptId id) {
  const Attempt* attempt = step.cluster.find_live(id);
  const PlannedCut* planned = speculation_.behind_cut(id);
  if (attempt == nullptr || (planned == nullptr && !handing_over_.contains(id))) return;
  if (attempt->cut) return limit_wait(step, id);
  if (planned != nullptr)
    ask_cut(step, id, {planned->at(), planned->release, CutReason::Speculation, step.now});
  else
    ask_cut(step, id, {attempt->held.begin, true, CutReason::Drain, step.now});
  limit_wait(step, id);
}

// Noted before it is asked, within one step, so no answer meets an attempt that does not know of its question. Not
// durable: after a restart the worker registers again, an answer without a question still divides the segment, and the
// policy decides anew.
void ApplicationMaster::ask_cut(StepBuilder& step, AttemptId id, const CutInFlight& cut) {
  step.cluster.observe_cut(id, cut);
  step.act(action::CutAttempt{step.cluster.find_attempt(id)->node, id, cut.at, cut.release});
}

// The time runs from the first question, whatever waits for the answer now. Otherwise a worker that reconnects often,
// or a policy that joins late, would let a stopped attempt live indefinitely. Looked at again and again, as the limit
// shrinks when other attempts show how fast the job is.
void ApplicationMaster::limit_wait(StepBuilder& step, AttemptId id) {
  step.timers.arm(cut_of(id), std::min(last_moment(step, id), step.now + std::max(step.cut_timeout, kAnswerCheck)));
}

TimePoint ApplicationMaster::last_moment(const StepBuilder& step, AttemptId id) const {
  const Attempt& attempt = *step.cluster.find_attempt(id);
  const Segment& segment = *step.cluster.find_task(id.task)->ledger.find(attempt.held.begin);
  return attempt.cut->asked_at + answer_limit(*step.cluster.find_job(job_), attempt, segment, step.cut_timeout);
}

// It stands still, or its process does: what it holds starts again at its begin, that is at the last sealed offset.
void ApplicationMaster::on_cut_timer(StepBuilder& step, AttemptId id) {
  const Attempt* attempt = step.cluster.find_live(id);
  const PlannedCut* planned = speculation_.behind_cut(id);
  if (attempt == nullptr || !attempt->cut || (planned == nullptr && !handing_over_.contains(id))) return;
  if (!may_race_) return;  // it would map its record again: it is waited for as long as its worker is there
  if (last_moment(step, id) > step.now) return limit_wait(step, id);
  const std::uint64_t begin = attempt->held.begin;
  const std::uint32_t copies = planned != nullptr ? planned->copies() : 0;
  end_attempt(step, id, AttemptEnd::Silent, "it did not answer a cut");  // and `planned` with it
  if (copies > 1 && step.cluster.standing_by(id.task, begin).empty()) {
    // The segment waits again anyway and gets one attempt; the first copy is that one. The others would be forgotten
    // with the planned cut, though they are wanted as before.
    speculation_.add_copies({{id.task.index, begin}, copies, false});
  }
}

// All of it may have arrived. Orders say what is to be and not what to change, so a worker that gets one twice does
// nothing the second time. The sequence matters: a standby has to begin before it can be told where to end, and before
// it can be asked for a cut.
void ApplicationMaster::repeat_orders(StepBuilder& step, AttemptId id) {
  const Attempt* attempt = step.cluster.find_live(id);
  if (attempt->was_standby && attempt->held.begin == attempt->start_offset) {
    step.act(begin_of(step.cluster, id, {attempt->start_offset, attempt->launch_end}));
  }
  if (attempt->held.end != step.cluster.find_task(id.task)->ledger.split().end) end_at(step, id, attempt->held.end);
  if (attempt->cut) step.act(action::CutAttempt{attempt->node, id, attempt->cut->at, attempt->cut->release});
}

// An order and no question: what lies there is not the attempt's any more.
void ApplicationMaster::end_at(StepBuilder& step, AttemptId id, std::uint64_t at) {
  step.act(action::CutAttempt{step.cluster.find_attempt(id)->node, id, at, true});
}

// What the cut was planned for, if a policy wanted it. An answer that keeps the tail although the attempt was asked to
// release it, or the other way round, answers an older master. The boundary counts all the same, but the question stays
// open: its own answer is still to come, and what waits for it would begin behind the wrong boundary.
std::optional<PlannedCut> ApplicationMaster::take_answered(StepBuilder& step, const event::CutAnswered& answer) {
  const AttemptId id = answer.attempt;
  const std::optional<CutInFlight> cut = step.cluster.find_attempt(id)->cut;
  const bool has_nothing_left = answer.at >= step.cluster.find_attempt(id)->held.end;
  if (cut && cut->release != answer.release && !has_nothing_left) return std::nullopt;
  step.cluster.observe_cut_answered(id, step.now);
  step.timers.disarm(cut_of(id));
  if (!cut) return std::nullopt;
  if (cut->why == CutReason::Drain) handing_over_.erase(id);
  return cut->why == CutReason::Speculation ? speculation_.take_behind_cut(id) : std::nullopt;
}

void ApplicationMaster::on_cut_answered(StepBuilder& step, const event::CutAnswered& answer) {
  std::optional<PlannedCut> planned = take_answered(step, answer);
  // The answer may be late: others may have sealed or cut what this attempt held when it was asked. What it holds now
  // is what counts.
  const ByteRange held = step.cluster.find_attempt(answer.attempt)->held;
  // What was planned is forgotten with the master that asked. The engine of an advised job does not go on with the tail
  // while the attempt is there, so one copy does.
  const bool is_left = is_advised_ && answer.release && answer.at > held.begin && answer.at < held.end;
  if (answer.at <= held.begin && answer.release)
    end_attempt(step, answer.attempt, AttemptEnd::Killed, "it released all it held");
  else if (answer.at > held.begin && answer.at < held.end)
    divide_at(step, answer);
  if (planned && answer.at < held.end) {
    speculation_.take_over(step, *std::move(planned), std::max(answer.at, held.begin));
    refresh(step.cluster, answer.attempt.task);  // the pieces that nobody has begun with wait
  } else if (!planned && is_left) {
    speculation_.add_copies({{answer.attempt.task.index, answer.at}, 1, false});
  }
  ask_next_cut(step, answer.attempt);  // something else may have waited for this answer
}

// What waits for the tail of the segment now waits for what lies behind the cut.
void ApplicationMaster::divide_at(StepBuilder& step, const event::CutAnswered& answer) {
  const std::uint32_t task = answer.attempt.task.index;
  const std::uint64_t begin = step.cluster.find_task(answer.attempt.task)->ledger.containing(answer.at)->range.begin;
  step.record(fact::SegmentCut{answer.attempt, begin, answer.at, answer.release});
  speculation_.move({task, begin}, {task, answer.at});
  // The boundary is this attempt's; another that raced the same segment may stand beyond it.
  if (begin != answer.at) settle_race(step, answer.attempt, begin);
}

}  // namespace ontime::scheduler
