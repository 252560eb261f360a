#pragma once
// Whether a node works, is being taken out, or is gone in good order.

#include <cstdint>

namespace ontime::scheduler {

// What is expected of a node. Durable.
//
//   Serves <--operator--> Drains --its worker's wish--> Leaves --nothing runs there any more--> Left
//      '---------------------its worker's wish-----------^
//
// What a draining node (Drains, Leaves) promises: it gets no new attempt; each of its attempts is asked to stop at
// its next record, seals what it has mapped and gives back the rest, which any other node goes on with at once. So no
// record is mapped a second time and nothing counts as a failure. A standby has mapped nothing and ends; of several
// attempts that race one segment only the farthest seals, any other ends. One that does not answer within cut_timeout
// ends, and its segment starts again at its begin, as for any cut. When nothing runs there any more, all that was
// sealed there is durable with the master: a worker that leaves is released then, and the node is Left, which is not
// lost.
enum class Duty : std::uint8_t { Serves, Drains, Leaves, Left };
constexpr bool drains(Duty duty) { return duty == Duty::Drains || duty == Duty::Leaves; }
constexpr const char* name_of(Duty duty) {
  switch (duty) {
    case Duty::Serves:
      return "serves";
    case Duty::Drains:
      return "drains";
    case Duty::Leaves:
      return "leaves";
    case Duty::Left:
      break;
  }
  return "left";
}

}  // namespace ontime::scheduler
