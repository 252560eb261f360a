#include "scheduler/policy/hopper.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "scheduler/policy/hopper_shares.h"

namespace ontime::scheduler {
namespace {

constexpr double kCheckMin = 0.01;  // seconds

std::uint32_t unfinished(const JobView& job) {
  return static_cast<std::uint32_t>(job.job->tasks.size()) - job.job->tasks_done;
}

}  // namespace

std::unique_ptr<Policy> Hopper::make(Parameters& parameters) {
  Settings settings;
  settings.rules = late_rules(parameters);
  settings.epsilon = parameters.number("epsilon", settings.epsilon, 0, 1);
  settings.check = std::max(kCheckMin, parameters.duration("check", settings.check));
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
  if (next_check_ && view.now < *next_check_) {
    plan.next_check = next_check_;
    return plan;
  }
  plan.next_check = next_check_ = view.now + from_seconds(settings_.check);
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
