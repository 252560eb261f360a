#pragma once
// How one attempt came along in one segment, by its runner's clock: what tells what a segment costs before its first
// byte (a command that loads a model first) from what its bytes cost.

#include <cstdint>

#include "common/base/time.h"

namespace ontime::scheduler {

// Times of the segment that an attempt works on, at its report, or of a sealed segment, at its seal. Bytes are taken
// when the application asks for what follows. A command takes them when it reads its pipe, a buffer before it maps
// them; other applications take them when they have mapped them. So from `first` to `last` a command maps all that it
// took before `last`, and the others map all that they took behind `first`: only the runner knows which.
struct SegmentTimes {
  Duration age{0};                // since the segment began. 0: its worker says nothing of it
  Duration first{0};              // from its begin until the first bytes were taken; 0 if none were, see moves
  Duration last{0};               // from its begin until the latest bytes were taken
  std::uint64_t timed_bytes = 0;  // bytes that were mapped from `first` to `last`; 0 if bytes were taken once at most
  std::uint32_t moves = 0;        // how often bytes were taken. 0: none yet, it is still in its start

  bool is_known() const { return age > Duration::zero(); }
  bool is_starting() const { return is_known() && moves == 0; }
  bool operator==(const SegmentTimes&) const = default;
};

}  // namespace ontime::scheduler
