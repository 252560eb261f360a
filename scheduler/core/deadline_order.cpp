#include "scheduler/core/deadline_order.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace ontime::scheduler {

std::set<JobId> jobs_left_behind(std::span<const Demand> demands, std::uint32_t slots) {
  std::vector<const Demand*> by_deadline;
  std::set<JobId> behind;
  for (const Demand& demand : demands) {
    const bool is_hopeless = demand.time_left <= 0 || demand.work > demand.time_left * slots;
    if (is_hopeless) behind.insert(demand.job);
    if (!is_hopeless && demand.work > 0) by_deadline.push_back(&demand);
  }
  std::ranges::sort(by_deadline, {}, [](const Demand* demand) { return std::pair(demand->time_left, demand->job); });
  const auto goes_later = [](const Demand* a, const Demand* b) {
    return std::tuple(-a->priority, a->work, a->job) < std::tuple(-b->priority, b->work, b->job);
  };
  std::priority_queue<const Demand*, std::vector<const Demand*>, decltype(goes_later)> kept(goes_later);
  double work = 0;
  for (const Demand* demand : by_deadline) {
    kept.push(demand);
    work += demand->work;
    while (work > demand->time_left * slots && !kept.empty()) {
      work -= kept.top()->work;
      behind.insert(kept.top()->job);
      kept.pop();
    }
  }
  return behind;
}

double mean_cost(const Cluster& cluster, const Job& job, const Outlook& outlook) {
  const auto mean_of = [](std::span<const double> costs) {
    if (costs.size() < math::kEnoughSamples) return 0.0;
    return std::accumulate(costs.begin(), costs.end(), 0.0) / static_cast<double>(costs.size());
  };
  const math::DurationSample* profile = cluster.find_profile(job);
  if (const double earlier = profile != nullptr ? mean_of(profile->finished()) : 0; earlier > 0) return earlier;
  if (const double ended = mean_of(outlook.sample().finished()); ended > 0) return ended;
  return job.live.empty() ? 0 : mean_of(outlook.early_durations());
}

}  // namespace ontime::scheduler
