#include "common/base/clock_time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace ontime {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class ClockTime : public testing::Test {
 protected:
  ClockTime() { live_in("UTC0"); }
  ~ClockTime() override { live_in("UTC0"); }

  // As POSIX writes it, so that no file of zones is needed.
  static void live_in(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }
  static constexpr const char* kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";

  // The instant as this place shows it, or the complaint.
  static std::string read(std::string_view text, std::int64_t now) {
    const auto at = parse_clock_time(text, now * kSecond);
    return at ? local_time(*at) : at.error().message;
  }
  static constexpr std::int64_t kNoon = 1'796'040'000;  // 2026-11-30 12:00:00Z
};

TEST_F(ClockTime, ATimeIsTheNextThatClocksShow) {
  EXPECT_EQ(read("18:30", kNoon), "2026-11-30 18:30:00");
  EXPECT_EQ(read("06:00", kNoon), "2026-12-01 06:00:00") << "it has passed today";
  EXPECT_EQ(read("12:00", kNoon), "2026-12-01 12:00:00") << "so has this minute";
  EXPECT_EQ(read("12:00:01", kNoon), "2026-11-30 12:00:01");
}

TEST_F(ClockTime, ADateWithATimeIsThatInstantInItsZoneOrHere) {
  for (const char* text : {"2026-12-01T06:00", "2026-12-01 06:00:00", "2026-12-01T06:00Z", "2026-12-01T07:00+01:00",
                           "2026-12-01T07:00+0100", "2026-12-01T07:00+01", "2026-11-30T23:30-06:30"})
    EXPECT_EQ(read(text, kNoon), "2026-12-01 06:00:00") << text;
  live_in(kBerlin);
  EXPECT_EQ(read("2026-12-01T06:00", kNoon), "2026-12-01 06:00:00");
  EXPECT_EQ(read("2026-12-01T06:00Z", kNoon), "2026-12-01 07:00:00");
}

TEST_F(ClockTime, ATimeWithAZoneIsTheNextThatClocksShowThere) {
  live_in(kBerlin);
  EXPECT_EQ(read("14:00Z", kNoon), "2026-11-30 15:00:00");
  EXPECT_EQ(read("00:30+14:00", kNoon), "2026-12-01 11:30:00") << "there it is 02:00 of the next day";
}

TEST_F(ClockTime, DaysHaveTheLengthThatChangesOfTheClocksGiveThem) {
  live_in(kBerlin);
  constexpr std::int64_t kBeforeSpring = 1'774'724'400;  // 2026-03-28 20:00 here, the clocks go on at 02:00
  EXPECT_EQ(*parse_clock_time("06:00", kBeforeSpring * kSecond), (kBeforeSpring + 9 * 3600) * kSecond);
  EXPECT_EQ(read("02:30", kBeforeSpring), "2026-03-29 03:30:00") << "no clock shows it that night";
  constexpr std::int64_t kBeforeAutumn = 1'792'864'800;  // 2026-10-24 20:00 here, the clocks go back at 03:00
  EXPECT_EQ(*parse_clock_time("06:00", kBeforeAutumn * kSecond), (kBeforeAutumn + 11 * 3600) * kSecond);
  EXPECT_EQ(*parse_clock_time("02:30", kBeforeAutumn * kSecond), (kBeforeAutumn + 13 * 1800) * kSecond) << "the first";
}

TEST_F(ClockTime, OfADateThatHasPassedItSaysSo) {
  EXPECT_EQ(read("2026-11-30T10:00", kNoon), "'2026-11-30T10:00' has passed, 2h 0m ago; give a later time");
  EXPECT_EQ(read("2026-11-30T12:00", kNoon), "'2026-11-30T12:00' has passed, 0 us ago; give a later time");
}

TEST_F(ClockTime, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "6:00", "24:00", "06:60", "06:00:60", "06", "06:00x", "2026-12-01", "2026-02-30T06:00",
                           "2026-13-01T06:00", "2026-12-01T06", "06:00+15:00", "06:00+1", "+6:00", "2026-12-1T06:00"})
    EXPECT_EQ(read(text, kNoon),
              "'" + std::string(text) + "' is not a time; write for instance 06:00 or 2026-12-01T06:00+01:00");
}

}  // namespace
}  // namespace ontime
