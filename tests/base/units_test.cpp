#include "common/base/units.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "common/base/time.h"

namespace ontime {
namespace {

using namespace std::chrono_literals;

std::uint64_t size_of(std::string_view text) {
  const auto size = parse_size(text);
  EXPECT_TRUE(size) << text;
  return size ? *size : 0;
}

Duration duration_of(std::string_view text) {
  const auto duration = parse_duration(text);
  EXPECT_TRUE(duration) << text;
  return duration ? *duration : Duration(0);
}

// A sum with any time of day is one: no policy looks at a job all the time because its next look wrapped around.
TEST(Seconds, AreBounded) {
  EXPECT_EQ(from_seconds(1.5), 1500ms);
  EXPECT_EQ(from_seconds(-1.5), -1500ms);
  const TimePoint now = from_unix_ns(std::int64_t{2'500'000'000} * 1'000'000'000);
  for (const double long_time : {1e10, 1e300, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_GT(now + from_seconds(long_time), now) << long_time;
    EXPECT_LT(now - from_seconds(long_time), now) << long_time;
  }
  EXPECT_LT(now + from_seconds(-1e300), now);
}

TEST(Sizes, BinaryAndDecimalUnits) {
  EXPECT_EQ(size_of("0"), 0u);
  EXPECT_EQ(size_of("4096"), 4096u);
  EXPECT_EQ(size_of("1B"), 1u);
  EXPECT_EQ(size_of("64k"), 65536u);
  EXPECT_EQ(size_of("64KiB"), 65536u);
  EXPECT_EQ(size_of("64kB"), 64000u);
  EXPECT_EQ(size_of("128MiB"), 134217728u);
  EXPECT_EQ(size_of("128M"), 134217728u);
  EXPECT_EQ(size_of("1.5GB"), 1500000000u);
  EXPECT_EQ(size_of("2G"), 2147483648u);
  EXPECT_EQ(size_of("1TiB"), 1099511627776u);
}

TEST(Units, WhatIsTooLargeIsSaidToBe) {
  EXPECT_EQ(parse_size("99999999TiB").error().message, "'99999999TiB' is too large; give 8000000TiB or less");
  EXPECT_EQ(parse_duration("9999999h").error().message, "'9999999h' is too long; give 3650d or less");
  EXPECT_TRUE(parse_size("8000000TiB"));
  EXPECT_TRUE(parse_duration("3650d"));
}

TEST(Sizes, AnythingElseIsBadInputThatQuotesIt) {
  for (const char* text :
       {"", " ", "x", "-1", "-0", "1x", "1 k", "k", "1kk", "nan", "inf", "1e300", "9999999T", "0x10"}) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().kind, ErrorKind::BadInput);
    EXPECT_NE(size.error().message.find("'" + std::string(text) + "'"), std::string::npos);
  }
}

TEST(Sizes, AnyWholeNumberOfBytesIsItself) {
  EXPECT_TRUE(rc::check([] {
    const auto bytes = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 53);  // beyond that doubles have gaps
    RC_ASSERT(*parse_size(std::to_string(bytes)) == bytes);
  }));
}

TEST(Durations, UnitsAndTheirSums) {
  EXPECT_EQ(duration_of("0"), 0s);
  EXPECT_EQ(duration_of("90s"), 90s);
  EXPECT_EQ(duration_of("200ms"), 200ms);
  EXPECT_EQ(duration_of("15us"), 15us);
  EXPECT_EQ(duration_of("7ns"), 7ns);
  EXPECT_EQ(duration_of("1.5s"), 1500ms);
  EXPECT_EQ(duration_of("1h30m"), 90min);
  EXPECT_EQ(duration_of("1d"), 24h);
}

TEST(Durations, AnythingElseIsBadInput) {
  for (const char* text : {"", "5", "s", "-5s", "5 s", "5x", "5s3", "1h30", "inf", "nans", "99999999999d"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().kind, ErrorKind::BadInput);
  }
}

TEST(Units, ArbitraryBytesNeverDoHarm) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    (void)parse_size(text);
    (void)parse_duration(text);
  }));
}

TEST(Units, ArePrintedForPeople) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(128u << 20), "128.0 MiB");
  EXPECT_EQ(format_size((1u << 20) - 1), "1.0 MiB");
  EXPECT_EQ(format_duration(15us), "15 us");
  EXPECT_EQ(format_duration(200ms), "200.0 ms");
  EXPECT_EQ(format_duration(1250ms), "1.25 s");
  EXPECT_EQ(format_duration(200s), "3m 20s");
  EXPECT_EQ(format_duration(5400s), "1h 30m");
}

}  // namespace
}  // namespace ontime
