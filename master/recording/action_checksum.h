#pragma once
// Actions are not recorded, only a checksum of them: enough to see that a replay would have done the same.

#include <cstdint>
#include <span>

#include "scheduler/core/action.h"

namespace ontime::recording {

// CRC-32C over all that they say, in order.
std::uint32_t checksum_of(std::span<const scheduler::Action> actions);

}  // namespace ontime::recording
