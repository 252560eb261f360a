#pragma once
// A worker process.

#include <cstdint>
#include <set>
#include <string>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/duty.h"

namespace ontime::scheduler {

// Silent: known, but not heard of since the master's start or since its connection was dropped.
enum class NodeState : std::uint8_t { Live, Silent, Lost };

struct Node {
  std::string incarnation;  // random, one per worker process
  std::string name;
  std::string host;
  std::uint32_t slots = 0;
  NodeState state = NodeState::Silent;
  Duty duty = Duty::Serves;
  bool synchronised = false;   // has sent its inventory since it last registered; only then gets work
  TimePoint heard_at;          // last event from it
  TimePoint lost_at;           // when it was given up, if it was; later than its silence says if the master slept
  std::set<AttemptId> live;    // attempts that occupy its slots; never more than `slots`
  std::uint32_t failures = 0;  // attempts that failed here
  std::uint32_t jobs = 0;      // remembered ones that ever ran an attempt here
};

}  // namespace ontime::scheduler
