#pragma once
// When messages of the connections between nodes and master arrive. A connection is TCP's: what it delivers is whole
// and in order. A packet that is lost is sent again after a time-out that doubles each time, and all that was sent
// behind it waits; when that has gone on for too long the connection breaks. A message is a packet.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/distribution.h"
#include "common/base/time.h"
#include "lab/scenario/purpose.h"
#include "lab/scenario/scenario.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"

namespace ontime::lab {

// What is under way between the master and the simulated workers.

// Arrives only if the connection that it was sent on still stands.
struct Order {
  std::uint32_t node = 0;  // index
  std::uint32_t connection = 0;
  scheduler::Action what;
};
struct Report {
  std::uint32_t node = 0;
  std::uint32_t connection = 0;
  std::uint64_t number = 0;  // to be acknowledged; 0: a heartbeat
  scheduler::Event what;
};

// Things that are on their way, each in a numbered slot until it is taken out; slots are used again.

// A slot of `things` that nobody has: one that is used again, or a new one behind the others.
template <class Things>
std::uint32_t take_slot(Things& things, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    things.emplace_back();
    return static_cast<std::uint32_t>(things.size() - 1);
  }
  const std::uint32_t slot = free.back();
  free.pop_back();
  return slot;
}

template <class T>
class Pool {
 public:
  std::uint32_t put(T thing) {
    const std::uint32_t slot = take_slot(slots_, free_);
    slots_[slot] = std::move(thing);
    return slot;
  }
  T take(std::uint32_t slot) {
    free_.push_back(slot);
    return std::move(slots_[slot]);
  }

 private:
  std::vector<T> slots_;
  std::vector<std::uint32_t> free_;
};

enum class Direction : std::uint8_t { ToMaster, ToNode };

// What becomes of a message.
struct Passage {
  std::optional<TimePoint> arrives;
  std::optional<TimePoint> breaks;  // then the sender gives the connection up. Neither: it waits behind such a message
};

class Wire {
 public:
  // REQUIRES: scenario outlives it.
  Wire(const Scenario& scenario, std::uint64_t seed);

  // Every message takes exactly delay(): the scenario has no other delays and no loss.
  bool is_steady() const { return is_steady_; }
  Duration delay() const { return delay_; }  // of a steady wire

  // A new connection of this node: nothing is under way. Call before its first message.
  void connect(std::uint32_t node);
  // In order of `now` in each direction. REQUIRES: !is_steady().
  Passage send(std::uint32_t node, Direction direction, TimePoint now);

 private:
  struct Way {  // of one node's connection, in one direction
    Random delays{0, Purpose::NetworkDelay};
    Random losses{0, Purpose::PacketLoss};
    TimePoint last;  // arrival of the latest message
    bool is_stuck = false;
  };
  // Until a packet gets through; nullopt: not before the sender gives up.
  std::optional<double> retransmissions(Random& losses) const;

  const Scenario& scenario_;
  const bool is_steady_;
  const Duration delay_;
  std::vector<Way> ways_;  // two for each node; none if steady
};

}  // namespace ontime::lab
