// A forecast tells starts from the time that bytes take.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "scheduler/forecast/evidence.h"
#include "scheduler/forecast/forecast.h"
#include "scheduler/forecast/scenario.h"
#include "tests/scheduler/four_tasks.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

// Four tasks on four nodes, each of which starts for 10 s; three map their 1000 bytes in 10 s, the last one in 40 s.
class ForecastOfStarts : public test::FourTasksTest<> {
 protected:
  static constexpr double kStart = 10;

  void begin() {
    for (const char* name : {"a", "b", "c", "d"}) world_.register_node(name);
    job_ = world_.submit(4000, 1000, World::quiet_spec("none", {}, {}, Duration::zero()));
    for (std::uint32_t task = 0; task < 4; ++task) world_.start_attempt(attempt(task));
  }
  void live_until(int end) {
    for (; now_ < end;) {
      wait(1);
      ++now_;
      for (std::uint32_t task = 0; task < 4; ++task) {
        if (is_live(world_.attempt(attempt(task)).state)) go_on(task);
      }
    }
  }
  Forecast expected() { return forecast(world_.scheduler(), job_, world_.now()).value(); }

 private:
  void go_on(std::uint32_t task) {
    const double mapping = now_ - kStart;
    if (mapping < 0) return report(task, 0, {from_seconds(now_), 0s, 0s, 0, 0});
    const auto mapped = static_cast<std::uint64_t>(100 + mapping * (task == 3 ? 25 : 100));
    const auto times = test::times_of(now_, kStart, now_, 1 + static_cast<std::uint32_t>(mapping), mapped);
    if (mapped > 1000) return seal(task, times);
    report(task, mapped, times);
  }

  int now_ = 0;
};

TEST_F(ForecastOfStarts, AStartIsNoChangeOfSpeed) {
  begin();
  live_until(25);
  const Forecast made = expected();
  EXPECT_NEAR(made.median, 10 + 36, 1.5) << "it has shown its own pace, and no attempt has changed its speed";
  EXPECT_LT(made.high - made.low, 9);
}

// Each starts for 10 s, maps its bytes in 100 s, which it reports for a while, and is sealed 80 s later.
TEST_F(ForecastOfStarts, WhatLiesBehindTheLastBytesIsALag) {
  begin();
  const auto times = [](int age, int last) {
    return SegmentTimes{std::chrono::seconds(age), 10s, std::chrono::seconds(last), 10ULL * (last - 10), 100};
  };
  for (int now = 20; now <= 60; now += 10) {
    wait(now == 20 ? 20 : 10);
    for (std::uint32_t task = 0; task < 4; ++task) {
      const std::uint64_t mapped = 10ULL * (now - 10);
      world_.send(
          event::Heartbeat{NodeId{task + 1}, {{attempt(task), task * 1000ULL + mapped, mapped, 0, times(now, now)}}});
    }
  }
  wait(130);
  for (std::uint32_t task = 0; task < 4; ++task) seal(task, times(190, 110));
  EXPECT_NEAR(steadiness_of(world_.job(job_), 10).lag, 80, 1);
}

// Of twelve tasks of 10 s on four slots, whose processes are launched in 5 s and start for 10 s: the second round has
// just taken its first bytes.
TEST(ForecastOfProcesses, WhatWaitsForOneThatIsThereNeedsNoStart) {
  World world;
  world.register_node("a", 4);
  const JobId job = world.submit(12 * 100, 100, World::quiet_spec("none", {}, {}, Duration::zero()));
  const auto begin_all = [&] {
    std::vector<AttemptId> begun;
    for (const auto& launch : world.take<action::LaunchAttempt>()) {
      world.start_attempt(launch.attempt);
      begun.push_back(launch.attempt);
    }
    return begun;
  };
  const auto wait = [&](int seconds) {
    for (; seconds > 0; --seconds) {
      world.pass(1s);
      world.heartbeat(NodeId{1});
    }
  };
  wait(5);
  const auto first_round = begin_all();
  wait(20);
  for (const AttemptId id : first_round) {
    const ByteRange range{id.task.index * 100ULL, id.task.index * 100ULL + 100};
    world.send(event::SegmentSealed{NodeId{1}, id, range, range.end, {}, {}, {20s, 10s, 20s, 100, 100}});
  }
  const auto second_round = begin_all();
  ASSERT_EQ(second_round.size(), 4u);
  wait(1);
  for (const AttemptId id : second_round) {
    world.send(event::Heartbeat{NodeId{1}, {{id, id.task.index * 100ULL + 10, 10, 0, {1s, 100ms, 1s, 9, 10}}}});
  }
  EXPECT_NEAR(forecast(world.scheduler(), job, world.now())->median, 5 + 20 + 10 + 10, 5)
      << "a third round is still to come";
}

TEST(ScoresOfForecasts, AreFarOutForAnInfiniteHazard) {
  EXPECT_NEAR(normal_scores().at_hazard(std::numeric_limits<double>::infinity()), 7.03, 0.01);  // at 1 - 1e-12
}

}  // namespace
}  // namespace ontime::scheduler
