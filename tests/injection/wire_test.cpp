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
  injection.slowdown = {Shape::Trace, 1, 0, {1, 2.5, 8}};
  EXPECT_EQ(*from_wire(to_wire(injection)), injection);
}

TEST(Wire, AnEmptyMessageIsAnInjectionThatDoesNothing) { EXPECT_EQ(*from_wire(wire::Injection()), Injection{}); }

// Sets one field to nonsense in an otherwise good message.
template <class Change>
void expect_refused(Change change) {
  Injection injection;
  injection.straggler = {0.1, 8};
  injection.slowdown = {Shape::Pareto, 1, 1.5, {}};
  injection.nodes = {{"a", 2}};
  injection.launch = {Shape::Constant, 2, 0, {}};
  injection.stall.places = {{3, 0.5}};
  wire::Injection message = to_wire(injection);
  ASSERT_TRUE(from_wire(message));
  change(message);
  EXPECT_FALSE(from_wire(message)) << message.SerializeAsString();
}

TEST(Wire, NonsenseIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused([](auto& m) { m.set_pace_ns(-1); });
  expect_refused([](auto& m) { m.set_pace_ns(std::numeric_limits<std::int64_t>::max()); });
  expect_refused([&](auto& m) { m.mutable_straggler()->set_share(nan); });
  expect_refused([](auto& m) { m.mutable_straggler()->set_factor(0); });
  expect_refused([&](auto& m) { m.mutable_slowdown()->set_spread(nan); });
  expect_refused([](auto& m) { m.mutable_slowdown()->set_shape(static_cast<wire::Injection::Shape>(9)); });
  expect_refused([](auto& m) { m.mutable_slowdown()->set_shape(wire::Injection::TRACE); });
  expect_refused([](auto& m) { m.mutable_nodes(0)->set_factor(-3); });
  expect_refused([](auto& m) { m.mutable_nodes(0)->set_pattern(std::string(1000, '*')); });
  expect_refused([](auto& m) {
    for (int i = 0; i < 1001; ++i) m.add_nodes()->set_factor(1);
  });
  expect_refused([](auto& m) { m.mutable_launch()->set_scale(1e9); });
  expect_refused([](auto& m) { m.set_pause_probability(2); });
  expect_refused([](auto& m) { m.set_pause_ns(-1); });
  expect_refused([](auto& m) { m.mutable_stall()->mutable_places(0)->set_fraction(1); });
  expect_refused([](auto& m) { m.mutable_crash()->set_probability(-1); });
  expect_refused([](auto& m) { m.set_burners(100'000); });
}

TEST(Wire, ADisturbanceArrivesAsItWas) {
  Disturbance disturbance{2s, 1234.5, 1, 10s, 0.25, 17, 0};
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
  EXPECT_TRUE(from_wire(message).is_none());
}

}  // namespace
}  // namespace ontime::injection
