// What people may write after --policy-set.
#include "scheduler/policies/parameters.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "scheduler/policies/policy.h"

namespace ontime::scheduler {
namespace {

TEST(Parameters, ATimeMayBeAMultipleOfTheShortestExecutionTime) {
  const StringMap given{{"tau_est", "0.3x"}, {"tau_kill", "1500ms"}};
  Parameters parameters("s-resume", given);
  const RelativeTime est = parameters.relative_time("tau_est", {1, true});
  const RelativeTime kill = parameters.relative_time("tau_kill", {1, true});
  const RelativeTime absent = parameters.relative_time("absent", {2, true});
  EXPECT_DOUBLE_EQ(est.seconds(20), 6);
  EXPECT_DOUBLE_EQ(kill.seconds(20), 1.5);
  EXPECT_DOUBLE_EQ(absent.seconds(20), 40);
}

TEST(Parameters, ATimeThatIsNeitherIsRefused) {
  for (const char* wrong : {"", "x", "-1x", "0.3", "0.3xx", "infx", "fast", "-1s"}) {
    const StringMap given{{"tau_est", wrong}};
    Parameters parameters("s-resume", given);
    EXPECT_THROW(parameters.relative_time("tau_est", {1, true}), std::invalid_argument) << wrong;
  }
}

TEST(SplitResume, RefusesParametersOutOfRange) {
  EXPECT_THROW(make_policy("split-resume", {{"keep", "2"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("split-resume", {{"kepe", "1"}}), std::invalid_argument);
  EXPECT_NE(make_policy("split-resume", {{"handover", "ready"}, {"order", "srpt"}}), nullptr);
}

}  // namespace
}  // namespace ontime::scheduler
