#include <gtest/gtest.h>

#include "worker/agent/session/master_link.h"

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;

TEST(Pulse, TwoHeartbeatsMayBeOnTheirWay) {
  Pulse pulse(1s, 5s);
  for (std::uint64_t i = 0; i < Pulse::kOnTheirWay; ++i) {
    EXPECT_TRUE(pulse.may_send());
    pulse.on_sent();
  }
  EXPECT_FALSE(pulse.may_send());
  EXPECT_TRUE(pulse.on_taken(1));
  EXPECT_TRUE(pulse.may_send());
  pulse.on_sent();
  EXPECT_TRUE(pulse.on_taken(1));  // said again with other news
  EXPECT_FALSE(pulse.may_send());
  EXPECT_FALSE(pulse.on_taken(4));
}

// The answers wait behind a large set-up then; the master must hear of the worker all the same.
TEST(Pulse, MoreMayBeOnTheirWayWhileMuchArrives) {
  Pulse pulse(1s, 5s);
  for (std::uint64_t i = 0; i < Pulse::kOnTheirWay; ++i) pulse.on_sent();
  for (std::uint64_t heard = Pulse::kBytesForAnother; heard < 10 * Pulse::kBytesForAnother;
       heard += Pulse::kBytesForAnother) {
    EXPECT_TRUE(pulse.beat(heard - 1));
    EXPECT_FALSE(pulse.may_send());
    EXPECT_TRUE(pulse.beat(heard));
    EXPECT_TRUE(pulse.may_send());
    pulse.on_sent();
    EXPECT_FALSE(pulse.may_send());
  }
}

TEST(Pulse, ABeatWithoutAByteIsSilenceAndEnoughOfThemTheEnd) {
  Pulse pulse(1s, 4500ms);
  EXPECT_TRUE(pulse.beat(100));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(pulse.beat(100));
  EXPECT_FALSE(pulse.beat(100));
}

TEST(Pulse, EveryByteEndsTheSilence) {
  Pulse pulse(1s, 4500ms);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_TRUE(pulse.beat(i / 4));
}

TEST(Pulse, AShortLimitStillAllowsAFewBeats) {
  Pulse pulse(1s, 1ns);
  for (std::int64_t i = 0; i < Pulse::kSilentBeatsMin; ++i) EXPECT_TRUE(pulse.beat(0));
  EXPECT_FALSE(pulse.beat(0));
}

TEST(ReconnectPause, GrowsUntilASessionHasLasted) {
  ReconnectPause pause(50ms, 1s, 10s);
  EXPECT_EQ(pause.next(), 50ms);
  EXPECT_EQ(pause.next(), 100ms);
  pause.on_session_over(9999ms);  // let in, and lost again
  EXPECT_EQ(pause.next(), 200ms);
  for (int i = 0; i < 10; ++i) pause.on_session_over(0s), pause.next();
  EXPECT_EQ(pause.next(), 1s);
  pause.on_session_over(10s);
  EXPECT_EQ(pause.next(), 50ms);
}

}  // namespace
}  // namespace ontime::worker
