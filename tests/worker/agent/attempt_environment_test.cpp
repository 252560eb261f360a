#include "worker/agent/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ontime::worker {
namespace {

using testing::ElementsAre;

constexpr const char* kEnvironment[] = {"PATH=/bin",           "HOME=/root", "LC_ALL=C",
                                        "ONTIME_TOKEN=secret", "PATHS=x",    "AWS_KEY=mine",
                                        "ONTIME_TLS_DIR=/x",   "TZ=",        nullptr};

TEST(AttemptEnvironment, HoldsWhatIsNeededAndNothingElse) {
  EXPECT_THAT(environment_of_attempts(kEnvironment, {}), ElementsAre("PATH=/bin", "LC_ALL=C", "TZ="));
}

TEST(AttemptEnvironment, HoldsWhatIsNamedButNeverWhatOpensTheCluster) {
  EXPECT_THAT(environment_of_attempts(kEnvironment, {"HOME", "AWS_*"}),
              ElementsAre("PATH=/bin", "HOME=/root", "LC_ALL=C", "AWS_KEY=mine", "TZ="));
  EXPECT_THAT(environment_of_attempts(kEnvironment, {"*"}),
              ElementsAre("PATH=/bin", "HOME=/root", "LC_ALL=C", "PATHS=x", "AWS_KEY=mine", "TZ="));
}

}  // namespace
}  // namespace ontime::worker
