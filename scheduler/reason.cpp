#include "scheduler/reason.h"

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

}  // namespace

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

}  // namespace ontime::scheduler
