#pragma once
// What is wrong with a plan that a policy of one's own has made: whatever the types do not rule out and a policy of
// ours does not do.

#include <string>

#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

inline constexpr std::size_t kPlanPartsMax = 100'000;  // decisions, pieces and borders together
inline constexpr std::uint32_t kCopiesMax = 1000;      // of one segment, piece or task
inline constexpr std::size_t kNoteBytesMax = 1024;

// The first flaw, as the end of a sentence: "it names job-7/t00003, which is not there"; empty: there is none. A plan
// without one names only what the view shows, is bounded, and asks for nothing that a segment cannot give.
std::string flaw_of(const Plan& plan, const View& view);

}  // namespace ontime::scheduler
