#pragma once
// What is under way between the master and the simulated workers.

#include <cstdint>

#include "scheduler/core/action.h"
#include "scheduler/core/event.h"

namespace ontime::lab {

// Arrives only if the connection that it was sent on still stands.
struct Order {
  std::uint32_t node = 0;  // index
  std::uint32_t connection = 0;
  scheduler::Action what;
};
struct Report {
  std::uint32_t node = 0;
  std::uint32_t connection = 0;
  std::uint64_t number = 0;  // to be acknowledged; 0: a heartbeat
  scheduler::Event what;
};

}  // namespace ontime::lab
