#include "scheduler/forecast/node_effects.h"

#include <algorithm>
#include <cmath>

#include "common/base/median.h"

namespace ontime::scheduler {
namespace {

// That nodes are alike is assumed until attempts have shown otherwise: it counts as so many attempts that differ within
// a node as all do.
constexpr double kAlike = 1;
// Means of a node's few attempts differ by chance: beyond one times what is expected of them, they do so with a
// probability of a half; beyond so many times, seldom.
constexpr double kByChance = 2;

struct Group {
  double count = 0;
  double sum = 0;
  double mean() const { return sum / count; }
};

}  // namespace

NodeEffects::NodeEffects(const std::vector<Seen>& attempts) {
  std::map<NodeId, Group> groups;
  std::vector<double> all;
  double sum = 0;
  for (const Seen& seen : attempts) {
    Group& group = groups[seen.node];
    ++group.count;
    group.sum += seen.ln_time;
    sum += seen.ln_time;
    all.push_back(seen.ln_time);
  }
  const auto count = static_cast<double>(attempts.size());
  const auto nodes = static_cast<double>(groups.size());
  if (nodes < 2 || count <= nodes) return;
  double total = 0;  // sums of squares
  double within = 0;
  double counts = 0;
  for (const Seen& seen : attempts) {
    total += std::pow(seen.ln_time - sum / count, 2);
    within += std::pow(seen.ln_time - groups[seen.node].mean(), 2);
  }
  for (const auto& [node, group] : groups) counts += group.count * group.count;
  const double typical = (count - counts / count) / (nodes - 1);  // attempts of a node
  const double rest = (within + kAlike * total / (count - 1)) / (count - nodes + kAlike);
  const double between = ((total - within) / (nodes - 1) - kByChance * rest) / typical;
  if (!(between > 0)) return;
  within_ = std::sqrt(rest / (rest + between));
  const double middle = median_of(std::move(all));
  for (const auto& [node, group] : groups) {
    effects_[node] = (group.mean() - middle) * group.count * between / (group.count * between + rest);
  }
}

double NodeEffects::of(NodeId node) const {
  const auto effect = effects_.find(node);
  return effect == effects_.end() ? 0 : effect->second;
}

}  // namespace ontime::scheduler
