#pragma once
// Which places in the programs schedules have reached, and how often, as fuzzers count it. Only in a build that counts
// (ONTIME_COUNT_PLACES in CMake); others reach nothing.

#include <cstdint>

namespace ontime::lab::faults {

bool are_places_counted();

// In the real process of a schedule: counts from here on, and how many places were reached that no process which was
// forked from the same one has reached so often: once, 8 times, 64 times. REQUIRES: share_reached() before any was
// forked.
void share_reached();
void begin_to_count();
std::uint32_t newly_reached();

}  // namespace ontime::lab::faults
