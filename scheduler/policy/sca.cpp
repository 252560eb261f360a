#include "scheduler/policy/sca.h"

#include <algorithm>

#include "scheduler/pocd/xu_lau_cutoff.h"
#include "scheduler/policy/duration_words.h"

namespace ontime::scheduler {

Sca::Sca(Parameters& parameters)
    : gamma_(parameters.number("gamma", 0.01, 0, 1e9)),
      copies_max_(parameters.count("r", 8, 1, 50)),
      cutoff_(parameters.optional_number("cutoff", 0, 1e9)),
      slot_(std::max(0.01, parameters.duration("slot", kXuLauSlot))),
      hints_(parameters.durations()) {}

Plan Sca::plan(const View& view) {
  Plan plan;
  const Unscheduled unscheduled(view, clones_);
  if (unscheduled.jobs().empty()) {
    clones_.clear();
    return plan;
  }
  const Choice choice = choose(view, unscheduled);
  std::map<JobId, std::uint32_t> granted;
  for (std::size_t i = 0; i < unscheduled.jobs().size(); ++i) {
    const JobId id = unscheduled.jobs()[i]->id;
    const std::uint32_t clones = choice.copies[i] - 1;
    granted[id] = clones;
    const auto before = clones_.find(id);
    if (before != clones_.end() && before->second == clones) continue;
    plan.add(Note{id, "c = " + std::to_string(choice.copies[i]) + ": " + choice.why});
    plan.add(CloneTasks{id, clones, Reason::Clone});
  }
  clones_ = std::move(granted);
  plan.next_check = view.now + from_seconds(slot_);  // whoever has not begun by then is looked at again
  return plan;
}

Sca::Choice Sca::choose(const View& view, const Unscheduled& unscheduled) const {
  std::vector<pocd::ClonedJob> jobs;
  std::string durations;
  double cutoff = 1e9;
  for (const JobView* job : unscheduled.jobs()) {
    const std::optional<TaskTimes> times = task_times(view, *job, hints_);
    TaskTimes unknown;
    unknown.mu = 1;
    unknown.alpha = std::max(1.05, hints_.beta.value_or(estimate::kAssumedBeta));
    jobs.push_back(cloned_job(*job, times.value_or(unknown)));
    cutoff = std::min(cutoff, cutoff_.value_or(pocd::cutoff_load(jobs.back().alpha)));
    durations = times ? duration_words(times->durations, hints_, times->split_bytes) : "t_min not known";
  }
  const std::vector<std::uint32_t> none(jobs.size(), 1);
  const double load = cluster_load(view);
  if (load >= cutoff) return {none, "load " + short_number(load) + " is not below " + short_number(cutoff)};
  const std::string machines = std::to_string(unscheduled.machines()) + " free slots";
  if (unscheduled.tasks() >= unscheduled.machines()) return {none, "its tasks fill the " + machines};
  const auto plan = pocd::plan_cloning(jobs, {unscheduled.machines(), gamma_, copies_max_});
  std::string why = "best in flow time and cost for " + machines;
  if (jobs.size() > 1) return {plan.copies, why + " among " + std::to_string(jobs.size()) + " jobs"};
  return {plan.copies, why + ", " + durations};
}

}  // namespace ontime::scheduler
