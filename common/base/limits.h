#pragma once
// Bounds on what users may ask for, which several programs hold.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "common/base/result.h"
#include "common/base/time.h"

namespace ontime {

// The greatest offset in an input, and the most bytes that the inputs of a job hold. Sums of two do not overflow.
inline constexpr std::uint64_t kOffsetMax = std::uint64_t{1} << 62;
inline constexpr std::uint32_t kTasksOfJobMax = 10'000'000;
inline constexpr std::uint32_t kSlotsOfWorkerMax = 512;
inline constexpr std::uint32_t kFailuresOfSegmentMax = 100;
inline constexpr std::size_t kShippedBytesMax = 4u << 20;  // of the files that a job brings
inline constexpr int kShippedFilesMax = 1000;              // as each attempt may have a link to each
inline constexpr std::int32_t kPriorityMost = 1000;        // the least is its negative
constexpr bool is_priority(std::int32_t number) { return number >= -kPriorityMost && number <= kPriorityMost; }
inline constexpr Duration kAttemptTimeoutMin = std::chrono::milliseconds(100);  // attempts tell no more often
inline constexpr std::uint64_t kAttemptMemoryMin = 16u << 20;
inline constexpr Duration kHeartbeatMin = std::chrono::milliseconds(1);

// BadInput if a live worker would be taken for lost between two heartbeats.
Status check_intervals(Duration heartbeat, Duration node_timeout);

}  // namespace ontime
