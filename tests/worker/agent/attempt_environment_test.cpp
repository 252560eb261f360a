#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "worker/agent/options.h"

namespace ontime::worker {
namespace {

using testing::ElementsAre;

constexpr const char* kEnvironment[] = {"PATH=/bin",
                                        "HOME=/root",
                                        "LC_ALL=C",
                                        "ONTIME_TOKEN=secret",
                                        "PATHS=x",
                                        "AWS_REGION=eu-north-1",
                                        "ONTIME_TLS_DIR=/x",
                                        "ONTIME_TOKEN_FILE=/y",
                                        "TZ=",
                                        "AWS_SECRET_ACCESS_KEY=secret",
                                        nullptr};

TEST(AttemptEnvironment, HoldsWhatIsNeededAndNothingElse) {
  EXPECT_THAT(environment_of_attempts(kEnvironment, {}), ElementsAre("PATH=/bin", "LC_ALL=C", "TZ="));
}

TEST(AttemptEnvironment, HoldsWhatIsNamedButNeverWhatOpensTheCluster) {
  EXPECT_THAT(environment_of_attempts(kEnvironment, {"HOME", "AWS_*"}),
              ElementsAre("PATH=/bin", "HOME=/root", "LC_ALL=C", "AWS_REGION=eu-north-1", "TZ="));
  EXPECT_THAT(environment_of_attempts(kEnvironment, {"*"}),
              ElementsAre("PATH=/bin", "HOME=/root", "LC_ALL=C", "PATHS=x", "AWS_REGION=eu-north-1", "TZ="));
}

TEST(AttemptEnvironment, HoldsTheKeysOfAStoreOnlyIfTheirWholeNameIsGiven) {
  EXPECT_THAT(environment_of_attempts(kEnvironment, {"AWS_SECRET_ACCESS_KEY"}),
              ElementsAre("PATH=/bin", "LC_ALL=C", "TZ=", "AWS_SECRET_ACCESS_KEY=secret"));
}

}  // namespace
}  // namespace ontime::worker
