#include "scheduler/policy/late.h"

#include <algorithm>

namespace ontime::scheduler {
namespace {

constexpr double kCheckMin = 0.01;  // seconds

std::uint32_t what_is_left(std::uint32_t cap, std::uint32_t used) { return cap > used ? cap - used : 0; }

}  // namespace

std::uint32_t late_cap(double share, std::uint32_t slots) {
  return std::max(1u, static_cast<std::uint32_t>(share * static_cast<double>(slots)));
}

std::uint32_t mrv1_cap(std::uint32_t slots, std::size_t running) {
  return std::max({10u, slots / 100, static_cast<std::uint32_t>(running / 10)});
}

std::unique_ptr<Policy> Late::make(Parameters& parameters) {
  const LateRules rules = late_rules(parameters);
  const double cap = rules.form == LateForm::Paper ? parameters.number("cap", 0.1, 0, 1) : 0;
  return std::make_unique<Late>(rules, cap, std::max(kCheckMin, parameters.duration("check", 1)));
}

Plan Late::plan(const View& view) {
  Plan plan;
  if (next_check_ && view.now < *next_check_) {
    plan.next_check = next_check_;
    return plan;
  }
  plan.next_check = next_check_ = view.now + from_seconds(check_);
  Declines declines(plan);
  const bool is_paper = rules_.form == LateForm::Paper;
  std::uint32_t copies = 0;
  for (const JobView& job : view.jobs) copies += copies_of(job);
  std::uint32_t slots = std::min(view.spare_slots(), slots_on_good_nodes(view, rules_));
  std::uint32_t room = what_is_left(late_cap(cap_, view.slots()), copies);
  for (const JobView& job : view.jobs) {
    const std::size_t running = job.job->tasks.size() - job.job->tasks_done;
    if (!is_paper) room = what_is_left(mrv1_cap(view.slots(), running), copies_of(job));
    const Reason exhausted = room < slots ? Reason::CapReached : Reason::NoFreeSlot;
    const std::uint32_t raced = race_slow_tasks(view, job, rules_, std::min(room, slots), exhausted, plan, declines);
    slots -= raced;
    room -= raced;
  }
  return plan;
}

}  // namespace ontime::scheduler
