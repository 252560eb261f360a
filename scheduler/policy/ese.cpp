#include "scheduler/policy/ese.h"

#include <algorithm>
#include <cmath>

#include "scheduler/pocd/xu_lau_ese.h"
#include "scheduler/pocd/xu_lau_p2.h"
#include "scheduler/policy/duration_words.h"

namespace ontime::scheduler {

Ese::Ese(Parameters& parameters)
    : sigma_(parameters.optional_number("sigma", 0, 1e6)),
      gamma_(parameters.number("gamma", 0.01, 0, 1e9)),
      copies_max_(parameters.count("r", 8, 1, 50)),
      eta_(parameters.number("eta", 0.1, 0, 1e9)),
      xi_(parameters.duration("xi", 1)),
      is_ahead_(parameters.flag("ahead", true)),
      slot_(std::max(0.01, parameters.duration("slot", kXuLauSlot))),
      hints_(parameters.durations()) {}

Plan Ese::plan(const View& view) {
  Plan plan;
  std::uint32_t idle = view.spare_slots();
  if (!next_look_ || view.now >= *next_look_) {
    look(view, plan, idle);
    next_look_ = view.now + from_seconds(slot_);
  }
  clone_small_jobs(view, plan, idle);
  plan.next_check = next_look_;
  return plan;
}

void Ese::look(const View& view, Plan& plan, std::uint32_t& idle) {
  forget_ended(limits_, view);
  std::vector<SlowTask> slow;
  for (const JobView& job : view.jobs) {
    const DetectionLimit* limit = limit_of(view, job, plan);
    if (limit == nullptr) continue;
    std::vector<SlowTask> some = slow_tasks(view, job, *limit, 0, plan);
    std::move(some.begin(), some.end(), std::back_inserter(slow));
  }
  std::stable_sort(slow.begin(), slow.end(), [](auto& a, auto& b) { return a.remaining > b.remaining; });
  std::uint32_t budget = is_ahead_ ? std::max(idle, machines_ahead(view)) : idle;
  for (const SlowTask& task : slow) {
    if (budget == 0) {
      plan.add(Decline{task.piece.task, Reason::NoFreeSlot});
      continue;
    }
    --budget;
    idle -= std::min(idle, 1u);
    plan.add(duplicate(task, 1));
  }
}

// Slots that will become free until the next look, less the copies that wait for them already.
std::uint32_t Ese::machines_ahead(const View& view) const {
  double freed = 0;
  std::uint32_t pending = 0;
  for (const JobView& job : view.jobs) {
    for (const auto& [task, copies] : job.pending) pending += copies;
    const auto limit = limits_.find(job.id);
    if (limit == limits_.end()) continue;
    freed += static_cast<double>(job.job->live.size()) * std::min(1.0, slot_ / limit->second.times.mean);
  }
  const auto whole = static_cast<std::uint32_t>(std::min(std::ceil(freed), static_cast<double>(view.slots())));
  return whole - std::min(whole, pending);
}

// Chosen when durations are first known, and once more when they rest on a fit.
const DetectionLimit* Ese::limit_of(const View& view, const JobView& job, Plan& plan) {
  const auto known = limits_.find(job.id);
  if (known != limits_.end() && !is_due_again(known->second, job)) return &known->second;
  const std::optional<TaskTimes> times = task_times(view, job, hints_);
  if (!times) return nullptr;
  const DetectionLimit limit{*times, sigma_ ? *sigma_ : pocd::best_enhanced_limit(times->alpha), 2};
  if (known == limits_.end() || times->is_settled) plan.add(Note{job.id, limit_words(limit, hints_)});
  return &(limits_[job.id] = limit);
}

void Ese::clone_small_jobs(const View& view, Plan& plan, std::uint32_t idle) {
  const Unscheduled unscheduled(view, clones_);
  std::map<JobId, std::uint32_t> granted;
  const double share = static_cast<double>(unscheduled.machines()) / static_cast<double>(unscheduled.jobs().size());
  std::uint64_t room = idle;
  for (const JobView* job : unscheduled.jobs()) {
    const auto before = clones_.find(job->id);
    granted[job->id] = before == clones_.end() ? 0 : before->second;
    if (before != clones_.end()) continue;  // decided when it came
    const std::optional<TaskTimes> times = task_times(view, *job, hints_);
    const std::uint64_t tasks = job->job->tasks.size();
    if (!times || static_cast<double>(tasks) >= eta_ * share || times->mean >= xi_) continue;
    const std::uint32_t clones = best_copies(cloned_job(*job, *times), room) - 1;
    if (clones == 0) continue;
    room -= clones * tasks;
    granted[job->id] = clones;
    plan.add(Note{job->id, "c = " + std::to_string(clones + 1) + " for a small job, " +
                               duration_words(times->durations, hints_, times->split_bytes)});
    plan.add(CloneTasks{job->id, clones, Reason::Clone});
  }
  clones_ = std::move(granted);
}

// Eq. 29 with the utility -E[t].
std::uint32_t Ese::best_copies(const pocd::ClonedJob& job, std::uint64_t room) const {
  std::uint32_t best = 1;
  for (std::uint32_t c = 2; c <= copies_max_ && (c - 1) * job.tasks <= static_cast<double>(room); ++c) {
    if (pocd::cloning_value(job, c, gamma_) > pocd::cloning_value(job, best, gamma_)) best = c;
  }
  return best;
}

}  // namespace ontime::scheduler
