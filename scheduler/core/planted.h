#pragma once
// Errors that are built in on purpose, to show that the simulator finds them. In every build but that of the test
// which plants them, planted() is false at compile time and nothing of them is left in the program.

#include <cstdint>

namespace ontime {

enum class Plant : std::uint8_t {
  None,
  // In the scheduler.
  CutLosesAByte,         // the segment behind a cut begins one byte too late
  FencedSealAccepted,    // a seal counts though its attempt was given up
  LostNodeKeepsAttempt,  // one attempt of a node that is lost is forgotten
  ReleasedRestLost,      // what an attempt has released waits for nobody
  CommittedAgain,        // a job that has succeeded is committed, and reported, once more by the next master
  KilledWhileCommitted,  // a job can be killed while its output is being committed
  EpochNotRaised,        // a new master goes on under the old epoch
  GoneAttemptKept,       // an attempt that its worker does not run any more stays live
  ResumedTooFar,         // an attempt behind a cut is told to begin one byte too late
  KillNotRecorded,       // that an attempt was killed is not written down
  ReleasedTooEarly,      // a worker that leaves may end before it has handed everything over
  // In the shell around it, as the simulator has it.
  ActedTooEarly,     // actions are performed before their records are durable
  RecordNotWritten,  // the last record of every sixteenth batch is left out
  TornBatchRead,     // what is whole of a torn batch is taken
  ClockSetBack,      // a new master takes the wall clock as it is
  // In the worker, as the simulator has it.
  SealedTooEarly,  // a seal is reported before its output is on disk
  StopsTooLate,    // after a cut one record too many is mapped
  SkipsARecord,    // a reader that begins behind a cut skips the first record
};

#ifdef ONTIME_PLANTED
inline namespace with_plants {
bool planted(Plant plant);
}
#else
constexpr bool planted(Plant) { return false; }
#endif

}  // namespace ontime
