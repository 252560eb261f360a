#include "worker/agent/attempts/refusal_log.h"

#include <gtest/gtest.h>

namespace ontime::worker {
namespace {

TEST(LineBudget, IsFullAgainAfterAPeriodAndTellsWhatWasLeftOut) {
  LineBudget budget;
  std::chrono::steady_clock::time_point now{};
  for (unsigned i = 0; i < LineBudget::kLinesMax; ++i) EXPECT_EQ(budget.take(now), 0u);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(budget.take(now + LineBudget::kPeriod - Duration(1)));
  now += LineBudget::kPeriod;
  EXPECT_EQ(budget.take(now), 1000u);
  for (unsigned i = 1; i < LineBudget::kLinesMax; ++i) EXPECT_EQ(budget.take(now), 0u);
  EXPECT_FALSE(budget.take(now));
}

}  // namespace
}  // namespace ontime::worker
