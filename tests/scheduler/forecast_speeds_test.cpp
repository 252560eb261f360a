// What attempts that run tell of those that wait, where their speeds hold and where they are drawn anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/forecast/forecast.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

// Of a job without a history, eight of whose tasks have run for twelve seconds at 2 to 5.5 bytes a second in the
// mean, while others wait. `change`: by so much the first half was slower and the second faster, or the other way
// round.
Forecast of_speeds(double change) {
  World world;
  const NodeId node = world.register_node("a", 8);
  const JobId job = world.submit(24 * 100, 100, World::quiet_spec());
  std::vector<AttemptId> attempts;
  for (const action::LaunchAttempt& launch : world.take<action::LaunchAttempt>()) {
    attempts.push_back(launch.attempt);
    world.start_attempt(launch.attempt);
  }
  for (int second = 1; second <= 12; ++second) {
    world.heartbeat(node);
    world.pass(1s);
    for (const AttemptId attempt : attempts) {
      const std::uint32_t index = attempt.task.index;
      const double by = index % 2 == 0 ? change : -change;
      const double mapped = (2 + 0.5 * index) * (second * (1 - by) + std::max(0, second - 6) * 2 * by);
      world.heartbeat(attempt, index * 100 + static_cast<std::uint64_t>(mapped));
    }
  }
  return forecast(world.scheduler(), job, world.now()).value();
}

TEST(ForecastSpeeds, ThoseThatHoldAreThoseOfWholeTasks) {
  const Forecast steady = of_speeds(0);
  EXPECT_GT(steady.high, 90) << "a task at 2 bytes a second takes 50 s, and others wait";
}

TEST(ForecastSpeeds, WhereTheyAreDrawnAnewTheSlowOnesAreSlowForAWhile) {
  const Forecast steady = of_speeds(0);
  const Forecast drawn_anew = of_speeds(0.8);
  EXPECT_LT(drawn_anew.median, 0.9 * steady.median);
  EXPECT_LT(drawn_anew.high, 0.9 * steady.high);
}

}  // namespace
}  // namespace ontime::scheduler
