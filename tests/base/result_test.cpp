#include "common/base/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "common/base/byte_range.h"
#include "common/base/check.h"
#include "common/base/time.h"

namespace ontime {
namespace {

Result<std::unique_ptr<int>> half_of(int number) {
  if (number % 2 != 0) return bad_input("an odd number has no half");
  return std::make_unique<int>(number / 2);
}

TEST(ResultType, HoldsAValueThatCanBeMovedOut) {
  auto result = half_of(8);
  ASSERT_TRUE(result);
  const std::unique_ptr<int> half = *std::move(result);
  EXPECT_EQ(*half, 4);
}

TEST(ResultType, HoldsAnErrorWithItsKind) {
  const auto result = half_of(7);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(result.error().message, "an odd number has no half");
}

TEST(ResultType, StatusIsSuccessUnlessGivenAnError) {
  EXPECT_TRUE(Status());
  const Status status = unavailable("nobody there");
  EXPECT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(failed("it broke").kind, ErrorKind::Failed);
}

TEST(CheckDeathTest, ABrokenInvariantEndsTheProcessAndSaysWhich) {
  EXPECT_DEATH(ONTIME_CHECK(1 + 1 == 3, "sums hold"), "sums hold .*1 \\+ 1 == 3");
}

TEST(ByteRange, ContainsItsBeginAndNotItsEnd) {
  const ByteRange range{10, 20};
  EXPECT_EQ(range.size(), 10u);
  EXPECT_TRUE(range.contains(10));
  EXPECT_TRUE(range.contains(19));
  EXPECT_FALSE(range.contains(20));
  EXPECT_FALSE(range.contains(9));
  EXPECT_FALSE(range.is_open_ended());
  EXPECT_TRUE((ByteRange{0, kUnknownEnd}.is_open_ended()));
}

TEST(TimePoints, GoThroughUnixNanosecondsUnchanged) {
  EXPECT_EQ(to_unix_ns(from_unix_ns(1'700'000'000'123'456'789)), 1'700'000'000'123'456'789);
  EXPECT_DOUBLE_EQ(seconds(from_seconds(1.25)), 1.25);
}

}  // namespace
}  // namespace ontime
