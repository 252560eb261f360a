#include <charconv>
#include <string_view>
#include <vector>

#include "master/node_view.h"
#include "master/text.h"

namespace ontime::master {
namespace {

using scheduler::Duty;
using scheduler::NodeState;

NodeId numbered(const scheduler::Cluster& cluster, std::string_view text) {
  constexpr std::string_view kPrefix = "node-";
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && cluster.find_node(NodeId{number}) != nullptr ? NodeId{number} : NodeId{};
}

}  // namespace

// A name first: it may look like a number.
Result<NodeId> named_node(const scheduler::Cluster& cluster, const std::string& text) {
  std::vector<NodeId> called;
  for (const auto& [id, node] : cluster.nodes()) {
    if (node.name == text && node.state != NodeState::Lost && node.duty != Duty::Left) called.push_back(id);
  }
  if (called.size() == 1) return called.front();
  if (called.size() > 1) {
    return bad_input("There are " + std::to_string(called.size()) + " nodes called '" + readable(text) + "', " +
                     to_string(called[0]) + " and " + to_string(called[1]) + " among them; give the number.");
  }
  if (const NodeId node = numbered(cluster, text); node != NodeId{}) return node;
  return bad_input("No such node: '" + readable(text) + "'. Run 'ontime nodes' to list known nodes.");
}

}  // namespace ontime::master
