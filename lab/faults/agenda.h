#pragma once
// What will happen, earliest first; what is due at the same time in the order in which it was put in.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/base/time.h"

namespace ontime::lab::faults {

enum class Due : std::uint8_t {
  Delivery,      // subject: message
  Connect,       // node
  Heartbeat,     // node
  GivesUp,       // connection: its worker has waited long enough for a welcome
  Launched,      // attempt slot. Its launch time is over
  Border,        // attempt slot. It reaches the end of its segment
  Cut,           // attempt slot. It looks at the cut that it was asked for
  SpeedChange,   // attempt slot
  AttemptDies,   // attempt slot
  BatchWritten,  // generation: the master's life
  CommitStep,    // job; generation: the master's life
  MasterStarts,
  LeaveOver,    // node; generation: its incarnation. It has waited long enough for its release
  FaultBegins,  // fault
  FaultEnds,    // fault
  Submission,   // submission
  Kill,         // submission
};

struct Upcoming {
  TimePoint at;
  std::uint64_t sequence;
  std::uint32_t subject;
  std::uint32_t generation;  // of the subject when this was put in; another one now: it does not happen
  Due due;
};

class Agenda {
 public:
  void put(TimePoint at, Due due, std::uint32_t subject = 0, std::uint32_t generation = 0) {
    heap_.push_back({at, sequence_++, subject, generation, due});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  Upcoming take() {  // REQUIRES: !empty()
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Upcoming first = heap_.back();
    heap_.pop_back();
    return first;
  }
  TimePoint next_at() const { return heap_.front().at; }  // REQUIRES: !empty()
  bool empty() const { return heap_.empty(); }

 private:
  static bool later(const Upcoming& a, const Upcoming& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
  std::vector<Upcoming> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace ontime::lab::faults
