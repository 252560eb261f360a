#pragma once
// What happens in the scheduler as one line each: the name of the fact, event or action, and its fields. This is the
// only description. The master's log, the texts of recordings, the simulator's log and the text scenarios of the tests
// show it.
//
//   attempt_launched attempt=job-1/t00003/a1 node=node-2 range=43-100 speculative

#include <cstdint>
#include <string>

#include "scheduler/core/action.h"
#include "scheduler/core/event.h"
#include "scheduler/core/record.h"

namespace ontime::scheduler {

enum class Ids : std::uint8_t {
  Own,  // attempt=job-1/t00003/a1
  All   // with those above it, by which logs are searched: job=job-1 task=job-1/t00003 attempt=job-1/t00003/a1
};

std::string describe(const Fact& fact, Ids ids = Ids::Own);
std::string describe(const Event& event);
std::string describe(const Action& action);

}  // namespace ontime::scheduler
