// Fault schedules find errors: each one that is planted is found within so many of them, and they end well without it.
#include "tests/faults/planted/planted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/cluster_run.h"
#include "tests/faults/planted/found_by_search.h"
#include "tests/faults/planted/planted_search.h"

namespace ontime::lab::faults {
namespace {

struct Bound {
  std::string_view error;
  std::uint64_t schedules;  // within which it is found: several times what it took when this was written
};
constexpr Bound kBounds[] = {
    {"acknowledged-before-durable", 5000},
    {"acted-before-durable", 5000},
    {"answered-before-durable", 1000},
    {"batch-in-two-writes", 1000},
    {"claim-written-over", 500},
    {"claims-past-its-end", 20},
    {"committed-again", 20},
    {"cut-loses-a-byte", 20},
    {"epoch-not-raised", 20},
    {"extent-from-the-start", 100},
    {"fenced-seal-accepted", 200},
    {"full-disk-forgets-a-batch", 100},
    {"input-change-missed", 1000},
    {"kill-not-recorded", 100},
    {"killed-while-committed", 200},
    {"led-beside-another", 100},
    {"logs-not-synced", 400},
    {"lost-node-keeps-attempt", 20},
    {"object-change-missed", 5000},
    {"output-not-discarded", 50},
    {"released-rest-lost", 50},
    {"released-too-early", 200},
    {"renamed-before-sync", 1000},
    {"resumed-too-far", 50},
    {"sealed-before-stored", 500},
    {"sealed-without-sync", 200},
    {"silence-looked-at-once", 1000},
    {"standstill-not-noticed", 1000},
    {"step-not-recorded", 1000},
    {"success-before-parts", 100},
    {"written-without-sync", 50},
};

class FaultsPlanted : public testing::TestWithParam<Bound> {
 protected:
  static void SetUpTestSuite() { set_application_directory(ONTIME_FAULT_APPLICATIONS); }
};

TEST_P(FaultsPlanted, AreFound) {
  std::string how;
  const std::uint64_t count = schedules_to_find(GetParam().error, 1, GetParam().schedules, how);
  EXPECT_LE(count, GetParam().schedules) << GetParam().error;
  std::printf("%s: %llu schedules: %s\n", std::string(GetParam().error).c_str(), static_cast<unsigned long long>(count),
              how.c_str());
}

INSTANTIATE_TEST_SUITE_P(Error, FaultsPlanted, testing::ValuesIn(kBounds), [](const auto& param) {
  std::string name(param.param.error);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Those that no shipped policy comes to are found by the search alone (model_planted_test.cpp).
TEST(PlantedErrors, AreAllLookedFor) {
  std::set<std::string_view> looked_for;
  for (const Bound& bound : kBounds) looked_for.insert(bound.error);
  for (const FoundBySearch& found : kFoundBySearch) looked_for.insert(found.error);
  const std::vector<std::string_view> all = planted_errors();
  EXPECT_EQ(looked_for, (std::set<std::string_view>(all.begin(), all.end())));
}

TEST(PlantedErrors, ThatAreNotChosenChangeNothing) {
  set_application_directory(ONTIME_FAULT_APPLICATIONS);
  plant("");
  run_apart({1, 100}, 1, [](std::uint64_t seed, const Verdict& verdict) {
    EXPECT_TRUE(verdict.is_good()) << seed << ": " << verdict.broken;
    return verdict.is_good();
  });
}

}  // namespace
}  // namespace ontime::lab::faults
