// The simulator finds errors: each one that is planted is found within so many schedules, and those schedules end well
// without it.
#include "tests/lab/faults/planted/planted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

#include "lab/faults/cluster_run.h"
#include "lab/faults/fault_plan.h"
#include "tests/support/sanitized.h"

namespace ontime::lab::faults {
namespace {

struct Bound {
  std::string_view error;
  std::uint64_t seeds;  // within which it is found: several times what it took when this was written
};
constexpr Bound kBounds[] = {
    {"cut-loses-a-byte", 10},   {"fenced-seal-accepted", 30}, {"lost-node-keeps-attempt", 20},
    {"released-rest-lost", 30}, {"committed-again", 10},      {"killed-while-committed", 4000},
    {"epoch-not-raised", 10},   {"gone-attempt-kept", 200},   {"resumed-too-far", 30},
    {"kill-not-recorded", 20},  {"acted-too-early", 20},      {"record-not-written", 20},
    {"torn-batch-read", 30},    {"clock-set-back", 30},       {"sealed-too-early", 50},
    {"released-too-early", 30}, {"stops-too-late", 20},       {"skips-a-record", 20},
};

// The first seed that finds it; 0: none does.
std::uint64_t found_by(const Bound& bound, std::string& how) {
  plant(bound.error);
  std::uint64_t finder = 0;
  for (std::uint64_t seed = 1; seed <= bound.seeds && finder == 0; ++seed) {
    const Verdict verdict = run(make_plan(seed));
    if (verdict.is_good()) continue;
    finder = seed;
    how = verdict.broken;
  }
  plant("");
  return finder;
}

TEST(FaultsPlanted, EachIsFoundWithinItsBound) {
  survive_broken_checks();
  ASSERT_EQ(std::size(kBounds), planted_errors().size());
  for (const std::string_view error : planted_errors()) {
    const auto* bound = std::find_if(std::begin(kBounds), std::end(kBounds),
                                     [&](const Bound& candidate) { return candidate.error == error; });
    ASSERT_NE(bound, std::end(kBounds));
    std::string how;
    const std::uint64_t seed = found_by(*bound, how);
    EXPECT_GT(seed, 0u) << error << " is not found within " << bound->seeds << " schedules";
    std::printf("%-24s seed %4llu: %s\n", std::string(error).c_str(), static_cast<unsigned long long>(seed),
                how.c_str());
  }
}

TEST(FaultsPlanted, TheSameSchedulesEndWellWithoutThem) {
  survive_broken_checks();
  plant("");
  std::uint64_t most = 0;
  for (const Bound& bound : kBounds) most = std::max(most, bound.seeds);
  most = test::fewer_if_sanitized(static_cast<unsigned>(most));
  for (std::uint64_t seed = 1; seed <= most; ++seed) {
    const Verdict verdict = run(make_plan(seed));
    ASSERT_TRUE(verdict.is_good()) << verdict.broken << "\nreplay: ontime-faults --seed " << seed << " --trace";
  }
}

}  // namespace
}  // namespace ontime::lab::faults
