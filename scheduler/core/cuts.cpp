// The one way to cut an attempt's work: a question, a time-out, an answer; for checkpoints, for fresh attempts that take
// over, and for nodes that drain. At most one is in flight for an attempt, and none waits for one that nobody answers:
//
//   none --ask_cut--> in flight --answered--> none --somebody else waits: ask_cut--> in flight
//                         |  ^
//                         |  '-- the worker registers again: the same question again
//                         '-- overdue, and somebody waits: the attempt is ended
#include <algorithm>

#include "scheduler/core/application_master.h"
#include "scheduler/core/patience.h"

namespace ontime::scheduler {

// Nobody waits for this one: a policy that wants a cut meanwhile joins it, and asks its own when it is answered.
void ApplicationMaster::on_checkpoint_due(Turn& turn, AttemptId id) {
  const Attempt* attempt = turn.cluster.find_live(id);
  if (attempt == nullptr) return;
  const bool is_alone = turn.cluster.racing(id.task, attempt->held.begin).size() == 1 &&
                        turn.cluster.standing_by(id.task, attempt->held.begin).empty();
  const bool has_progressed = attempt->offset > attempt->held.begin && attempt->offset < attempt->held.end;
  if (is_alone && has_progressed && !attempt->cut && !attempt->standby) {
    ask_cut(turn, id, {attempt->offset, false, CutReason::Checkpoint, turn.now});
  }
  turn.timers.arm(checkpoint_of(id), turn.now + turn.cluster.find_job(job_)->spec.checkpoint_interval);
}

void ApplicationMaster::hand_over(Turn& turn, AttemptId id) {
  const Attempt* attempt = turn.cluster.find_live(id);
  if (attempt == nullptr) return;
  // What another has already done, or a standby has not begun, is not worth an answer.
  if (attempt->standby || farthest(turn.cluster, job_, {id.task.index, attempt->held.begin}) != id) {
    return end_attempt(turn, id, AttemptEnd::Killed, "its node drains");
  }
  handing_over_.insert(id);
  ask_next_cut(turn, id);
}

// What a policy wants comes first: copies may hang on it. Both join a cut that is in flight.
void ApplicationMaster::ask_next_cut(Turn& turn, AttemptId id) {
  const Attempt* attempt = turn.cluster.find_live(id);
  const Speculate* decision = speculation_.behind_cut(id);
  if (attempt == nullptr || (decision == nullptr && !handing_over_.contains(id))) return;
  if (attempt->cut) return limit_wait(turn, id);
  if (decision != nullptr)
    ask_cut(turn, id, {*decision->resume_at, decision->release, CutReason::Speculation, turn.now});
  else
    ask_cut(turn, id, {attempt->held.begin, true, CutReason::Drain, turn.now});
  limit_wait(turn, id);
}

void ApplicationMaster::ask_cut(Turn& turn, AttemptId id, const CutInFlight& cut) {
  turn.cluster.observe_cut(id, cut);
  turn.act(action::CutAttempt{turn.cluster.find_attempt(id)->node, id, cut.at, cut.release});
}

// From the moment at which it was asked, whatever waits for the answer now.
void ApplicationMaster::limit_wait(Turn& turn, AttemptId id) {
  const Attempt& attempt = *turn.cluster.find_attempt(id);
  const Segment& segment = *turn.cluster.find_task(id.task)->ledger.find(attempt.held.begin);
  turn.timers.arm(cut_of(id), attempt.cut->asked_at + answer_limit(attempt, segment, turn.cut_timeout));
}

// It stands still, or its process does: what it holds starts again at its begin, that is at the last sealed offset.
void ApplicationMaster::on_cut_timer(Turn& turn, AttemptId id) {
  const Attempt* attempt = turn.cluster.find_live(id);
  const Speculate* decision = speculation_.behind_cut(id);
  if (attempt == nullptr || !attempt->cut || (decision == nullptr && !handing_over_.contains(id))) return;
  const std::uint64_t begin = attempt->held.begin;
  std::uint32_t copies = 0;
  if (decision != nullptr) {
    for (const std::uint32_t some : decision->copies) copies += some;
  }
  end_attempt(turn, id, AttemptEnd::Silent, "it did not answer a cut");  // and `decision` with it
  if (copies > 1 && turn.cluster.standing_by(id.task, begin).empty()) {
    speculation_.add_copies({{id.task.index, begin}, copies, false});  // the first of them starts it again
  }
}

void ApplicationMaster::repeat_orders(Turn& turn, AttemptId id) {
  const Attempt* attempt = turn.cluster.find_live(id);
  if (attempt->was_standby && attempt->held.begin == attempt->start_offset) {
    turn.act(action::BeginAttempt{attempt->node, id, {attempt->start_offset, attempt->launch_end}});
  }
  if (attempt->held.end != turn.cluster.find_task(id.task)->ledger.split().end) end_at(turn, id, attempt->held.end);
  if (attempt->cut) turn.act(action::CutAttempt{attempt->node, id, attempt->cut->at, attempt->cut->release});
}

// An order and no question: what lies there is not the attempt's any more.
void ApplicationMaster::end_at(Turn& turn, AttemptId id, std::uint64_t at) {
  turn.act(action::CutAttempt{turn.cluster.find_attempt(id)->node, id, at, true});
}

// The decision that the cut was made for, if it was made for one. A boundary that is kept where the attempt was asked to give up its
// rest, or the other way round, answers an older master: the cut stays in flight.
std::optional<Speculate> ApplicationMaster::take_answered(Turn& turn, const event::CutAnswered& answer) {
  const AttemptId id = answer.attempt;
  const std::optional<CutInFlight> cut = turn.cluster.find_attempt(id)->cut;
  const bool has_nothing_left = answer.at >= turn.cluster.find_attempt(id)->held.end;
  if (cut && cut->release != answer.release && !has_nothing_left) return std::nullopt;
  turn.cluster.observe_cut(id, std::nullopt);
  turn.timers.disarm(cut_of(id));
  if (!cut) return std::nullopt;
  if (cut->why == CutReason::Drain) handing_over_.erase(id);
  return cut->why == CutReason::Speculation ? speculation_.take_behind_cut(id) : std::nullopt;
}

void ApplicationMaster::on_cut_answered(Turn& turn, const event::CutAnswered& answer) {
  std::optional<Speculate> decision = take_answered(turn, answer);
  const ByteRange held = turn.cluster.find_attempt(answer.attempt)->held;
  if (answer.at <= held.begin && answer.release)
    end_attempt(turn, answer.attempt, AttemptEnd::Killed, "it released all it held");
  else if (answer.at > held.begin && answer.at < held.end)
    divide_at(turn, answer);
  if (decision && answer.at < held.end) {
    speculation_.take_over(turn, std::move(*decision), std::max(answer.at, held.begin));
    refresh(turn.cluster, answer.attempt.task);  // the pieces that nobody has begun with wait
  }
  ask_next_cut(turn, answer.attempt);
}

// What waits for the tail of the segment now waits for what lies behind the cut.
void ApplicationMaster::divide_at(Turn& turn, const event::CutAnswered& answer) {
  const std::uint32_t task = answer.attempt.task.index;
  const std::uint64_t begin = turn.cluster.find_task(answer.attempt.task)->ledger.containing(answer.at)->range.begin;
  turn.record(record::SegmentCut{answer.attempt, begin, answer.at, answer.release});
  speculation_.move({task, begin}, {task, answer.at});
  // The boundary is this attempt's; another that raced the same segment may stand beyond it.
  if (begin != answer.at) settle_race(turn, answer.attempt, begin);
}

}  // namespace ontime::scheduler
