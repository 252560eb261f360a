#pragma once
// What one session's heartbeats tell: whether the next may leave, and whether the master is still there. Pure; counts
// beats of the worker's own timer instead of time, so that a worker that was stopped for an hour (SIGSTOP) does not
// take that for the master's silence.
//
// The master answers every heartbeat with the number that it has taken. At most kOnTheirWay are unanswered at a time:
// on a slow link reports would otherwise queue behind heartbeats that are older than the next one, in buffers that
// nobody here can see. Two of them, so that the link is busy while an answer is on its way back.

#include <algorithm>
#include <cstdint>

#include "common/base/result.h"
#include "common/base/time.h"

namespace ontime::worker {

// How long to wait before the next try to connect: doubling from one try to the next up to a bound, and from the
// beginning again only after a session that has lasted. A master that lets the worker in and loses it at once, over and
// over, is so met as rarely as one that is not there. Pure.
class ReconnectPause {
 public:
  ReconnectPause(Duration min, Duration max, Duration lasting) : min_(min), max_(max), lasting_(lasting) {}

  // A session is over that stood for so long after its welcome; one that was never welcome counts for nothing.
  void on_session_over(Duration stood) {
    if (stood >= lasting_) pause_ = Duration(0);
  }
  // The caller waits a random time below it.
  Duration next() { return pause_ = std::min(max_, std::max(min_, 2 * pause_)); }

 private:
  const Duration min_;
  const Duration max_;
  const Duration lasting_;
  Duration pause_{0};
};

class Pulse {
 public:
  static constexpr std::uint64_t kOnTheirWay = 2;
  static constexpr std::int64_t kSilentBeatsMin = 3;

  Pulse() = default;
  // Beats come at `interval`; a master that has said nothing for `silence_max` is taken to be gone.
  Pulse(Duration interval, Duration silence_max)
      : silent_beats_max_(std::max(kSilentBeatsMin, (silence_max.count() + interval.count() - 1) / interval.count())) {}

  // Every beat begins with what has been heard so far, in bytes: a large message on a slow link is no silence. False:
  // the master has been silent for too long.
  bool beat(std::uint64_t bytes_heard) {
    if (bytes_heard != bytes_heard_) silent_beats_ = 0;
    bytes_heard_ = bytes_heard;
    return silent_beats_++ < silent_beats_max_;
  }
  bool may_send() const { return sent_ - taken_ < kOnTheirWay; }
  void on_sent() { ++sent_; }
  // The master has taken so many heartbeats of this session.
  Status on_taken(std::uint64_t taken) {
    if (taken > sent_) return bad_input("the master has taken more heartbeats than were sent");
    taken_ = std::max(taken_, taken);
    return {};
  }

 private:
  std::int64_t silent_beats_max_ = kSilentBeatsMin;
  std::int64_t silent_beats_ = 0;
  std::uint64_t bytes_heard_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace ontime::worker
