#include "worker/runner/pace.h"

#include <gtest/gtest.h>

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;
using injection::Disturbance;

constexpr Pace::TimePoint kStart{100s};

Disturbance at_rate(double bytes_per_second) {
  Disturbance disturbance;
  disturbance.bytes_per_second = bytes_per_second;
  return disturbance;
}

TEST(Pace, TheScheduleIsAbsolute) {
  Pace pace(at_rate(1000), {5000, 9000}, kStart);
  EXPECT_EQ(pace.due(5000, kStart), kStart);
  EXPECT_EQ(pace.due(6000, kStart + 7s), kStart + 1s);
  EXPECT_EQ(pace.due(9000, kStart + 8s), kStart + 4s);
}

TEST(Pace, WhatPutsItOffMovesTheScheduleAndIsNoMapping) {
  Pace pace(at_rate(1000), {5000, 9000}, kStart);
  pace.put_off(3s);
  EXPECT_EQ(pace.due(6000, kStart), kStart + 4s);
  Disturbance disturbance;
  disturbance.slowdown = 4;
  Pace slow(disturbance, {0, 4000}, kStart);
  slow.put_off(3s);
  slow.on_mapped(kStart, kStart + 4s);
  EXPECT_EQ(slow.due(100, kStart + 4s), kStart + 3s + 4s);
  slow.on_mapped(kStart + 7s, kStart + 8s);
  EXPECT_EQ(slow.due(200, kStart + 8s), kStart + 11s);
}

TEST(Pace, ReadingAheadIsEarlierByWhatIsRead) {
  Pace pace(at_rate(1000), {5000, 9000}, kStart);
  EXPECT_EQ(pace.due(6000, kStart, 400), kStart + 600ms);
  EXPECT_EQ(pace.due(6000, kStart, injection::kAllAhead), kStart);
  EXPECT_EQ(pace.due(6000, kStart), kStart + 1s);
}

TEST(Pace, AClaimIsWorthOneStep) {
  const Pace pace(at_rate(1000), {5000, 9000}, kStart);
  EXPECT_EQ(pace.claim_end(5000, 9000), 5020u);
  EXPECT_EQ(pace.claim_end(8990, 9000), 9000u);
  EXPECT_EQ(pace.claim_end(9000, 9000), 9000u);
  const Pace slow(at_rate(0.001), {0, 10}, kStart);
  EXPECT_EQ(slow.claim_end(3, 10), 4u) << "one record at least";
  const Pace fast(at_rate(1e15), {0, kUnknownEnd - 1}, kStart);
  EXPECT_EQ(fast.claim_end(0, kUnknownEnd), 20'000'000'000'000u);
}

TEST(Pace, WithoutARateClaimsAreWhole) {
  Pace pace({}, {0, 1000}, kStart);
  EXPECT_EQ(pace.claim_end(0, 1000), 1000u);
  EXPECT_EQ(pace.due(500, kStart + 3s), kStart);
}

TEST(Pace, APauseComesOnceAtItsPlaceAndMovesTheSchedule) {
  Disturbance disturbance = at_rate(1000);
  disturbance.pause = 10s;
  disturbance.pause_fraction = 0.5;
  Pace pace(disturbance, {0, 4000}, kStart);
  EXPECT_EQ(pace.claim_end(1995, 4000), 2000u);
  EXPECT_EQ(pace.due(1999, kStart), kStart + 1999ms);
  EXPECT_EQ(pace.due(2000, kStart + 2s), kStart + 12s);
  EXPECT_EQ(pace.due(2000, kStart + 5s), kStart + 12s);
  EXPECT_EQ(pace.due(4000, kStart + 12s), kStart + 14s);
}

TEST(Pace, ALateAttemptPausesFromNow) {
  Disturbance disturbance;
  disturbance.pause = 10s;
  Pace pace(disturbance, {0, 4000}, kStart);
  EXPECT_EQ(pace.due(0, kStart + 5s), kStart + 15s);
}

TEST(Pace, ASlowDownWithoutARateLengthensWhatMappingTook) {
  Disturbance disturbance;
  disturbance.slowdown = 3;
  Pace pace(disturbance, {0, 1000}, kStart);
  pace.on_mapped(kStart, kStart + 2s);
  EXPECT_EQ(pace.due(100, kStart + 2s), kStart + 6s);
  pace.on_mapped(kStart + 6s, kStart + 7s);
  EXPECT_EQ(pace.due(200, kStart + 7s), kStart + 9s);
}

TEST(Pace, AccidentsHappenAtTheirPlaceOrBehind) {
  Disturbance disturbance;
  disturbance.stall_at = 500;
  disturbance.crash_at = 700;
  const Pace pace(disturbance, {100, 1000}, kStart);
  EXPECT_EQ(pace.claim_end(100, 1000), 500u);
  EXPECT_EQ(pace.fate(499), Pace::Fate::GoesOn);
  EXPECT_EQ(pace.fate(500), Pace::Fate::Stalls);
  EXPECT_EQ(pace.fate(510), Pace::Fate::Stalls);
  EXPECT_EQ(pace.fate(700), Pace::Fate::Crashes);
  const Pace behind(disturbance, {800, 1000}, kStart);
  EXPECT_EQ(behind.fate(900), Pace::Fate::GoesOn) << "these places were another attempt's";
}

}  // namespace
}  // namespace ontime::worker
