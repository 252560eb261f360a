// All orders of events, up to a number of them, of the shipped scheduler against the formal model. ONTIME_MODEL_DEPTH=N
// looks N events further.
#include "tests/model/exploration.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/model/scenes.h"
#include "tests/support/sanitized.h"

namespace ontime::model {
namespace {

std::size_t further() {
  const char* const given = std::getenv("ONTIME_MODEL_DEPTH");
  return given != nullptr ? std::stoul(given) : 0;
}

class Exploration : public testing::TestWithParam<Scene> {};

TEST_P(Exploration, FindsNothingWrongInAnyOrder) {
  Search search = GetParam().search;
  search.depth += further();
  if (test::kIsSanitized) search.depth -= 2;
  if (further() > 0) search.every_nth_ends = 1;
  const Findings found = explore(search);
  EXPECT_EQ(found.broken, "");
  std::printf("%s: %zu events: %zu places, %zu choices, %zu ends\n", GetParam().name.c_str(), search.depth,
              found.places.size(), found.choices, found.ends_tried);
}

INSTANTIATE_TEST_SUITE_P(Of, Exploration, testing::ValuesIn(scenes()),
                         [](const auto& param) { return param.param.name; });

// Nothing hides behind a place that was reached before in another way.
TEST(ExplorationMerges, LosesNoPlace) {
  for (const Scene& scene : scenes()) {
    Search search = scene.search;
    search.depth = test::kIsSanitized ? 3 : 4;
    search.every_nth_ends = 1u << 30;
    const Findings merged = explore(search);
    search.merges = false;
    const Findings all = explore(search);
    EXPECT_TRUE(merged.places == all.places)
        << scene.name << ": " << merged.places.size() << " places of " << all.places.size();
    EXPECT_LT(merged.choices, all.choices) << scene.name;
  }
}

}  // namespace
}  // namespace ontime::model
