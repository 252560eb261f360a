#include "worker/agent/attempts/disturber.h"

#include <gtest/gtest.h>

#include "common/base/byte_range.h"
#include "common/injection/wire.h"

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;

wire::ToWorker::Welcome injecting(const injection::Injection& injection) {
  wire::ToWorker::Welcome welcome;
  *welcome.mutable_injection() = injection::to_wire(injection);
  return welcome;
}

wire::Order::Launch launch(std::uint64_t size) {
  wire::Order::Launch launch;
  launch.mutable_attempt()->set_job(1);
  launch.mutable_range()->set_end(size);
  launch.mutable_file()->set_size(500);
  return launch;
}

TEST(Disturber, DrawsNothingUntilAMasterInjects) {
  Disturber disturber("node");
  EXPECT_FALSE(disturber.draw(launch(1000), 1, false));
  injection::Injection injection;
  injection.pace = 10s;
  ASSERT_TRUE(disturber.adopt(injecting(injection)));
  EXPECT_TRUE(disturber.draw(launch(1000), 1, false));
  ASSERT_TRUE(disturber.adopt({}));
  EXPECT_FALSE(disturber.draw(launch(1000), 1, false));
}

TEST(Disturber, OfACompressedInputTheStoredSizeCounts) {
  Disturber disturber("node");
  injection::Injection injection;
  injection.pace = 10s;
  ASSERT_TRUE(disturber.adopt(injecting(injection)));
  EXPECT_DOUBLE_EQ(disturber.draw(launch(kUnknownEnd), 1, false)->bytes_per_second(), 50);
}

TEST(Disturber, KnowsItsNodeByName) {
  Disturber disturber("rack-1");
  injection::Injection injection;
  injection.nodes = {{"rack-*", 3}};
  ASSERT_TRUE(disturber.adopt(injecting(injection)));
  EXPECT_EQ(disturber.draw(launch(1000), 1, false)->slowdown(), 3);
}

TEST(Disturber, AProcessThatIsUsedAgainHasStarted) {
  Disturber disturber("node");
  injection::Injection injection;
  injection.start = Distribution::constant(3);
  for (const auto& [of, again] : {std::pair{injection::StartOf::Process, 0}, {injection::StartOf::Attempt, 3}}) {
    injection.start_of = of;
    ASSERT_TRUE(disturber.adopt(injecting(injection)));
    EXPECT_EQ(disturber.draw(launch(1000), 1, false)->start_ns(), Duration(3s).count());
    EXPECT_EQ(disturber.draw(launch(1000), 1, true)->start_ns(), Duration(1s).count() * again);
  }
}

TEST(Disturber, BurnsAsManyCoresAsTheSessionSays) {
  Disturber disturber("node");
  injection::Injection injection;
  injection.burners = 2;
  ASSERT_TRUE(disturber.adopt(injecting(injection)));
  EXPECT_EQ(disturber.burner_count(), 2u);
  ASSERT_TRUE(disturber.adopt(injecting(injection)));
  EXPECT_EQ(disturber.burner_count(), 2u);
  ASSERT_TRUE(disturber.adopt({}));
  EXPECT_EQ(disturber.burner_count(), 0u);
}

TEST(Disturber, RefusesNonsenseAndKeepsWhatItHas) {
  Disturber disturber("node");
  injection::Injection injection;
  injection.pace = 10s;
  ASSERT_TRUE(disturber.adopt(injecting(injection)));
  auto wrong = injecting(injection);
  wrong.mutable_injection()->add_settings("pace=-1s");
  EXPECT_FALSE(disturber.adopt(wrong));
  EXPECT_TRUE(disturber.draw(launch(1000), 1, false));
}

}  // namespace
}  // namespace ontime::worker
