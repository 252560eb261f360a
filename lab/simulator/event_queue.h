#pragma once
// What will happen in virtual time, earliest first; what is due at the same time happens in the order in which it was
// put in. A binary heap of small structs: what belongs to an event stands elsewhere and is found by `subject`. Most of
// what happens are messages and heartbeats, which each come a constant time after they were put in: they need no heap,
// only a lane of their own in which all keep their order.

#include <array>
#include <cstdint>
#include <vector>

#include "common/base/time.h"

namespace ontime::lab {

enum class Due : std::uint8_t {
  Launched,      // subject: attempt slot. Its launch time is over
  Border,        // attempt slot. It reaches the end of its segment
  Answer,        // attempt slot. It ends the record in which it was asked to cut
  Sealed,        // attempt slot. That segment is written and synced
  SpeedChange,   // attempt slot
  Slowness,      // node; generation: counts its changes. From now on its attempts are faster or slower
  Skew,          // attempt slot. It comes to bytes that take longer, or shorter
  Crash,         // attempt slot
  Mishap,        // attempt slot. It comes to the next place where something befalls it on purpose
  GoOn,          // attempt slot. A pause is over
  Heartbeat,     // node
  Order,         // order slot. Arrives at its node
  Report,        // report slot. Arrives at the master
  Registration,  // node. Arrives at the master
  Break,         // node; generation: its connection, which is given up
  Commit,        // job id. Its output is committed
  Submission,    // job
  OutageBegins,  // outage
  OutageEnds,    // outage
  Leaves,        // outage, a time limit. Its node's worker leaves before it
  Resize,        // as many nodes come or go as are wanted
  Forecast,      // job id; generation: index into Observer::forecast_at, or beyond it
};

enum class Lane : std::uint8_t { Message, Beat, IdleBeat };

struct Upcoming {
  TimePoint at;
  std::uint64_t sequence;
  std::uint32_t subject;
  std::uint32_t generation;  // of the subject when this was put in; another one now: it does not happen
  Due due;
};

class EventQueue {
 public:
  void push(TimePoint at, Due due, std::uint32_t subject, std::uint32_t generation = 0);
  // Nothing in the lane may be due later than `at`.
  void push(Lane lane, TimePoint at, Due due, std::uint32_t subject, std::uint32_t generation = 0);
  Upcoming pop();                                  // REQUIRES: !empty()
  TimePoint next_at() const { return next().at; }  // REQUIRES: !empty()
  bool empty() const;
  std::uint64_t pushed() const { return sequence_; }

 private:
  // A queue in a ring, which grows when it is full.
  class Ring {
   public:
    bool empty() const { return begin_ == end_; }
    const Upcoming& front() const { return ring_[begin_ & (ring_.size() - 1)]; }
    const Upcoming& back() const { return ring_[(end_ - 1) & (ring_.size() - 1)]; }
    void push(const Upcoming& upcoming);
    void pop() { ++begin_; }

   private:
    std::vector<Upcoming> ring_ = std::vector<Upcoming>(1024);  // a power of two
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
  };

  static bool later(const Upcoming& a, const Upcoming& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
  const Upcoming& next() const;

  std::vector<Upcoming> heap_;
  std::array<Ring, 3> lanes_;
  std::uint64_t sequence_ = 0;
};

}  // namespace ontime::lab
