// How the ApplicationMaster carries out what a policy decided. The policy saw the job as it was before the earlier
// decisions of the same plan. So each decision is checked against the job as it is now, and does nothing if it no
// longer fits.
#include <algorithm>
#include <utility>

#include "common/base/units.h"
#include "scheduler/core/application_master.h"

namespace ontime::scheduler {
namespace {

// What the types do not rule out. A policy that breaks it has an error, but the master must not: nothing is done then.
bool is_well_formed(const Speculate& decision) {
  if (copies_of(decision) == 0) return false;
  const auto* tail = std::get_if<GivenTail>(&decision.work);
  if (tail == nullptr) return true;
  const auto is_not_before = [](const TailPiece& a, const TailPiece& b) { return a.begin >= b.begin; };
  return std::adjacent_find(tail->pieces.begin(), tail->pieces.end(), is_not_before) == tail->pieces.end();
}

// The same, so that no record is mapped twice: a tail is given to one fresh attempt and not shared. Nothing is left of
// a race from the begin.
std::optional<Speculate> without_race(Speculate decision) {
  if (std::holds_alternative<WholeSegment>(decision.work)) return std::nullopt;
  if (const auto* shared = std::get_if<SharedTail>(&decision.work))
    decision.work = GivenTail{{{shared->begin, 1}}, shared->handover};
  for (TailPiece& piece : std::get<GivenTail>(decision.work).pieces) piece.copies = 1;
  return decision;
}

}  // namespace

void ApplicationMaster::carry_out(StepBuilder& step, const Speculate& asked) {
  const std::optional<Speculate> allowed = may_race_ ? asked : without_race(asked);
  if (!allowed) return;
  const Speculate& decision = *allowed;
  const Task* task = step.cluster.find_task(decision.task);
  const Segment* segment = task != nullptr ? task->ledger.find(decision.segment) : nullptr;
  if (segment == nullptr || segment->sealed || !is_well_formed(decision)) return;
  if (decision.task.index >= next_fresh_) return;  // its originals come first
  if (!speculation_.can_start(step.cluster, decision)) return;
  const Appraiser appraiser(step.cluster, outlook_, job_, step.now);
  const bool is_race = std::holds_alternative<WholeSegment>(decision.work);
  Judgement judged{is_race ? Judgement::What::Race : Judgement::What::Cut, decision.task, decision.reason};
  judged.worth = appraiser.appraise(decision);
  judged.work = appraiser.work();
  if (!may_carry_out(step, judged, decision, segment->range)) return;
  Speculate told = decision;
  if (const auto ahead = farthest(step.cluster, job_, {decision.task.index, decision.segment})) {
    judged.attempt = ahead->number;
    told.rate = judged.rate = outlook_.pace(*ahead, *step.cluster.find_attempt(*ahead)).rate;
  }
  told.usual_rate = appraiser.usual_rate();
  const std::optional<AttemptId> attempt = speculation_.start(step, told);
  judge(step, judged);
  if (attempt) ask_next_cut(step, *attempt);
}

void ApplicationMaster::judge(StepBuilder& step, Judgement judged) const {
  judged.late = outlook_.slow_first();
  step.cluster.observe_judged(judged, step.now);
}

// Engines that others plan for are not held back: what their attempts cost is theirs to know.
Worth ApplicationMaster::binding(Worth worth) const {
  worth.is_binding = worth.is_binding && !is_as_written_ && !is_advised_;
  return worth;
}

bool ApplicationMaster::may_carry_out(StepBuilder& step, const Judgement& judged, const Speculate& decision,
                                      ByteRange segment) {
  const Worth worth = binding(judged.worth);
  const auto refusal = restraint_.refusal(decision, worth, judged.work);
  if (refusal && worth.is_binding) {
    step.cluster.observe_declined(decision.task, *refusal, step.now);
    return false;
  }
  restraint_.promise(decision, worth, segment);
  return true;
}

bool ApplicationMaster::may_spend(StepBuilder& step, TaskId task, const Worth& appraised, double work) {
  const Worth worth = binding(appraised);
  const auto refusal = restraint_.refusal(worth, work);
  if (refusal && worth.is_binding) {
    step.cluster.observe_declined(task, *refusal, step.now);
    return false;
  }
  restraint_.spend(worth);
  return true;
}

// Clones are wanted for all tasks at once, and weighed for each when it is launched, by what is known then.
bool ApplicationMaster::may_clone(StepBuilder& step, TaskId task) {
  const Appraiser appraiser(step.cluster, outlook_, job_, step.now);
  const Worth worth = appraiser.appraise_clones(clones_, step.cluster.find_task(task)->ledger.split());
  if (!may_spend(step, task, worth, appraiser.work())) return false;
  step.cluster.observe_spent(job_, worth);
  return true;
}

void ApplicationMaster::look_at_promises(StepBuilder& step, std::uint32_t task, ByteRange sealed) {
  const Job& job = *step.cluster.find_job(job_);
  const double now = seconds(step.now - job.submitted_at);
  DecisionNote note;
  if (restraint_.on_sealed(task, sealed, step.cluster.find_task(task_id(task))->ledger, now)) {
    note.text = "The job is not divided any more: too little came of what earlier divisions promised.";
    step.decide(job_, note);
    step.cluster.observe_divided_no_more(job_);
  }
  if (job.tasks_done < job.tasks.size()) return;
  if (const auto slower_by = restraint_.slower_by(now)) {
    note.reason = kSlowerThanNothing;
    note.text = "without copies and cuts the job would have been done about " +
                format_duration(from_seconds(*slower_by)) + " earlier; --policy none";
    step.decide(job_, std::move(note));
  }
}

void ApplicationMaster::on_ready(StepBuilder& step, AttemptId standby) {
  if (const std::optional<AttemptId> attempt = speculation_.on_ready(step, standby)) ask_next_cut(step, *attempt);
}

void ApplicationMaster::carry_out(StepBuilder& step, const Divide& decision) {
  const Task* task = step.cluster.find_task(decision.task);
  if (task == nullptr) return;
  const bool is_whole = outlook_.takes_at_once(step.cluster, *step.cluster.find_job(job_));
  if (is_whole && !is_as_written_) return;  // a piece would take as long, as far as anybody knows
  // Up to the first border that does not fit. What was divided before is kept: each piece is an open segment like any
  // other, so there is nothing to undo.
  const Segment* segment = task->ledger.find(decision.segment);
  if (segment == nullptr || segment->sealed || segment->range.is_open_ended()) return;
  if (!step.cluster.racing(decision.task, decision.segment).empty()) return;
  Divide fitting = decision;
  std::uint64_t begin = decision.segment;
  const auto end = std::ranges::find_if(fitting.borders, [&](std::uint64_t border) {
    return border <= std::exchange(begin, border) || border >= segment->range.end;
  });
  fitting.borders.erase(end, fitting.borders.end());
  if (fitting.borders.empty()) return;
  const Appraiser appraiser(step.cluster, outlook_, job_, step.now);
  const Worth worth = appraiser.appraise(fitting);
  if (!may_spend(step, decision.task, worth, appraiser.work())) return;
  step.cluster.observe_spent(job_, worth);
  begin = decision.segment;
  for (const std::uint64_t border : fitting.borders)
    step.record(fact::SegmentDivided{decision.task, std::exchange(begin, border), border});
  DecisionNote note;
  note.what = DecisionNote::What::Divide;
  note.task = decision.task.index;
  note.reason = code_of(decision.reason);
  note.segment = decision.segment;
  note.pieces = static_cast<std::uint32_t>(fitting.borders.size()) + 1;
  step.decide(job_, std::move(note));
  refresh(step.cluster, decision.task);
}

// A policy may say the same at each look. Only a change is worth a record.
void ApplicationMaster::carry_out(StepBuilder& step, const CloneTasks& decision) {
  if (clones_ == decision.copies || !may_race_) return;
  clones_ = decision.copies;
  DecisionNote note;
  note.what = DecisionNote::What::Clone;
  note.reason = code_of(decision.reason);
  note.copies = clones_;
  step.decide(job_, std::move(note));
}

void ApplicationMaster::carry_out(StepBuilder& step, const EndAttempt& decision) {
  const Attempt* attempt = step.cluster.find_live(decision.attempt);
  if (attempt == nullptr || !may_race_) return;
  const Appraiser appraiser(step.cluster, outlook_, job_, step.now);
  const Worth worth = appraiser.appraise(decision);
  if (!may_spend(step, decision.attempt.task, worth, appraiser.work())) return;
  DecisionNote note;
  note.what = DecisionNote::What::EndAttempt;
  note.task = decision.attempt.task.index;
  note.attempt = decision.attempt.number;
  note.reason = code_of(decision.reason);
  note.segment = attempt->held.begin;
  const double rate = outlook_.pace(decision.attempt, *attempt).rate;
  note.rate = rate;
  note.usual_rate = appraiser.usual_rate();
  step.decide(job_, std::move(note));  // before the end that it explains
  judge(step, {Judgement::What::End, decision.attempt.task, decision.reason, decision.attempt.number, worth,
               appraiser.work(), rate});
  end_attempt(step, decision.attempt, AttemptEnd::Killed, std::string(code_of(decision.reason)));
}

}  // namespace ontime::scheduler
