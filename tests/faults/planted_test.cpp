// The simulator finds errors: each one that is built in is found within so many schedules, and those schedules end well
// without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

#include "simulator/faults/cluster_run.h"
#include "simulator/faults/generator.h"
#include "simulator/faults/plants.h"
#include "tests/support/sanitized.h"

namespace ontime::simulator::faults {
namespace {

struct Bound {
  Plant plant;
  std::uint64_t seeds;  // within which it is found: several times what it took when this was written
};
constexpr Bound kBounds[] = {
    {Plant::CutLosesAByte, 10},    {Plant::FencedSealAccepted, 30}, {Plant::LostNodeKeepsAttempt, 20},
    {Plant::ReleasedRestLost, 30}, {Plant::CommittedAgain, 10},     {Plant::KilledWhileCommitted, 4000},
    {Plant::EpochNotRaised, 10},   {Plant::GoneAttemptKept, 200},   {Plant::ResumedTooFar, 30},
    {Plant::KillNotRecorded, 20},  {Plant::ActedTooEarly, 20},      {Plant::RecordNotWritten, 20},
    {Plant::TornBatchRead, 30},    {Plant::ClockSetBack, 30},       {Plant::SealedTooEarly, 50},
    {Plant::ReleasedTooEarly, 30}, {Plant::StopsTooLate, 20},       {Plant::SkipsARecord, 20},
};

// The first seed that finds it; 0: none does.
std::uint64_t found_by(const Bound& bound, std::string& how) {
  plant(bound.plant);
  std::uint64_t finder = 0;
  for (std::uint64_t seed = 1; seed <= bound.seeds && finder == 0; ++seed) {
    const Verdict verdict = run(make_plan(seed));
    if (verdict.is_good()) continue;
    finder = seed;
    how = verdict.broken;
  }
  plant(Plant::None);
  return finder;
}

TEST(FaultsPlanted, EachIsFoundWithinItsBound) {
  survive_broken_checks();
  ASSERT_EQ(std::size(kBounds), plants().size());
  for (const PlantName& known : plants()) {
    const auto* bound = std::find_if(std::begin(kBounds), std::end(kBounds),
                                     [&](const Bound& candidate) { return candidate.plant == known.plant; });
    ASSERT_NE(bound, std::end(kBounds));
    std::string how;
    const std::uint64_t seed = found_by(*bound, how);
    EXPECT_GT(seed, 0u) << known.name << " is not found within " << bound->seeds << " schedules";
    std::printf("%-24s seed %4llu: %s\n", std::string(known.name).c_str(), static_cast<unsigned long long>(seed),
                how.c_str());
  }
}

TEST(FaultsPlanted, TheSameSchedulesEndWellWithoutThem) {
  survive_broken_checks();
  plant(Plant::None);
  std::uint64_t most = 0;
  for (const Bound& bound : kBounds) most = std::max(most, bound.seeds);
  most = test::fewer_if_sanitized(static_cast<unsigned>(most));
  for (std::uint64_t seed = 1; seed <= most; ++seed) {
    const Verdict verdict = run(make_plan(seed));
    ASSERT_TRUE(verdict.is_good()) << verdict.broken << "\nreplay: ontime-faults --seed " << seed << " --trace";
  }
}

}  // namespace
}  // namespace ontime::simulator::faults
