#include "scheduler/policies/baselines/hopper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace ontime::scheduler {
namespace {

constexpr double kRounding = 1e-9;  // products that are whole numbers but for rounding

std::vector<std::uint32_t> in_proportion(std::span<const std::uint32_t> sizes, std::uint32_t slots, std::uint64_t sum) {
  std::vector<std::uint32_t> shares;
  for (const std::uint64_t size : sizes) shares.push_back(static_cast<std::uint32_t>(slots * size / sum));
  return shares;
}

}  // namespace

std::uint32_t hopper_virtual_size(double beta, std::uint32_t unfinished) {
  const double factor = std::clamp(2 / beta, 1.0, 2.0);
  return static_cast<std::uint32_t>(std::ceil(factor * unfinished - kRounding));
}

std::vector<std::uint32_t> hopper_shares(std::span<const std::uint32_t> sizes, std::uint32_t slots, double epsilon) {
  const std::uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (sum == 0) return std::vector<std::uint32_t>(sizes.size(), 0);
  if (sum <= slots) return in_proportion(sizes, slots, sum);
  const auto floor = static_cast<std::uint32_t>((1 - epsilon) * slots / static_cast<double>(sizes.size()) + kRounding);
  std::vector<std::uint32_t> shares;
  std::uint32_t left = slots;
  for (const std::uint32_t size : sizes) {
    shares.push_back(std::min(size, floor));
    left -= shares.back();
  }
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
  for (const std::size_t job : order) {
    const std::uint32_t more = std::min(left, sizes[job] - shares[job]);
    shares[job] += more;
    left -= more;
  }
  return shares;
}

namespace {

std::uint32_t unfinished(const JobView& job) {
  return static_cast<std::uint32_t>(job.job->tasks.size()) - job.job->tasks_done;
}

}  // namespace

std::unique_ptr<Policy> Hopper::make(Parameters& parameters) {
  Settings settings;
  settings.rules = late_rules(parameters);
  settings.epsilon = parameters.number("epsilon", settings.epsilon, 0, 1);
  settings.check = parameters.period("check", settings.check);
  settings.reserve = parameters.flag("reserve", settings.reserve);
  return std::make_unique<Hopper>(settings, parameters.durations());
}

std::uint32_t Hopper::share(JobId job) const {
  const auto found = shares_.find(job);
  return found == shares_.end() ? 0 : found->second;
}

void Hopper::divide_slots(const View& view) {
  std::vector<std::uint32_t> sizes;
  std::uint64_t sum = 0;
  for (const JobView& job : view.jobs) {
    sizes.push_back(hopper_virtual_size(durations_of(view, job, hints_).beta, unfinished(job)));
    sum += sizes.back();
  }
  is_short_ = sum > view.slots();
  const std::vector<std::uint32_t> shares = hopper_shares(sizes, view.slots(), settings_.epsilon);
  shares_.clear();
  for (std::size_t index = 0; index < shares.size(); ++index) shares_.emplace(view.jobs[index].id, shares[index]);
}

Plan Hopper::plan(const View& view) {
  Plan plan;
  divide_slots(view);
  if (!clock_.is_due(view.now, plan)) return plan;
  Declines declines(plan);
  std::uint32_t slots = std::numeric_limits<std::uint32_t>::max();
  if (!settings_.reserve) slots = std::min(view.spare_slots(), slots_on_good_nodes(view, settings_.rules));
  for (const JobView& job : view.jobs) {
    const std::size_t used = job.job->live.size() + job.waiting;
    const std::uint32_t of_job = share(job.id);
    const std::uint32_t room = of_job > used ? of_job - static_cast<std::uint32_t>(used) : 0;
    const Reason exhausted = room < slots ? Reason::CapReached : Reason::NoFreeSlot;
    slots -= race_slow_tasks(view, job, settings_.rules, std::min(room, slots), exhausted, plan, declines);
  }
  return plan;
}

}  // namespace ontime::scheduler
