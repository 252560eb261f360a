#include "simulator/faults/plants.h"

namespace ontime {

#ifdef ONTIME_PLANTED
namespace {
Plant chosen = Plant::None;
}

inline namespace with_plants {
bool planted(Plant plant) { return plant == chosen; }
}  // namespace with_plants
#endif

namespace simulator::faults {

#ifdef ONTIME_PLANTED
void plant(Plant plant) { chosen = plant; }
#endif

const std::vector<PlantName>& plants() {
  static const std::vector<PlantName> all = {
      {Plant::CutLosesAByte, "cut-loses-a-byte"},
      {Plant::FencedSealAccepted, "fenced-seal-accepted"},
      {Plant::LostNodeKeepsAttempt, "lost-node-keeps-attempt"},
      {Plant::ReleasedRestLost, "released-rest-lost"},
      {Plant::CommittedAgain, "committed-again"},
      {Plant::KilledWhileCommitted, "killed-while-committed"},
      {Plant::EpochNotRaised, "epoch-not-raised"},
      {Plant::GoneAttemptKept, "gone-attempt-kept"},
      {Plant::ResumedTooFar, "resumed-too-far"},
      {Plant::KillNotRecorded, "kill-not-recorded"},
      {Plant::ReleasedTooEarly, "released-too-early"},
      {Plant::ActedTooEarly, "acted-too-early"},
      {Plant::RecordNotWritten, "record-not-written"},
      {Plant::TornBatchRead, "torn-batch-read"},
      {Plant::ClockSetBack, "clock-set-back"},
      {Plant::SealedTooEarly, "sealed-too-early"},
      {Plant::StopsTooLate, "stops-too-late"},
      {Plant::SkipsARecord, "skips-a-record"},
  };
  return all;
}

}  // namespace simulator::faults
}  // namespace ontime
