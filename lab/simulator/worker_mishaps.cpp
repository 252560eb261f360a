// What is done to simulated attempts on purpose. The draws are those of real attempts (common/injection/injection.h).
#include <algorithm>
#include <cmath>

#include "common/injection/injection.h"
#include "lab/simulator/workers.h"

namespace ontime::lab {

void Workers::disturb(Attempt& attempt, ByteRange held) {
  attempt.is_stalled = false;
  attempt.disturbance = {};
  if (!scenario_.injection) return;
  const JobLoad& job = jobs_[attempt.id.task.job.value - 1];
  attempt.disturbance =
      injection::draw(*scenario_.injection, {attempt.id, job.tasks, attempt.split, nodes_[attempt.node].name});
  const auto& drawn = attempt.disturbance;
  if (drawn.pause > Duration(0)) {  // from here on a place in the input, like the others
    attempt.pause_at = held.begin + static_cast<std::uint64_t>(drawn.pause_fraction * static_cast<double>(held.size()));
  } else {
    attempt.pause_at.reset();
  }
}

namespace {

// The earlier of what is known.
std::optional<std::uint64_t> first_of(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

std::optional<std::uint64_t> Workers::next_mishap(const Attempt& attempt) {
  return first_of(attempt.pause_at, first_of(attempt.disturbance.stall_at, attempt.disturbance.crash_at));
}

// REQUIRES: the attempt maps.
void Workers::expect_mishap(Attempt& attempt, TimePoint now) {
  const auto next = next_mishap(attempt);
  if (!next) return;
  const TimePoint due = attempt.motion.comes_to(static_cast<double>(*next), now);
  queue_.push(due, Due::Mishap, slot_of(attempt), attempt.life);
}

void Workers::on_mishap(Attempt& attempt, TimePoint now) {
  const auto& drawn = attempt.disturbance;
  const auto place = static_cast<std::uint64_t>(std::ceil(attempt.motion.place(now)));
  const auto next = next_mishap(attempt);
  if (!next || attempt.phase == Phase::Sealing) return;  // it is expected anew when it has sealed
  if (place < *next) return expect_mishap(attempt, now);
  if (drawn.crash_at && *drawn.crash_at <= place) {
    return exit(attempt, "simulated crash", now);
  }
  attempt.motion.set_speed(0, now);
  expect_border(attempt, now);
  attempt.is_stalled = drawn.stall_at && *drawn.stall_at <= place;
  if (attempt.is_stalled) return;
  attempt.pause_at.reset();
  queue_.push(now + drawn.pause, Due::GoOn, slot_of(attempt), attempt.life);
}

void Workers::go_on(Attempt& attempt, TimePoint now) {
  attempt.motion.set_speed(attempt.even_speed, now);
  expect_border(attempt, now);
  expect_mishap(attempt, now);
}

}  // namespace ontime::lab
