#pragma once
// Why a policy did something, or did not although one might have expected it. Shown to people by its code ("too-young")
// and stored by its code, so the order here may change.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ontime::scheduler {

enum class Reason : std::uint8_t {
  // Copies are launched
  Late,           // the estimated completion is after the deadline
  Slow,           // slower than its peers, by the policy's own rule
  Clone,          // every task starts with copies
  SpareSlots,     // nothing waits and slots are free
  DivideAtStart,  // even an undisturbed attempt would be late
  PieceLate,      // a piece of a divided task is late again
  // Attempts and jobs are ended
  SlowerCopy,      // another attempt of the task is ahead of it
  Replaced,        // fresh attempts take over for it
  DeadlineMissed,  // of the job
  // Nothing is done
  NotDue,              // the policy does not look yet
  TooYoung,            // the attempt has not run long enough to be judged
  NoEstimate,          // nothing is known about its pace
  OnSchedule,          // it is expected to be in time
  ProgressIsGood,      // its estimate has passed already: it is about to end
  CopyWouldBeLater,    // a copy started now would end after it
  AlreadySpeculating,  // it has as many copies as the policy allows
  CapReached,          // of all copies
  NoFreeSlot,
  NoOtherNode,                 // only nodes that already work on it have a slot
  RemainingShorterThanLaunch,  // what is left takes less time than launching a copy
  Hopeless,                    // no number of copies can bring it in on time
  NotWorthIt,                  // the gain is smaller than the cost
  CutPending,                  // fresh attempts for it are on their way
  NoDeadline,                  // the job has none and the policy works by deadlines
};

std::string_view code_of(Reason reason);                      // "too-young"
std::string_view sentence_of(Reason reason);                  // "the attempt has not run long enough to be judged"
std::optional<Reason> reason_of_code(std::string_view code);  // nothing for an unknown one

}  // namespace ontime::scheduler
