#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "apps/termvector/term_vector.h"

namespace ontime::apps {
namespace {

TEST(KeyOrder, IsThatOfASortWithAnyInstructionSet) {
  EXPECT_TRUE(rc::check([] {
    const auto drawn = *rc::gen::container<std::set<std::int64_t>>(rc::gen::arbitrary<std::int64_t>());
    std::vector<std::int64_t> keys(drawn.begin(), drawn.end());
    keys.resize(std::min(keys.size(), kMaxKeys));
    std::shuffle(keys.begin(), keys.end(), std::minstd_rand(static_cast<unsigned>(*rc::gen::arbitrary<int>())));
    std::vector<std::uint32_t> expected(keys.size());
    std::iota(expected.begin(), expected.end(), 0U);
    std::sort(expected.begin(), expected.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    for (const InstructionSet set : instruction_sets()) {
      std::vector<std::uint32_t> order(keys.size());
      order_keys(keys, order, set);
      RC_ASSERT(order == expected);
    }
  }));
}

}  // namespace
}  // namespace ontime::apps
