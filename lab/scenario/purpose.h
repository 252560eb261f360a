#pragma once
// What random numbers of a run are drawn for: each purpose has streams of its own (common/base/random.h).

#include <cstdint>

namespace ontime::lab {

// Never renumber: seeds of reported runs depend on it.
enum class Purpose : std::uint64_t {
  Arrivals = 1,
  JobSize = 2,
  NodeSlowness = 3,
  NodeScore = 4,
  Launch = 5,
  Duration = 6,
  Heartbeat = 7,
  Crash = 8,
  Outage = 9,
  JobScale = 10,
  Skew = 11,
  NetworkDelay = 12,
  PacketLoss = 13,
  Sync = 14,
  Commit = 15,
  Choice = 16,
  SplitLength = 17,
  History = 18,
  Start = 19,
  RecordTime = 20,
  BoundTimes = 21,
  BoundLaunches = 22,
  Deadline = 23,
  SlownessChange = 24,
  Faults = 10,  // of fault schedules, which have no JobScale
  Store = 16,   // of fault schedules too
  Loss = 17,    // likewise
  Sharing = 18,
  Test = 100,
};

}  // namespace ontime::lab
