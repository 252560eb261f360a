#pragma once
// What a policy may ask for. The ApplicationMaster carries it out: cuts, launches, kills.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/ids.h"

namespace ontime::scheduler {

// Why a policy did something, or did not although one might have expected it. Shown to people by its code ("too-young")
// and stored by its code, so the order here may change.
enum class Reason : std::uint8_t {
  // Copies are launched
  Late,           // the estimated completion is after the deadline
  Slow,           // slower than its peers, by the policy's own rule
  Clone,          // every task starts with copies
  DivideAtStart,  // a single attempt would be late, or could easily be
  PieceLate,      // a piece of a divided task is late again
  // Attempts and jobs are ended
  SlowerCopy,  // another attempt of the task is ahead of it
  Replaced,    // fresh attempts take over for it
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
  BudgetSpent,                 // copies have cost as much as the job's own work
  NothingGained,               // too little came of what earlier decisions promised
  CutPending,                  // fresh attempts for it are on their way
  NoDeadline,                  // the job has none and the policy works by deadlines
};

std::string_view code_of(Reason reason);                      // "too-young"
std::string_view sentence_of(Reason reason);                  // "the attempt has not run long enough to be judged"
std::optional<Reason> reason_of_code(std::string_view code);  // nothing for an unknown one

// When the tail that fresh attempts take over is cut off.
enum class Handover : std::uint8_t {
  Predicted,  // now, at an offset beyond the straggler that it is expected to reach while they are launched
  Ready       // when the first of them is ready to map; until then the straggler goes on
};

// What fresh attempts work on. The attempt that is cut is the one that has got farthest. It may stand beyond the tail's
// begin by the time it answers; then the tail begins where it stands. With Handover::Ready the begin is the earliest
// offset to cut at (0: wherever the attempt stands).

// The segment from its begin on (restart). Nothing is cut, and the attempt on it goes on.
struct WholeSegment {
  std::uint32_t copies = 1;
};

// The tail from `begin` on. The attempt that is cut goes on and races for it too.
struct SharedTail {
  std::uint64_t begin = 0;
  std::uint32_t copies = 1;
  Handover handover = Handover::Predicted;
};

// A part of a tail, up to the next piece or the segment's end.
struct TailPiece {
  std::uint64_t begin = 0;
  std::uint32_t copies = 1;
};

// The tail from the first piece on. The attempt that is cut stops at the cut, so the tail may be divided. Pieces that
// it has passed by then are left out.
struct GivenTail {
  std::vector<TailPiece> pieces;  // ascending, not empty
  Handover handover = Handover::Predicted;
};

// Race the open segment that begins at `segment`, or a tail of it, with fresh attempts.
struct Speculate {
  TaskId task;
  std::uint64_t segment = 0;
  std::variant<WholeSegment, SharedTail, GivenTail> work;
  Reason reason = Reason::Late;
  // For people: when the task, or what is left of this segment, was expected to be done without it (seconds after
  // submission), and the task's probability to make the deadline before and after this decision. NaN: not known.
  double completion = std::numeric_limits<double>::quiet_NaN();
  double pocd_before = std::numeric_limits<double>::quiet_NaN();
  double pocd_after = std::numeric_limits<double>::quiet_NaN();
  // Bytes per second of the attempt that is ahead, and of usual ones; 0: not known. The ApplicationMaster says so.
  double rate = 0;
  double usual_rate = 0;
};

// Fresh attempts in all.
std::uint32_t copies_of(const Speculate& decision);

// Divide an open segment that nobody works on; each piece then waits for an attempt of its own. Not for segments with
// an unknown end.
struct Divide {
  TaskId task;
  std::uint64_t segment = 0;
  std::vector<std::uint64_t> borders;  // ascending, within the segment
  Reason reason = Reason::DivideAtStart;
};

// Tasks of the job that are launched from now on start with so many attempts besides the original.
struct CloneTasks {
  JobId job;
  std::uint32_t copies = 0;
  Reason reason = Reason::Clone;
};

struct EndAttempt {
  AttemptId attempt;
  Reason reason = Reason::SlowerCopy;
};

// Nothing was done for this task although one might have expected it.
struct Decline {
  TaskId task;
  Reason reason = Reason::OnSchedule;
};

// For people, stored with the job: which parameters were chosen and why ("r = 2: ...").
struct Note {
  JobId job;
  std::string text;
  std::optional<std::uint32_t> number{};  // the r or c that was chosen; none: no copies
  std::string policy{};                   // that `auto` has chosen
};

using Decision = std::variant<Speculate, Divide, CloneTasks, EndAttempt, Decline, Note>;

}  // namespace ontime::scheduler
