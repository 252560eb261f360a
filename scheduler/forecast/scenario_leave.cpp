// Slots whose workers leave, as they know when their machines end: what runs there then is cut, and its rest waits. And
// how slots become free behind very many attempts, whether or not their workers leave.
#include <algorithm>
#include <utility>
#include <vector>

#include "scheduler/forecast/scenario.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler {
namespace {

using math::kInfinity;

constexpr double kSlotsLeast = 1e-9;  // fewer are what rounding leaves

}  // namespace

// The rest takes its share of the bytes, and waits behind all that waits now: the sum of the work is the same.
bool RemainderScenario::is_cut(const Running& work) {
  if (!(work.until < kInfinity) || work.frees <= work.until) return false;
  double share = 1;
  if (work.frees < kInfinity && work.begins < work.until) {
    share = (work.frees - work.until) / (work.frees - work.begins);
  }
  rests_.push_back({salted(work.name, kRestSalt), work.count, work.bytes * share, work.until});
  return true;
}

// When so many attempts have been served: slots work from when they are free until their workers leave. Infinite: they
// leave before.
double RemainderScenario::level_of(double work) const {
  std::vector<std::pair<double, double>> changes;  // instant, slots more
  for (const Slots& slots : slots_) {
    changes.emplace_back(slots.at, slots.count);
    if (slots.until < kInfinity) changes.emplace_back(slots.until, -slots.count);
  }
  std::sort(changes.begin(), changes.end());
  double below = 0;
  double level = changes.front().first;
  for (const auto& [at, more] : changes) {
    const double step = (at - level) * below;
    if (below > kSlotsLeast && step > work) break;
    work -= step;
    level = at;
    below += more;
  }
  return below > kSlotsLeast ? level + work / below : kInfinity;
}

// When the slots become free if very many attempts wait for few of them: all at about the same time, give or take one
// attempt. It takes O(slots). To follow each attempt would take O(attempts) in every scenario.
double RemainderScenario::flow(double count, double each, bool warm) {
  const double level = level_of(count * each);
  const auto is_later = [level](const Slots& slots) { return slots.at > level; };
  const auto busy = std::partition(slots_.begin(), slots_.end(), is_later);
  std::vector<Slots> serving(busy, slots_.end());
  slots_.erase(busy, slots_.end());
  std::erase_if(serving, [level](const Slots& slots) { return slots.until <= level; });
  std::sort(serving.begin(), serving.end(), [](const Slots& a, const Slots& b) { return a.until < b.until; });
  double sum = 0;
  for (const Slots& slots : serving) sum += slots.count;
  double passed = 0;  // slots of `next` and those before it
  std::size_t next = 0;
  for (int i = 0; i < kFlowParts && sum > 0; ++i) {
    while (next + 1 < serving.size() && passed + serving[next].count < sum * (i + 0.5) / kFlowParts) {
      passed += serving[next++].count;
    }
    const double at = std::max(remainder_.now, level + each * ((i + 0.5) / kFlowParts - 0.5));
    if (at < serving[next].until) slots_.push_back({at, sum / kFlowParts, 0, serving[next].until, warm});
  }
  std::make_heap(slots_.begin(), slots_.end());
  return level;
}

}  // namespace ontime::scheduler
