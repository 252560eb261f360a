#include "scheduler/policy/s_restart.h"

#include <algorithm>

namespace ontime::scheduler {

Chronos::Verdict SRestart::help(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice,
                                const Piece& piece) {
  const auto decline = [&](Reason reason, Verdict verdict) {
    turn.plan.add(Decline{piece.task, reason});
    return verdict;
  };
  if (!choice.r) return decline(Reason::Hopeless, Verdict::Settled);
  if (*choice.r == 0) return decline(Reason::NotWorthIt, Verdict::Settled);
  if (turn.budget == 0) return decline(Reason::NoFreeSlot, Verdict::LookAgain);
  const std::uint32_t copies = std::min(*choice.r, turn.budget);
  turn.budget -= copies;
  Speculate decision;
  decision.task = piece.task;
  decision.segment = piece.range.begin;
  decision.copies = {copies};
  decision.completion = piece.completion();
  decision.pocd_before = 0;
  const double left = job.deadline() - job.since_submission(turn.view.now) - choice.durations.launch;
  decision.pocd_after = chance_of_fresh(choice.durations, static_cast<double>(piece.range.size()), left, copies);
  turn.plan.add(std::move(decision));
  return Verdict::Racing;
}

}  // namespace ontime::scheduler
