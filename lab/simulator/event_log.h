#pragma once
// One line for each thing that reaches the scheduler and each thing it asks for:
// "12.500000000 < segment_sealed attempt=job-1/t00003/a0 ...".

#include <string>

#include "common/base/time.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"

namespace ontime::lab {

std::string line_of(TimePoint at, const scheduler::Event& event);
std::string line_of(TimePoint at, const scheduler::Action& action);

}  // namespace ontime::lab
