#include "scheduler/policy/s_resume.h"

#include <algorithm>

namespace ontime::scheduler {

Chronos::Verdict SResume::help(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice, const Piece& piece) {
  const auto decline = [&](Reason reason, Verdict verdict) {
    turn.plan.add(Decline{piece.task, reason});
    return verdict;
  };
  if (!choice.r) return decline(Reason::Hopeless, Verdict::Settled);
  const double launch = choice.durations.launch;
  const auto resume_at = handover_offset(piece.racers.front(), piece, launch, job, turn.view.now);
  if (!resume_at) return decline(Reason::RemainingShorterThanLaunch, Verdict::Settled);
  if (turn.budget == 0) return decline(Reason::NoFreeSlot, Verdict::LookAgain);
  const std::uint32_t copies = std::min(*choice.r + 1, turn.budget);
  turn.budget -= copies;
  Speculate decision;
  decision.task = piece.task;
  decision.segment = piece.range.begin;
  decision.handover = settings().handover;
  decision.resume_at = decision.handover == Handover::Ready ? 0 : *resume_at;
  decision.release = true;
  decision.copies = {copies};
  decision.completion = piece.completion();
  decision.pocd_before = 0;
  const double left = job.deadline() - job.since_submission(turn.view.now) - launch;
  const auto rest = static_cast<double>(piece.range.end - *resume_at);
  decision.pocd_after = chance_of_fresh(choice.durations, rest, left, copies);
  turn.plan.add(std::move(decision));
  return Verdict::Racing;
}

}  // namespace ontime::scheduler
