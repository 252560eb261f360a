// Simulated workers that come and go as slots are wanted.
#include <algorithm>

#include "lab/simulator/workers.h"

namespace ontime::lab {

// It is paid for from now on.
void Workers::call(std::uint32_t index, TimePoint now) {
  Node& node = nodes_[index];
  node.is_alive = true;
  node.is_leaving = false;
  node.called_at = now;
  node.starts_until = now + from_seconds(scenario_.elastic->start);
  ++node.incarnation;
  queue_.push(node.starts_until, Due::Registration, index, node.connection);
}

void Workers::end_node(Node& node, TimePoint now) {
  paid_ += paid_of(node, now);
  there_ += there_of(node, now);
  disconnect(node, now);
  node.is_alive = false;
  ++node.pulse;
  end_all(node, now);
  node.kept.clear();
}

// One that leaves is not called back: it ends, and may come again.
void Workers::resize(std::uint32_t slots, TimePoint now) {
  slots = std::max(slots, scenario_.elastic->least);
  const auto stays = [](const Node& node) { return node.is_alive && !node.is_leaving; };
  std::uint32_t there = 0;
  for (const Node& node : nodes_) there += stays(node) ? node.slots : 0;
  for (std::uint32_t index = 0; index < nodes_.size() && there < slots; ++index) {
    if (nodes_[index].is_alive) continue;
    call(index, now);
    there += nodes_[index].slots;
  }
  while (there > slots) {
    const auto goes_before = [&](const Node& one, const Node& other) {
      return std::pair(stays(one), one.called_at) < std::pair(stays(other), other.called_at);
    };
    Node& latest = *std::max_element(nodes_.begin(), nodes_.end(), goes_before);
    if (!stays(latest) || there - latest.slots < slots) return;
    there -= latest.slots;
    latest.is_leaving = true;
    if (latest.is_connected)
      leave(static_cast<std::uint32_t>(&latest - nodes_.data()), now);
    else
      end_node(latest, now);
  }
}

double Workers::paid_of(const Node& node, TimePoint now) { return node.slots * seconds(now - node.called_at); }

double Workers::there_of(const Node& node, TimePoint now) {
  return node.slots * seconds(std::max(now, node.starts_until) - node.starts_until);
}

double Workers::paid_slot_seconds(TimePoint now) const {
  double paid = paid_;
  for (const Node& node : nodes_) paid += node.is_alive ? paid_of(node, now) : 0;
  return paid;
}

double Workers::there_slot_seconds(TimePoint now) const {
  double there = there_;
  for (const Node& node : nodes_) there += node.is_alive ? there_of(node, now) : 0;
  return there;
}

}  // namespace ontime::lab
