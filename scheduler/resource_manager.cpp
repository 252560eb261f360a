#include "scheduler/resource_manager.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"

namespace ontime::scheduler {
namespace {

// Nodes whose speeds differ by less than a factor of about 1.4 count as equally fast.
constexpr double kClassesPerFactorE = 2 / 0.6931471805599453;

}  // namespace

ResourceManager::Rank ResourceManager::rank(NodeId node, std::uint32_t free) const {
  int slowness_class = 0;
  if (placement_.fast_first) {
    slowness_class = static_cast<int>(std::lround(-speeds_.log_speed(node) * kClassesPerFactorE));
  }
  return {slowness_class, -static_cast<std::int64_t>(free), node};
}

void ResourceManager::remove(NodeId id) {
  if (const auto old = rank_of_.find(id); old != rank_of_.end()) {
    free_slots_ -= static_cast<std::uint32_t>(-std::get<1>(old->second));
    by_rank_.erase(old->second);
    rank_of_.erase(old);
  }
  if (const auto old = slots_of_.find(id); old != slots_of_.end()) {
    slots_ -= old->second;
    slots_of_.erase(old);
  }
}

void ResourceManager::refresh(const Cluster& cluster, NodeId id) {
  remove(id);
  const Node* node = cluster.find_node(id);
  const bool is_gone = node == nullptr || node->state == NodeState::Lost || node->duty == Duty::Left;
  if (is_gone || node->state != NodeState::Live || !node->synchronised || node->duty != Duty::Serves) {
    usable_.erase(id);
    if (is_gone) {
      speeds_.forget(id);
      left_out_.erase(id);
    }
    return;
  }
  usable_.insert(id);
  if (is_left_out(id)) return;
  ONTIME_CHECK(node->live.size() <= node->slots, "a slot holds at most one attempt");
  slots_ += node->slots;
  slots_of_.emplace(id, node->slots);
  const auto free = node->slots - static_cast<std::uint32_t>(node->live.size());
  if (free == 0) return;
  const Rank place = rank(id, free);
  rank_of_.emplace(id, place);
  by_rank_.insert(place);
  free_slots_ += free;
}

void ResourceManager::observe_slowness(const Cluster& cluster, NodeId id, double slowness, TimePoint now) {
  if (!(slowness > 0) || !std::isfinite(slowness)) return;
  const bool is_slow = speeds_.observe(id, slowness);
  const auto allowed = static_cast<std::size_t>(kLeftOutShareMax * static_cast<double>(usable_.size()));
  if (placement_.leave_out && is_slow && left_out_.size() < allowed) {
    const TimePoint until = now + placement_.left_out_for;
    if (left_out_.emplace(id, until).second) exclusions_.emplace(until, id);
    speeds_.put_on_probation(id);
  }
  refresh(cluster, id);
}

void ResourceManager::end_exclusions(const Cluster& cluster, TimePoint now) {
  while (!exclusions_.empty() && exclusions_.begin()->first <= now) {
    const auto [until, id] = *exclusions_.begin();
    exclusions_.erase(exclusions_.begin());
    const auto left_out = left_out_.find(id);
    if (left_out == left_out_.end() || left_out->second != until) continue;  // the node was lost meanwhile
    left_out_.erase(left_out);
    refresh(cluster, id);
  }
}

std::vector<double> ResourceManager::speeds_of_free(std::size_t count) const {
  std::vector<double> speeds;
  for (const auto& [slowness, free, node] : by_rank_) {
    for (std::int64_t slot = 0; slot < -free && speeds.size() < count; ++slot) speeds.push_back(speed(node));
    if (speeds.size() >= count) break;
  }
  return speeds;
}

std::optional<NodeId> ResourceManager::choose(const std::vector<NodeId>& avoid) const {
  for (const Rank& place : by_rank_) {
    const NodeId node = std::get<2>(place);
    if (std::find(avoid.begin(), avoid.end(), node) == avoid.end()) return node;
  }
  return std::nullopt;
}

bool ResourceManager::covers_all_usable(const std::vector<NodeId>& avoid) const {
  return std::all_of(usable_.begin(), usable_.end(),
                     [&](NodeId node) { return std::find(avoid.begin(), avoid.end(), node) != avoid.end(); });
}

}  // namespace ontime::scheduler
