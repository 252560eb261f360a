#pragma once
// What will happen in virtual time, earliest first; what is due at the same time happens in the order in which it was
// put in. A binary heap of small structs: what belongs to an event stands elsewhere and is found by `subject`.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/base/time.h"

namespace ontime::simulator {

enum class Due : std::uint8_t {
  Launched,      // subject: attempt slot. Its launch time is over
  Border,        // attempt slot. It reaches the end of its segment
  SpeedChange,   // attempt slot
  Crash,         // attempt slot
  Heartbeat,     // node
  Order,         // order slot. Arrives at its node
  Report,        // report slot. Arrives at the master
  Registration,  // node. Arrives at the master
  Commit,        // job id. Its output is committed
  Submission,    // job
  OutageBegins,  // outage
  OutageEnds,    // outage
};

struct Upcoming {
  TimePoint at;
  std::uint64_t sequence;
  std::uint32_t subject;
  std::uint32_t generation;  // of the subject when this was put in; another one now: it does not happen
  Due due;
};

class EventQueue {
 public:
  void push(TimePoint at, Due due, std::uint32_t subject, std::uint32_t generation = 0) {
    heap_.push_back({at, sequence_++, subject, generation, due});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  Upcoming pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Upcoming next = heap_.back();
    heap_.pop_back();
    return next;
  }
  bool empty() const { return heap_.empty(); }
  TimePoint next_at() const { return heap_.front().at; }  // REQUIRES: !empty()
  std::uint64_t pushed() const { return sequence_; }

 private:
  static bool later(const Upcoming& a, const Upcoming& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
  std::vector<Upcoming> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace ontime::simulator
