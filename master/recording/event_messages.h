#pragma once
// Events of the scheduler as protobuf messages. For entry_codec.cpp only.

#include "common/base/result.h"
#include "master/recording/recording.pb.h"
#include "scheduler/core/event.h"

namespace ontime::recording {

void put(const scheduler::Event& from, stored::Event* to);
// What decodes is what was encoded. A message that holds no event that this version knows is an error.
Result<scheduler::Event> read_event(const stored::Event& from);

}  // namespace ontime::recording
