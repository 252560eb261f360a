#include "scheduler/policies/decision.h"

#include <array>
#include <utility>

namespace ontime::scheduler {
namespace {

constexpr std::array<std::pair<Reason, std::string_view>, 24> kCodes{{
    {Reason::Late, "late"},
    {Reason::Slow, "slow"},
    {Reason::Clone, "clone"},
    {Reason::SpareSlots, "spare-slots"},
    {Reason::DivideAtStart, "divide-at-start"},
    {Reason::PieceLate, "piece-late"},
    {Reason::SlowerCopy, "slower-copy"},
    {Reason::Replaced, "replaced"},
    {Reason::DeadlineMissed, "deadline-missed"},
    {Reason::NotDue, "not-due"},
    {Reason::TooYoung, "too-young"},
    {Reason::NoEstimate, "no-estimate"},
    {Reason::OnSchedule, "on-schedule"},
    {Reason::ProgressIsGood, "progress-is-good"},
    {Reason::CopyWouldBeLater, "copy-would-be-later"},
    {Reason::AlreadySpeculating, "already-speculating"},
    {Reason::CapReached, "cap-reached"},
    {Reason::NoFreeSlot, "no-free-slot"},
    {Reason::NoOtherNode, "no-other-node"},
    {Reason::RemainingShorterThanLaunch, "remaining-shorter-than-launch"},
    {Reason::Hopeless, "hopeless"},
    {Reason::NotWorthIt, "not-worth-it"},
    {Reason::CutPending, "cut-pending"},
    {Reason::NoDeadline, "no-deadline"},
}};

constexpr std::pair<Reason, std::string_view> kSentences[] = {
    {Reason::Late, "it is expected to be done only after the deadline"},
    {Reason::Slow, "it is slower than its peers"},
    {Reason::Clone, "every task starts with copies"},
    {Reason::SpareSlots, "slots are free and nothing waits for them"},
    {Reason::DivideAtStart, "even an undisturbed attempt would be done only after the deadline"},
    {Reason::PieceLate, "a piece of the divided task is late again"},
    {Reason::SlowerCopy, "another attempt of the task is ahead of it"},
    {Reason::Replaced, "fresh attempts take over for it"},
    {Reason::DeadlineMissed, "the job has missed its deadline"},
    {Reason::NotDue, "it is not time to look at it yet"},
    {Reason::TooYoung, "the attempt has not run long enough to be judged"},
    {Reason::NoEstimate, "nothing is known about its pace"},
    {Reason::OnSchedule, "it is expected to be done in time"},
    {Reason::ProgressIsGood, "the time it was given has passed already: it is about to end"},
    {Reason::CopyWouldBeLater, "a copy launched now would be done after it"},
    {Reason::AlreadySpeculating, "it has as many copies as the policy allows"},
    {Reason::CapReached, "as many copies run as the policy allows"},
    {Reason::NoFreeSlot, "no slot is free"},
    {Reason::NoOtherNode, "only nodes that work on it already have a free slot"},
    {Reason::RemainingShorterThanLaunch, "what is left takes less time than launching a copy"},
    {Reason::Hopeless, "no number of copies can bring it in on time"},
    {Reason::NotWorthIt, "the gain is smaller than the cost"},
    {Reason::CutPending, "fresh attempts for it are on their way"},
    {Reason::NoDeadline, "the job has no deadline, and the policy works by deadlines"},
};

}  // namespace

std::string_view sentence_of(Reason reason) {
  for (const auto& [known, sentence] : kSentences) {
    if (known == reason) return sentence;
  }
  return "";
}

std::string_view code_of(Reason reason) {
  for (const auto& [known, code] : kCodes) {
    if (known == reason) return code;
  }
  return "unknown";
}

std::optional<Reason> reason_of_code(std::string_view code) {
  for (const auto& [reason, known] : kCodes) {
    if (known == code) return reason;
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

std::optional<std::uint64_t> resume_offset(const Speculate& decision) {
  if (const auto* shared = std::get_if<SharedTail>(&decision.work)) return shared->begin;
  if (const auto* given = std::get_if<GivenTail>(&decision.work)) return given->pieces.front().begin;
  return std::nullopt;
}

}  // namespace ontime::scheduler
