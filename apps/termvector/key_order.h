#pragma once
// Sorts a few numbers without a branch on any of them: the place of each is how many are smaller.

#include <cstdint>
#include <span>

#include "apps/text/instruction_set.h"

namespace ontime::apps {

inline constexpr std::size_t kMaxKeys = 32;

// Writes to order[k] the index of the k-th smallest key. REQUIRES: the keys differ; at most kMaxKeys; `order` as long.
void order_keys(std::span<const std::int64_t> keys, std::span<std::uint32_t> order,
                InstructionSet set = best_instruction_set());

}  // namespace ontime::apps
