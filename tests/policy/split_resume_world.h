#pragma once
// What tests of split-resume on a real scheduler share.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler::test {

using namespace std::chrono_literals;

inline constexpr std::uint64_t kSplit = 12'000'000;

// A split takes at least 120 s, launching takes 2 s.
inline JobSpec split_resume_spec(Duration deadline, const StringMap& more = {}) {
  return World::quiet_spec("split-resume", {{"t_min", "120s"}, {"beta", "1.5"}, {"t_avg", "2s"}, {"start", "0"}}, more,
                           deadline);
}

// A job of one task, whose first attempt maps, on a node with so many slots.
struct OneTask {
  explicit OneTask(JobSpec what, std::uint32_t slots = 10, const Settings& settings = {}) : world(settings) {
    world.register_node("a", slots);
    job = world.submit(kSplit, kSplit, std::move(what));
    original = world.take_launch();
    world.start_attempt(original);
  }
  World world;
  JobId job;
  AttemptId original;
};

inline std::vector<AttemptId> launched(World& world) {
  std::vector<AttemptId> attempts;
  for (const auto& launch : world.take<action::LaunchAttempt>()) attempts.push_back(launch.attempt);
  return attempts;
}

// A job of so many tasks, each of which has an attempt that maps.
inline std::vector<AttemptId> start_all(World& world, std::size_t tasks, JobSpec what) {
  world.submit(tasks * kSplit, kSplit, std::move(what));
  std::vector<AttemptId> attempts = launched(world);
  EXPECT_EQ(attempts.size(), tasks);
  for (const AttemptId id : attempts) world.start_attempt(id);
  return attempts;
}

// The attempts map at that many bytes per second from now on, report every second and honour the cuts, which are
// returned.
inline std::vector<action::CutAttempt> run(World& world, const std::vector<AttemptId>& attempts, std::uint64_t rate,
                                           int for_seconds) {
  std::vector<action::CutAttempt> cuts;
  for (int second = 0; second < for_seconds; ++second) {
    world.pass(1s);
    for (const AttemptId id : attempts) {
      if (!is_live(world.attempt(id).state)) continue;
      world.heartbeat(id, std::min(world.attempt(id).offset + rate, world.attempt(id).held.end));
    }
    for (const auto& cut : world.take<action::CutAttempt>()) {
      cuts.push_back(cut);
      world.answer_cut(cut.attempt, std::max(cut.at, world.attempt(cut.attempt).offset), cut.release);
    }
  }
  return cuts;
}

}  // namespace ontime::scheduler::test
