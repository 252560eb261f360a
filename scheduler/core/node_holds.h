#pragma once
// Nodes that are held back: they serve and are heard of, but get no new work for a time, for a cause that people can
// read. One place for all causes; what lists, pages, metrics and explanations show of it comes from here.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"

namespace ontime::scheduler {

enum class HoldCause : std::uint8_t {
  Slow,     // its attempts take longer than luck explains
  Failing,  // its attempts fail
};
std::string_view name_of(HoldCause cause);  // "slow"

struct Hold {
  HoldCause cause = HoldCause::Slow;
  TimePoint since;
  TimePoint until;
  std::string reason;  // one sentence for people, without a full stop
};

// A hold that was, or is.
struct HeldNode {
  NodeId node;
  Hold hold;
  bool is_over = false;  // then `until` is when it ended
};

class NodeHolds {
 public:
  // A longer hold replaces a shorter one of the same cause and goes on with it.
  void add(NodeId node, Hold hold);
  void end(NodeId node, HoldCause cause, TimePoint now);
  void end_all(NodeId node, TimePoint now);
  // Ends what is over by then; returns the nodes.
  std::vector<NodeId> end_due(TimePoint now);

  // Null: the node is not held back. Of several the strictest: Failing before Slow.
  const Hold* find(NodeId node) const;
  const Hold* find(NodeId node, HoldCause cause) const;
  std::size_t count(HoldCause cause) const;
  // Those that touch the time, in order of their beginning. Of those that are over the latest kRemembered are known.
  std::vector<HeldNode> between(TimePoint from, TimePoint to) const;

  static constexpr std::size_t kRemembered = 256;

 private:
  using Key = std::pair<NodeId, HoldCause>;
  void remember(const Key& key, Hold hold, TimePoint ended);

  std::map<Key, Hold> holds_;
  std::set<std::pair<TimePoint, Key>> ends_;  // of holds_
  std::deque<HeldNode> over_;
};

}  // namespace ontime::scheduler
