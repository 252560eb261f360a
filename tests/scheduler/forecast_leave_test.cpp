// Forecasts where workers will leave: their slots count until then.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "scheduler/forecast/forecast.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

constexpr double kNever = std::numeric_limits<double>::infinity();

class ForecastOfLeaving : public testing::Test {
 protected:
  void register_node(const std::string& name, Duration leaves_in) {
    world_.send(event::NodeRegistered{name, name, "host-" + name, 1, leaves_in});
    world_.send(event::NodeInventory{world_.cluster().node_of(name), {}});
    for (const auto& launch : world_.take<action::LaunchAttempt>()) world_.start_attempt(launch.attempt);
  }
  // A job in splits of 100 bytes, of which the first attempt has mapped 50 in five seconds, on the only node.
  JobId half_a_split(std::uint64_t bytes, Duration leaves_in) {
    JobSpec spec = World::quiet_spec();
    spec.deadline = 60s;
    register_node("a", leaves_in);
    const JobId job = world_.submit(bytes, 100, spec);
    const AttemptId attempt = world_.take_launch();
    world_.start_attempt(attempt);
    for (int second = 0; second < 5; ++second) {
      world_.heartbeat(NodeId{1});
      world_.pass(1s);
    }
    world_.heartbeat(attempt, 50);
    return job;
  }
  Forecast of(JobId job) { return forecast(world_.scheduler(), job, world_.now()).value(); }

  World world_;
};

TEST_F(ForecastOfLeaving, ASlotCountsOnlyUntilItsWorkerLeaves) {
  const JobId job = half_a_split(400, 0s);
  const double alone = of(job).median;  // some 40 seconds from now on, of which the slot takes over ten
  register_node("b", 10s);
  const double with_ten_seconds = of(job).median;
  EXPECT_LT(with_ten_seconds, alone - 3);
  EXPECT_GT(with_ten_seconds, alone - 14);
  register_node("c", 0s);
  EXPECT_LT(of(job).median, with_ten_seconds - 3);
}

TEST_F(ForecastOfLeaving, WhereAllWorkersLeaveBeforeItNothingIsDone) {
  const JobId job = half_a_split(1000, 30s);
  EXPECT_EQ(of(job).median, kNever);
  EXPECT_EQ(of(job).pocd, 0);
  register_node("b", 0s);
  EXPECT_LT(of(job).median, kNever);
}

// Many attempts for each slot: they are served as a stream.
TEST_F(ForecastOfLeaving, ManyThatWaitAreServedUntilThen) {
  const JobId job = half_a_split(10'000, 0s);
  const double alone = of(job).median;
  register_node("b", 200s);
  EXPECT_LT(of(job).median, alone - 100);
  EXPECT_GT(of(job).median, alone - 250);
  register_node("c", 0s);
  EXPECT_LT(of(job).median, alone / 2);
}

}  // namespace
}  // namespace ontime::scheduler
