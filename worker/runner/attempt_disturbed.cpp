// How an attempt obeys a disturbance: launched slowly, held to a pace, stalled or crashed on purpose. The ordinary way
// is in attempt_run.cpp, which standbys take too.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "worker/runner/attempt_run.h"

namespace ontime::worker {
namespace {

[[noreturn]] void stall_at(std::uint64_t position) {
  std::fprintf(stderr, "ontime-runner: stalls at byte %llu on purpose (injection)\n",
               static_cast<unsigned long long>(position));
  for (;;) ::pause();
}

[[noreturn]] void crash_at(std::uint64_t position) {
  std::fprintf(stderr, "ontime-runner: crashes at byte %llu on purpose (injection)\n",
               static_cast<unsigned long long>(position));
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::abort();
}

}  // namespace

// Waits for what a real launch would take longer. Like an attempt that has not come to its first record yet it answers
// cuts meanwhile; a standby gets none.
AttemptStatus AttemptRun::launch_slowly(RunClock::TimePoint since) {
  const RunClock::TimePoint until = since + disturbance_.launch;
  while (disturbance_.launch > Duration(0) && parts_.clock.now() < until) {
    if (!order_.launch().standby()) {
      if (auto answered = answer_cut(); !answered || points_.is_over()) return answered;
    }
    sleep_towards(until);
  }
  return {};
}

// Waits for what an application would take that has to start before it takes its first record: like one it answers no
// cut meanwhile.
void AttemptRun::start_slowly() {
  const bool is_paid = has_paid_start_ && disturbance_.start_of != injection::StartOf::Segment;
  if (disturbance_.start <= Duration(0) || is_paid) return;
  has_paid_start_ = true;
  const RunClock::TimePoint from = parts_.clock.now();
  while (parts_.clock.now() < from + disturbance_.start) parts_.clock.sleep_until(from + disturbance_.start);
  pace_->put_off(parts_.clock.now() - from);
}

// Looks for a cut, then waits a moment if it is ahead of its pace, otherwise goes on by a small piece.
AttemptStatus AttemptRun::disturbed_step() {
  if (auto answered = answer_cut(); !answered || points_.is_over()) return answered;
  const std::uint64_t position = reader_->position();
  const std::uint64_t end = points_.segment().end;
  // At a seal point that a cut has made there is nothing to wait for but what was read ahead; at the end of all there
  // is the last piece's time.
  if (position < end || end == range_.end || disturbance_.reads_ahead > 0) {
    const RunClock::TimePoint now = parts_.clock.now();
    const std::uint64_t ahead = position < end ? disturbance_.reads_ahead : 0;
    if (const auto due = pace_->due(std::min(position, range_.end), now, ahead); now < due) {
      sleep_towards(due);
      return {};
    }
  }
  const Pace::Fate fate = position < end ? pace_->fate(position) : Pace::Fate::GoesOn;
  if (fate == Pace::Fate::Crashes) crash_at(position);
  if (fate == Pace::Fate::Stalls) stall_at(position);
  const RunClock::TimePoint from = parts_.clock.now();
  auto status = claim(pace_->claim_end(position, end));
  pace_->on_mapped(from, parts_.clock.now());
  return status;
}

// One slice of a wait, so that cuts are seen in time.
void AttemptRun::sleep_towards(RunClock::TimePoint then) {
  parts_.clock.sleep_until(std::min(then, parts_.clock.now() + Pace::kStep));
}

}  // namespace ontime::worker
