#include "scheduler/policy/sda.h"

#include <algorithm>

#include "scheduler/pocd/xu_lau_sda.h"
#include "scheduler/policy/duration_words.h"

namespace ontime::scheduler {
namespace {

std::optional<std::uint32_t> optional_count(Parameters& parameters, std::string_view name) {
  if (!parameters.optional_number(name, 2, 50)) return std::nullopt;
  return parameters.count(name, 2, 2, 50);
}

}  // namespace

Sda::Sda(Parameters& parameters)
    : s_(parameters.number("s", 0.1, 0, 0.99)),
      sigma_(parameters.optional_number("sigma", 0, 1e6)),
      copies_(optional_count(parameters, "c")),
      slot_(std::max(0.01, parameters.duration("slot", kXuLauSlot))),
      hints_(parameters.durations()) {}

Plan Sda::plan(const View& view) {
  Plan plan;
  if (!next_look_ || view.now >= *next_look_) {
    look(view, plan);
    next_look_ = view.now + from_seconds(slot_);
  }
  plan.next_check = next_look_;
  return plan;
}

void Sda::look(const View& view, Plan& plan) {
  forget_ended(limits_, view);
  std::uint32_t budget = view.spare_slots();
  for (const JobView& job : view.jobs) {
    const DetectionLimit* limit = limit_of(view, job, plan);
    if (limit == nullptr) continue;
    for (const SlowTask& slow : slow_tasks(view, job, *limit, s_, plan)) {
      const std::uint32_t copies = std::min(limit->copies - 1, budget);
      budget -= copies;
      if (copies > 0)
        plan.add(duplicate(slow, copies));
      else
        plan.add(Decline{slow.piece.task, Reason::NoFreeSlot});
    }
  }
}

// Chosen when durations are first known, and once more when they rest on a fit.
const DetectionLimit* Sda::limit_of(const View& view, const JobView& job, Plan& plan) {
  const auto known = limits_.find(job.id);
  if (known != limits_.end() && !is_due_again(known->second, job)) return &known->second;
  const std::optional<TaskTimes> times = task_times(view, job, hints_);
  if (!times) return nullptr;
  DetectionLimit limit = limit_for(*times);
  if (known == limits_.end() || times->is_settled) {
    plan.add(Note{job.id, limit_words(limit, hints_)});
  }
  return &(limits_[job.id] = limit);
}

DetectionLimit Sda::limit_for(const TaskTimes& times) const {
  DetectionLimit limit{times, 0, 2};
  if (copies_) {
    limit.copies = *copies_;
    limit.sigma = sigma_ ? *sigma_ : pocd::best_detection_limit(times.alpha, *copies_);
  } else {
    const pocd::DetectionRule best = pocd::best_detection_rule(times.alpha);
    limit.copies = best.copies;
    limit.sigma = sigma_.value_or(best.sigma);
  }
  return limit;
}

}  // namespace ontime::scheduler
