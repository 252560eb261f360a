#include "common/injection/wire.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/injection/injections.h"

namespace ontime::injection {
namespace {

using namespace std::chrono_literals;

RC_GTEST_PROP(Wire, AnInjectionArrivesAsItWas, ()) {
  const Injection injection = test::any_injection();
  wire::Injection message;
  RC_ASSERT(message.ParseFromString(to_wire(injection).SerializeAsString()));
  const auto arrived = from_wire(message);
  RC_ASSERT(arrived.has_value());
  RC_ASSERT(*arrived == injection);
}

TEST(Wire, ATraceArrivesAsItWas) {
  Injection injection;
  injection.slowdown = Distribution::listed({8, 1, 2.5});
  EXPECT_EQ(*from_wire(to_wire(injection)), injection);
}

TEST(Wire, AnEmptyMessageIsAnInjectionThatDoesNothing) { EXPECT_EQ(*from_wire(wire::Injection()), Injection{}); }

// What a hostile peer may send: any texts, and any trace.
TEST(Wire, NonsenseIsRefused) {
  for (const std::string setting : {"",
                                    "pace",
                                    "pace=-1s",
                                    "pace=25h",
                                    "pace=nan",
                                    "straggler=nan:8x",
                                    "straggler=0.1:0x",
                                    "slowdown=pareto:nan",
                                    "slowdown=9",
                                    "node=a:-3x",
                                    "launch=2h",
                                    "pause=2:1s",
                                    "pause=0.5:-1s",
                                    "stall=task:3@100%",
                                    "crash=-1",
                                    "burn=100000",
                                    "nodes=1",
                                    "start=-1s",
                                    "start-of=3",
                                    "reads-ahead=-1",
                                    "\xff=\x00"}) {
    wire::Injection message;
    message.add_settings(setting);
    EXPECT_FALSE(from_wire(message)) << setting;
  }
  wire::Injection message;
  message.add_settings("node=" + std::string(1000, '*') + ":2x");
  EXPECT_FALSE(from_wire(message));
}

TEST(Wire, MoreThanThereMayBeIsRefused) {
  for (const std::string setting : {"node=a:2x", "stall=task:"}) {
    wire::Injection message;
    for (int i = 0; i < 1001; ++i)
      message.add_settings(setting + (setting.ends_with(':') ? std::to_string(i) + "@1" : std::string()));
    EXPECT_FALSE(from_wire(message)) << setting;
    message.mutable_settings()->RemoveLast();
    EXPECT_TRUE(from_wire(message)) << setting;
  }
}

TEST(Wire, ATraceWithoutFactorsOrWithWrongOnesIsRefused) {
  for (const std::string trace : {"", "0\n", "nan\n", "2\nx\n"}) {
    wire::Injection message;
    message.add_settings("slowdown=trace:any");
    message.set_trace(trace);
    EXPECT_FALSE(from_wire(message)) << trace;
  }
}

TEST(Wire, ADisturbanceArrivesAsItWas) {
  Disturbance disturbance{2s, 1234.5, 1, 10s, 0.25, 17, 0, 3s, StartOf::Process, kAllAhead};
  EXPECT_EQ(from_wire(to_wire(disturbance)), disturbance);
  EXPECT_EQ(from_wire(to_wire(Disturbance{})), Disturbance{});
}

TEST(Wire, NonsenseInADisturbanceBecomesHarmless) {
  wire::Disturbance message;
  EXPECT_TRUE(from_wire(message).is_none());
  message.set_launch_ns(-5);
  message.set_bytes_per_second(-1);
  message.set_slowdown(std::numeric_limits<double>::infinity());
  message.set_pause_ns(std::numeric_limits<std::int64_t>::min());
  message.set_pause_fraction(std::numeric_limits<double>::quiet_NaN());
  message.set_start_ns(-1);
  message.set_start_of(3);
  EXPECT_TRUE(from_wire(message).is_none());
}

}  // namespace
}  // namespace ontime::injection
