// How long cloned tasks take and when cloning pays (sections III and IV), and the policy that clones: sca.
#include <algorithm>
#include <cmath>
#include <string>

#include "scheduler/math/allocation.h"
#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/xu_lau/xu_lau.h"

namespace ontime::scheduler::xu_lau {

using namespace math;  // NOLINT: the formulas are written with nothing else

double cloned_job_time(const ClonedJob& job, double copies) {
  return Pareto(job.mu, job.alpha).minimum_of(copies).mean_of_maximum(job.tasks);
}

double cloned_task_time(const ClonedJob& job, double copies) {
  return Pareto(job.mu, job.alpha).minimum_of(copies).mean();
}

double cloned_machine_time(const ClonedJob& job, double copies) {
  return job.tasks * copies * cloned_task_time(job, copies);
}

namespace {

// E[s^2] / (2 E[s]^2), alpha > 2
double half_second_moment(double alpha) { return (alpha - 1) * (alpha - 1) / (2 * alpha * (alpha - 2)); }

// The coefficient of omega in eq. 3's numerator.
double clone_coefficient(double alpha) {
  return (alpha - 1) * (1 - 4 * alpha * alpha + 4 * alpha) / (alpha * (2 * alpha - 1));
}

}  // namespace

double clone_saturation(double alpha) { return (2 * alpha - 1) / (4 * (alpha - 1)); }

double cutoff_load(double alpha) {
  if (alpha <= 2) return clone_saturation(alpha);
  // Eq. 1 = eq. 3, both sides times their denominators: a omega^2 + b omega + 1 = 0
  const double moment = half_second_moment(alpha);
  const double c = clone_coefficient(alpha);
  const double a = c - 4 * (alpha - 1) * (moment - 1);
  const double b = (moment - 1) * (2 * alpha - 1) - 2 * (alpha - 1) - c;
  // The sign is chosen so that nothing cancels; the two roots are half / a and 1 / half.
  const double half = -(b + std::copysign(std::sqrt(b * b - 4 * a), b)) / 2;
  const double one = half / a;
  const double other = 1 / half;
  if (one <= 0) return other;
  return other <= 0 ? one : std::fmin(one, other);
}

namespace {

Ladder ladder_of(const ClonedJob& job, const CloneBudget& budget) {
  Ladder ladder{static_cast<std::uint64_t>(job.tasks), {}};
  for (std::uint32_t c = 1; c <= budget.copies_max; ++c) ladder.value.push_back(cloning_value(job, c, budget.gamma));
  return ladder;
}

}  // namespace

double cloning_value(const ClonedJob& job, double copies, double gamma) {
  return -cloned_job_time(job, copies) - gamma * cloned_machine_time(job, copies);
}

CloningPlan plan_cloning(std::span<const ClonedJob> jobs, const CloneBudget& budget) {
  std::vector<Ladder> ladders;
  std::uint64_t originals = 0;
  for (const ClonedJob& job : jobs) {
    ladders.push_back(ladder_of(job, budget));
    originals += ladders.back().step_cost;
  }
  const Climb climb = best_climb(ladders, budget.machines - std::min(originals, budget.machines));
  CloningPlan plan{{}, climb.value, climb.bound, originals};
  for (std::size_t i = 0; i < ladders.size(); ++i) {
    plan.copies.push_back(climb.steps[i] + 1);
    plan.machines += climb.steps[i] * ladders[i].step_cost;
  }
  return plan;
}

}  // namespace ontime::scheduler::xu_lau

namespace ontime::scheduler {
namespace {

constexpr double kAlphaMin = 1.05;

}  // namespace

bool has_enough_ended(const JobView& job) { return job.outlook->sample().finished().size() >= math::kEnoughSamples; }

std::optional<TaskTimes> task_times(const View& view, const JobView& job, const math::DurationHints& hints) {
  TaskTimes times;
  times.durations = durations_of(view, job, hints);
  if (times.durations.t_min <= 0) return std::nullopt;
  times.split_bytes = mean_split_bytes(job);
  times.mu = times.durations.t_min * times.split_bytes;
  times.alpha = std::max(times.durations.beta, kAlphaMin);
  times.mean = times.durations.launch + times.mu * times.alpha / (times.alpha - 1);
  times.is_settled = times.durations.source == math::DurationSource::Profile || has_enough_ended(job);
  return times;
}

xu_lau::ClonedJob cloned_job(const JobView& job, const TaskTimes& times) {
  return {static_cast<double>(job.job->tasks.size()), times.mu, times.alpha};
}

Unscheduled unscheduled_of(const View& view, const std::map<JobId, std::uint32_t>& granted) {
  Unscheduled unscheduled;
  std::uint64_t theirs = 0;
  for (const JobView& job : view.jobs) {
    if (job.job->attempts_launched > 0) continue;
    unscheduled.jobs.push_back(&job);
    const auto found = granted.find(job.id);
    const std::uint64_t clones = found == granted.end() ? 0 : found->second;
    unscheduled.tasks += job.job->tasks.size();
    theirs += job.job->tasks.size() * (1 + clones);
  }
  const std::uint64_t others = view.waiting - std::min<std::uint64_t>(view.waiting, theirs);
  unscheduled.machines = view.free_slots() - std::min<std::uint64_t>(view.free_slots(), others);
  return unscheduled;
}

double cluster_load(const View& view) {
  std::uint64_t unfinished = 0;
  for (const auto& [id, job] : view.cluster.jobs()) {
    if (job.state == JobState::Running) unfinished += job.tasks.size() - job.tasks_done;
  }
  return static_cast<double>(unfinished) / std::max(1.0, static_cast<double>(view.slots()));
}

namespace {

// Xu & Lau's Smart Cloning Algorithm (section IV, Algorithm 1), for lightly loaded clusters: jobs that have not begun
// get c copies of every task, the integer optimum of problem P2 over all of them within the free slots, as long as the
// load is below the cut-off (section III, eqs. 1 to 5) and their tasks alone do not fill the slots. Otherwise one each.
// Jobs with the fewest tasks left get slots first.
// A job of whose durations nothing is known counts as t_min = 1 s: for a single job c does not depend on it.
class Sca final : public Policy {
 public:
  explicit Sca(Parameters& parameters)
      : gamma_(parameters.number("gamma", 0.01, 0, 1e9)),
        copies_max_(parameters.count("r", 8, 1, 50)),
        cutoff_(parameters.optional_number("cutoff", 0, 1e9)),
        slot_(parameters.period("slot", kXuLauSlot)),
        hints_(parameters.durations()) {}

  JobOrder order() const override { return JobOrder::ShortestRemaining; }

  Plan plan(const View& view) override {
    Plan plan;
    const Unscheduled unscheduled = unscheduled_of(view, clones_);
    if (unscheduled.jobs.empty()) {
      clones_.clear();
      return plan;
    }
    const Choice choice = choose(view, unscheduled);
    std::map<JobId, std::uint32_t> granted;
    for (std::size_t i = 0; i < unscheduled.jobs.size(); ++i) {
      const JobId id = unscheduled.jobs[i]->id;
      const std::uint32_t clones = choice.copies[i] - 1;
      granted[id] = clones;
      const auto before = clones_.find(id);
      if (before != clones_.end() && before->second == clones) continue;
      plan.add(Note{id, "c = " + std::to_string(choice.copies[i]) + ": " + choice.why, choice.copies[i]});
      plan.add(CloneTasks{id, clones, Reason::Clone});
    }
    clones_ = std::move(granted);
    plan.next_check = view.now + from_seconds(slot_);  // a job that has not begun by then is looked at again
    return plan;
  }

 private:
  struct Choice {
    std::vector<std::uint32_t> copies;  // by unscheduled job
    std::string why;
  };

  Choice choose(const View& view, const Unscheduled& unscheduled) const {
    std::vector<xu_lau::ClonedJob> jobs;
    std::string durations;
    double cutoff = 1e9;
    for (const JobView* job : unscheduled.jobs) {
      const std::optional<TaskTimes> times = task_times(view, *job, hints_);
      TaskTimes unknown;
      unknown.mu = 1;
      unknown.alpha = std::max(kAlphaMin, hints_.beta.value_or(math::kAssumedBeta));
      jobs.push_back(cloned_job(*job, times.value_or(unknown)));
      cutoff = std::min(cutoff, cutoff_.value_or(xu_lau::cutoff_load(jobs.back().alpha)));
      durations = times ? duration_words(times->durations, hints_, times->split_bytes) : "t_min not known";
    }
    const std::vector<std::uint32_t> none(jobs.size(), 1);
    const double load = cluster_load(view);
    if (load >= cutoff) return {none, "load " + short_number(load) + " is not below " + short_number(cutoff)};
    const std::string machines = std::to_string(unscheduled.machines) + " free slots";
    if (unscheduled.tasks >= unscheduled.machines) return {none, "its tasks fill the " + machines};
    const auto plan = xu_lau::plan_cloning(jobs, {unscheduled.machines, gamma_, copies_max_});
    std::string why = "best in flow time and cost for " + machines;
    if (jobs.size() > 1) return {plan.copies, why + " among " + std::to_string(jobs.size()) + " jobs"};
    return {plan.copies, why + ", " + durations};
  }

  double gamma_;
  std::uint32_t copies_max_;
  std::optional<double> cutoff_;
  double slot_;
  math::DurationHints hints_;
  std::map<JobId, std::uint32_t> clones_;  // granted to jobs that have not begun
};

}  // namespace

std::unique_ptr<Policy> make_sca(Parameters& parameters) { return std::make_unique<Sca>(parameters); }

}  // namespace ontime::scheduler
