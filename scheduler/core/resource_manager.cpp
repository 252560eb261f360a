#include "scheduler/core/resource_manager.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "scheduler/core/cluster.h"

namespace ontime::scheduler {
namespace {

// Nodes whose speeds differ by less than a factor of about 1.4 count as equally fast.
constexpr double kSlownessClassesPerFactorE = 2 / 0.6931471805599453;
// A node may be so many classes slower for a whole attempt's time that it saves, and at most so many: by how much nodes
// seem to differ through luck alone, if launches are dear.
constexpr double kClassesPerShare = 6;
constexpr double kClassesMost = 4;
constexpr std::uint32_t kDoublingsMost = 4;  // of the time that a slow node is held back

int classes_for(const Asker& asker) {
  return static_cast<int>(std::min(kClassesMost, kClassesPerShare * asker.launch_share));
}

bool is_in(const std::vector<NodeId>& nodes, NodeId node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

std::string reason_of(const Slowness& slow) {
  const auto tenths = std::lround(10 * std::min(slow.least, 1e6));
  return "its last " + std::to_string(slow.attempts) + " attempts, on different tasks, each took at least " +
         std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " times as long as is usual; of the last " +
         std::to_string(slow.elsewhere) + " attempts elsewhere " + std::to_string(slow.as_slow) + " did";
}

}  // namespace

ResourceManager::Rank ResourceManager::rank(NodeId node, std::uint32_t free) const {
  int slowness_class = 0;
  if (placement_.fast_first) {
    slowness_class = static_cast<int>(std::lround(-speeds_.log_speed(node) * kSlownessClassesPerFactorE));
  }
  return {slowness_class, -static_cast<std::int64_t>(free), node};
}

void ResourceManager::remove(NodeId id) {
  if (const auto old = rank_of_.find(id); old != rank_of_.end()) {
    free_slots_ -= static_cast<std::uint32_t>(-std::get<1>(old->second));
    remove_warm(id, old->second);
    by_rank_.erase(old->second);
    rank_of_.erase(old);
  }
  if (const auto old = slots_of_.find(id); old != slots_of_.end()) {
    slots_ -= old->second.open;
    slots_there_ -= old->second.there;
    slots_of_.erase(old);
  }
  held_free_.erase(id);
}

void ResourceManager::refresh(const Cluster& cluster, NodeId id) {
  remove(id);
  const Node* node = cluster.find_node(id);
  const bool is_gone = node == nullptr || node->state == NodeState::Lost || node->duty == Duty::Left;
  if (!is_gone) slots_there_ += slots_of_[id].there = node->slots;
  if (is_gone || node->state != NodeState::Live || !node->synchronised || node->duty != Duty::Serves) {
    usable_.erase(id);
    leaves_.erase(id);
    if (is_gone) forget(id, node);
  } else {
    usable_.insert(id);
    if (node->leaves_at < TimePoint::max()) leaves_[id] = {node->leaves_at, node->stay / 2};
    insert(*node, id);
  }
  while (!offers_.empty() && !is_open(offers_.back())) offers_.pop_back();
}

void ResourceManager::forget(NodeId id, const Node* node) {
  speeds_.forget(id);
  slow_holds_.erase(id);
  holds_.end_all(id, node == nullptr ? TimePoint::max() : node->heard_at);
}

void ResourceManager::insert(const Node& node, NodeId id) {
  ONTIME_CHECK(node.live.size() <= node.slots, "a slot holds at most one attempt");
  const auto live = static_cast<std::uint32_t>(node.live.size());
  const std::uint32_t free = node.slots - live;
  if (const Hold* hold = hold_of(id)) {
    if (free > 0) held_free_.emplace(id, HeldFree{free, live, hold->cause});
    return;
  }
  slots_ += slots_of_[id].open = node.slots;
  if (free == 0) return;
  const Rank place = rank(id, free);
  rank_of_.emplace(id, place);
  by_rank_.insert(place);
  free_slots_ += free;
  insert_warm(node, id, place);
}

void ResourceManager::insert_warm(const Node& node, NodeId id, const Rank& place) {
  if (!placement_.warm_first || node.idle_runners.empty()) return;
  const auto free = static_cast<std::uint32_t>(-std::get<1>(place));
  for (const JobId job : node.idle_runners) {
    std::uint32_t& slots = warm_[job][place];
    slots = std::min(slots + 1, free);
  }
  warm_jobs_of_.emplace(id, node.idle_runners);
}

void ResourceManager::remove_warm(NodeId id, const Rank& place) {
  const auto jobs = warm_jobs_of_.extract(id);
  if (jobs.empty()) return;
  for (const JobId job : jobs.mapped()) {
    const auto slots = warm_.find(job);
    if (slots == warm_.end()) continue;  // it had two runners there
    slots->second.erase(place);
    if (slots->second.empty()) warm_.erase(slots);
  }
}

// Holds -------------------------------------------------------------------------------------------------------------

void ResourceManager::observe_slowness(const Cluster& cluster, NodeId id, TaskId task, double slowness, TimePoint now) {
  if (!(slowness > 0) || !std::isfinite(slowness)) return;
  std::vector<NodeId> elsewhere;
  if (const Task* facts = cluster.find_task(task)) {
    for (const Attempt& attempt : facts->attempts) {
      if (attempt.node != id && !is_live(attempt.state) && !is_in(elsewhere, attempt.node)) {
        elsewhere.push_back(attempt.node);
      }
    }
  }
  speeds_.observe(id, task, slowness, elsewhere);
  if (const auto slow = speeds_.slowness(id)) hold_as_slow(cluster, id, *slow, now);
  judge(cluster, id, now);
  for (const NodeId other : elsewhere) judge(cluster, other, now);
}

// What was seen may excuse a node, too: its attempts are as fast as usual again, or their tasks are slow everywhere.
void ResourceManager::judge(const Cluster& cluster, NodeId id, TimePoint now) {
  if (!speeds_.slowness(id)) {
    slow_holds_.erase(id);
    holds_.end(id, HoldCause::Slow, now);
  }
  refresh(cluster, id);
}

void ResourceManager::hold_as_slow(const Cluster& cluster, NodeId id, const Slowness& slow, TimePoint now) {
  if (!placement_.leave_out || !is_usable(id)) return;
  const bool is_new = holds_.find(id, HoldCause::Slow) == nullptr;
  const auto allowed = static_cast<std::size_t>(kSlowShareMax * static_cast<double>(usable_.size()));
  if (is_new && holds_.count(HoldCause::Slow) >= allowed) return;
  if (is_new) ++slow_holds_[id];
  const Duration time = placement_.left_out_for * (1u << std::min(slow_holds_[id] - 1, kDoublingsMost));
  hold(cluster, id, {HoldCause::Slow, now, now + time, reason_of(slow)});
}

void ResourceManager::hold(const Cluster& cluster, NodeId id, Hold hold) {
  holds_.add(id, std::move(hold));
  refresh(cluster, id);
}

void ResourceManager::release_hold(const Cluster& cluster, NodeId id, TimePoint now, HoldCause cause) {
  holds_.end(id, cause, now);
  refresh(cluster, id);
}

void ResourceManager::end_holds(const Cluster& cluster, TimePoint now) {
  for (const NodeId id : holds_.end_due(now)) refresh(cluster, id);
}

bool ResourceManager::has_slow_free() const {
  return std::any_of(held_free_.begin(), held_free_.end(),
                     [](const auto& held) { return held.second.cause == HoldCause::Slow; });
}

double ResourceManager::slowness_of(NodeId id) const {
  const auto slow = speeds_.slowness(id);
  return slow ? slow->typical : 1 / speed(id);
}

// Each round of the other nodes takes away one attempt a slot; who is n times as slow is done after n rounds.
void ResourceManager::offer_slow(std::uint32_t waiting) {
  offers_.clear();
  if (waiting <= free_slots_) return;
  std::vector<Offer> slow;
  for (const auto& [id, held] : held_free_) {
    if (held.cause == HoldCause::Slow) slow.push_back({slowness_of(id), id, held.live});
  }
  std::sort(slow.begin(), slow.end(),
            [](const Offer& a, const Offer& b) { return std::tie(a.slowness, a.node) < std::tie(b.slowness, b.node); });
  std::uint32_t queue = waiting - free_slots_;
  for (Offer& offer : slow) {
    const HeldFree& held = held_free_.at(offer.node);
    while (queue > 0 && queue >= offer.slowness * slots_ && offer.live_most < held.live + held.free) {
      ++offer.live_most;
      --queue;
    }
    if (is_open(offer)) offers_.push_back(offer);
  }
  std::reverse(offers_.begin(), offers_.end());
}

bool ResourceManager::is_open(const Offer& offer) const {
  const auto held = held_free_.find(offer.node);
  return held != held_free_.end() && held->second.live < offer.live_most;
}

// Where no attempt can have what it needs, as its start takes longer than workers live, each is tried all the same.
bool ResourceManager::stays_for(const Asker& asker, NodeId node) const {
  const auto leave = leaves_.find(node);
  return leave == leaves_.end() || leave->second.at - asker.now >= std::min(asker.stay, leave->second.least);
}

// Choices -----------------------------------------------------------------------------------------------------------

std::vector<double> ResourceManager::speeds_of_free(std::size_t count) const {
  std::vector<double> speeds;
  for (const auto& [slowness, free, node] : by_rank_) {
    for (std::int64_t slot = 0; slot < -free && speeds.size() < count; ++slot) speeds.push_back(speed(node));
    if (speeds.size() >= count) break;
  }
  return speeds;
}

std::optional<NodeId> ResourceManager::choose(const std::vector<NodeId>& avoid, const Asker& asker) const {
  const auto may = [&](const Rank& place) {
    return !is_in(avoid, std::get<2>(place)) && stays_for(asker, std::get<2>(place));
  };
  const auto best = std::ranges::find_if(by_rank_, may);
  if (best == by_rank_.end()) return std::nullopt;
  if (const auto slots = warm_.find(asker.job); slots != warm_.end()) {
    const auto warm = std::ranges::find_if(slots->second, [&](const auto& entry) { return may(entry.first); });
    const int slowest = std::get<0>(*best) + classes_for(asker);
    if (warm != slots->second.end() && std::get<0>(warm->first) <= slowest) return std::get<2>(warm->first);
  }
  return std::get<2>(*best);
}

std::uint32_t ResourceManager::warm_slots(JobId job) const {
  std::uint32_t sum = 0;
  if (const auto slots = warm_.find(job); slots != warm_.end()) {
    for (const auto& [place, count] : slots->second) sum += count;
  }
  return sum;
}

std::optional<NodeId> ResourceManager::choose_for_waiting(const std::vector<NodeId>& avoid, const Asker& asker) const {
  if (const auto node = choose(avoid, asker)) return node;
  for (auto offer = offers_.rbegin(); offer != offers_.rend(); ++offer) {
    if (is_open(*offer) && !is_in(avoid, offer->node) && stays_for(asker, offer->node)) return offer->node;
  }
  // Where all others must be avoided, the queue never comes to this work.
  const bool others_come_to_it = std::any_of(usable_.begin(), usable_.end(), [&](NodeId node) {
    return !is_held(node) && !is_in(avoid, node) && stays_for(asker, node);
  });
  if (others_come_to_it) return std::nullopt;
  for (const auto& [node, held] : held_free_) {
    if (held.cause == HoldCause::Slow && !is_in(avoid, node) && stays_for(asker, node)) return node;
  }
  return std::nullopt;
}

bool ResourceManager::covers_all_usable(const std::vector<NodeId>& avoid) const {
  return std::all_of(usable_.begin(), usable_.end(), [&](NodeId node) { return is_in(avoid, node); });
}

}  // namespace ontime::scheduler
