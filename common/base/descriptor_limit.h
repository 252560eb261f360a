#pragma once

#include <cstdint>

namespace ontime {

// Lets this process have as many open files and connections as it may: the soft limit is often a thousand where the
// hard one is a million. Best effort; how many that are now.
std::uint64_t raise_descriptor_limit();

}  // namespace ontime
