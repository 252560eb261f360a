#include "scheduler/policies/decision.h"

namespace ontime::scheduler {
namespace {

struct ReasonText {
  Reason reason;
  std::string_view code;
  std::string_view sentence;
};

constexpr ReasonText kReasons[] = {
    {Reason::Late, "late",
     "it is expected to be done only after the deadline or, without one, after the rest of the job"},
    {Reason::Slow, "slow", "it is slower than its peers, or than attempts of earlier jobs"},
    {Reason::Clone, "clone", "every task starts with copies"},
    {Reason::DivideAtStart, "divide-at-start",
     "a single attempt would be done after the deadline, or without one after the rest of the job, or could easily be"},
    {Reason::PieceLate, "piece-late", "a piece of the divided task is late again"},
    {Reason::SlowerCopy, "slower-copy", "another attempt of the task is ahead of it"},
    {Reason::Replaced, "replaced", "fresh attempts take over for it"},
    {Reason::NotDue, "not-due", "it is not time to look at it yet"},
    {Reason::TooYoung, "too-young", "the attempt has not run long enough to be judged"},
    {Reason::NoEstimate, "no-estimate", "nothing is known about its pace"},
    {Reason::OnSchedule, "on-schedule", "it is expected to be done in time"},
    {Reason::ProgressIsGood, "progress-is-good", "the time it was given has passed already: it is about to end"},
    {Reason::CopyWouldBeLater, "copy-would-be-later", "a copy launched now would be done after it"},
    {Reason::AlreadySpeculating, "already-speculating", "it has as many copies as the policy allows"},
    {Reason::CapReached, "cap-reached", "as many copies run as the policy allows"},
    {Reason::NoFreeSlot, "no-free-slot", "no slot is free"},
    {Reason::NoOtherNode, "no-other-node", "only nodes that work on it already have a free slot"},
    {Reason::RemainingShorterThanLaunch, "remaining-shorter-than-launch",
     "what is left takes less time than launching a copy"},
    {Reason::Hopeless, "hopeless", "no number of copies can bring it in on time"},
    {Reason::NotWorthIt, "not-worth-it", "the gain is smaller than the cost"},
    {Reason::BudgetSpent, "budget-spent", "copies have cost as much machine time as the job itself needs"},
    {Reason::NothingGained, "nothing-gained", "too little came of what dividing promised in this job"},
    {Reason::CutPending, "cut-pending", "fresh attempts for it are on their way"},
    {Reason::NoDeadline, "no-deadline", "the job has no deadline, and the policy works by deadlines"},
};

ReasonText text_of(Reason reason) {
  for (const ReasonText& text : kReasons) {
    if (text.reason == reason) return text;
  }
  return {reason, "unknown", ""};
}

}  // namespace

std::string_view sentence_of(Reason reason) { return text_of(reason).sentence; }

std::string_view code_of(Reason reason) { return text_of(reason).code; }

std::optional<Reason> reason_of_code(std::string_view code) {
  for (const ReasonText& text : kReasons) {
    if (text.code == code) return text.reason;
  }
  return std::nullopt;
}

std::uint32_t copies_of(const Speculate& decision) {
  const auto* given = std::get_if<GivenTail>(&decision.work);
  if (given == nullptr) {
    const auto* whole = std::get_if<WholeSegment>(&decision.work);
    return whole != nullptr ? whole->copies : std::get<SharedTail>(decision.work).copies;
  }
  std::uint32_t copies = 0;
  for (const TailPiece& piece : given->pieces) copies += piece.copies;
  return copies;
}

}  // namespace ontime::scheduler
