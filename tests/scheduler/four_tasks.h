#pragma once
// Four tasks of 1000 bytes on five nodes, of which the first two took 8 s to start and 3 s to map. What a test orders
// is decided, or what a policy wants.

#include <chrono>
#include <cstdint>
#include <utility>

#include "tests/scheduler/ordered_policy.h"

namespace ontime::scheduler::test {

// Of an application that takes 100 bytes before it maps them, each time.
inline SegmentTimes times_of(double age, double first, double last, std::uint32_t moves, std::uint64_t taken = 1000) {
  return {from_seconds(age), from_seconds(first), from_seconds(last), moves > 1 ? taken - 100 : 0, moves};
}

// `Base` has the World.
template <class Base = OrderedPolicyTest>
class FourTasksTest : public Base {
 protected:
  using Base::world_;

  void run(JobSpec spec = World::quiet_spec(), double start = 8, std::uint32_t moves = 10) {
    for (const char* name : {"a", "b", "c", "d", "e"}) world_.register_node(name);
    job_ = world_.submit(4000, 1000, std::move(spec));
    for (std::uint32_t task = 0; task < 4; ++task) {
      if (world_.job(job_).spec.advised)
        world_.send(event::LaunchedElsewhere{NodeId{task + 1}, {job_, task}, task * 1000ULL});
      world_.start_attempt(attempt(task));
    }
    wait(static_cast<int>(start) + 3);
    const auto times = times_of(start + 3, start, moves > 1 ? start + 2.7 : start, moves);
    for (std::uint32_t task = 0; task < 2; ++task) seal(task, times);
  }
  void seal(std::uint32_t task, SegmentTimes times) {
    const ByteRange range{task * 1000ULL, task * 1000ULL + 1000};
    world_.send(
        event::SegmentSealed{world_.attempt(attempt(task)).node, attempt(task), range, range.end, {}, {}, times});
  }
  void wait(int seconds) {
    for (int second = 0; second < seconds; ++second) {
      world_.pass(std::chrono::seconds(1));
      for (std::uint32_t node = 1; node <= 5; ++node) world_.heartbeat(NodeId{node});
    }
  }
  AttemptId attempt(std::uint32_t task, std::uint32_t number = 0) const { return {{job_, task}, number}; }
  void report(std::uint32_t task, std::uint64_t mapped, SegmentTimes times) {
    if (times.moves > 1) times.timed_bytes = mapped - 100;
    const AttemptId id = attempt(task);
    const std::uint64_t offset = task * 1000ULL + mapped;
    world_.send(event::Heartbeat{world_.attempt(id).node, {{id, offset, mapped, 0, times}}});
  }
  void report_slow() { report(3, 200, times_of(11, 8, 10.9, 2)); }

  Speculate about(std::uint32_t task) const {
    Speculate decision;
    decision.task = {job_, task};
    decision.segment = task * 1000ULL;
    decision.work = WholeSegment{1};
    return decision;
  }
  Speculate cut(std::uint32_t task, std::uint64_t begin) const {
    Speculate decision = about(task);
    decision.work = GivenTail{{{begin, 1}}, Handover::Predicted};
    return decision;
  }

  JobId job_;
};

}  // namespace ontime::scheduler::test
