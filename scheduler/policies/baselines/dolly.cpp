#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "common/base/median.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/open_segments.h"

namespace ontime::scheduler {

double dolly_copies(double p, double tasks, double epsilon) {
  return math::ln_one_minus_exp(std::log1p(-epsilon) / tasks) / std::log(p);
}

std::uint32_t dolly_clones(double p, double tasks, double epsilon) {
  constexpr double kMost = 1e9;  // what p close to 1 asks for is beyond any cluster
  return static_cast<std::uint32_t>(std::clamp(std::ceil(dolly_copies(p, tasks, epsilon)), 1.0, kMost));
}

namespace {

constexpr double kStragglerFactor = 1.5;  // of the median
constexpr double kAssumedP = 0.1;

constexpr double kAskAgain = 0.1;  // seconds

// What was decided for the job before the master was started anew.
std::optional<std::uint32_t> decided_before(const Job& job) {
  std::optional<std::uint32_t> clones;
  for (const DecisionAt& made : job.decisions) {
    if (made.decision.what == DecisionNote::What::Clone) clones = made.decision.copies;
  }
  return clones;
}

// REQUIRES: there is one.
std::uint32_t first_unfinished(const Job& job) {
  std::uint32_t task = 0;
  while (job.tasks[task].ledger.is_done()) ++task;
  return task;
}

std::uint64_t clones_in_use(const JobView& job, std::uint64_t per_task) {
  return per_task * (job.job->tasks.size() - job.job->tasks_done);
}

}  // namespace

double straggler_share(std::span<const double> durations) {
  const double limit = kStragglerFactor * median_of({durations.begin(), durations.end()});
  const auto slow = std::count_if(durations.begin(), durations.end(), [limit](double d) { return d > limit; });
  return (static_cast<double>(slow) + 0.5) / (static_cast<double>(durations.size()) + 1);
}

namespace {

// Dolly (Ananthanarayanan and others, NSDI 2013; as Shed and Shed+, section VI, compare with it): small jobs start
// every task with so many clones that a straggler is unlikely. Clones start with their original; the first to be done
// wins.
//
// At submission: c attempts per task in all, the least with (1 - p^c)^N >= 1 - epsilon, clipped to 1 + max_copies. All
// clones of the job are admitted, or none:
//   - while more than `utilisation` of the slots are busy, none;
//   - the clones of all jobs, those of tasks that are done left out, may be no more than `budget` of all slots;
//   - and no more than the free slots that nothing waits for.
// A job that is refused is asked again for `admission` (workers may just be registering), every 100 ms; if it is
// admitted then, its tasks that run already get their clones as well. Without `p` it is measured, straggler_share() of
// the attempts of earlier jobs.
//
// The papers set p = 1 - PoCD of Hadoop, clone every job whatever is free: p=..., budget=1, utilisation=1 comes close.
class Dolly final : public Policy {
 public:
  explicit Dolly(Parameters& parameters)
      : p_(parameters.optional_number("p", 1e-9, 0.999)),
        epsilon_(parameters.number("epsilon", 0.05, 1e-9, 0.999)),
        budget_(parameters.number("budget", 0.05, 0, 10)),
        utilisation_(parameters.number("utilisation", 0.8, 0, 1)),
        max_copies_(parameters.count("max_copies", 5, 0, 100)),
        admission_(parameters.duration("admission", 1)) {}

  Plan plan(const View& view) override {
    Plan plan;
    Round round{view, plan, 0, view.spare_slots()};
    std::map<JobId, Decided> decided;
    for (const JobView& job : view.jobs) {
      const auto known = decided_.find(job.id);
      if (known == decided_.end()) continue;
      decided.insert(*known);
      round.in_use += clones_in_use(job, known->second.value_or(0));
    }
    const bool is_due = !ask_again_ || view.now >= *ask_again_;
    bool is_refused = false;
    for (const JobView& job : view.jobs) {
      const auto known = decided.find(job.id);
      if (known == decided.end() || (is_due && !known->second)) decided.insert_or_assign(job.id, decide(round, job));
      is_refused = is_refused || !decided.at(job.id);
    }
    if (is_due) ask_again_ = view.now + from_seconds(kAskAgain);
    if (is_refused) plan.next_check = ask_again_;
    decided_ = std::move(decided);
    return plan;
  }

 private:
  struct Choice {
    std::uint32_t clones;  // per task
    std::string why;
  };
  using Decided = std::optional<std::uint32_t>;  // clones per task; nothing: refused so far
  struct Round {
    const View& view;
    Plan& plan;
    std::uint64_t in_use;  // clones of admitted jobs
    std::uint64_t room;    // free slots that neither anything waits for nor this plan has given away
  };

  Decided decide(Round& round, const JobView& job) const {
    if (decided_.contains(job.id)) return ask(round, job);
    if (const auto before = decided_before(*job.job)) {
      round.plan.add(CloneTasks{job.id, *before, Reason::Clone});
      round.in_use += clones_in_use(job, *before);
      return before;
    }
    if (job.since_submission(round.view.now) > admission_) return 0;
    return ask(round, job);
  }

  Decided ask(Round& round, const JobView& job) const {
    const Choice choice = choose(round.view, job);
    if (choice.clones == 0) {
      round.plan.add(Note{job.id, "no clones are needed: " + choice.why});
      return 0;
    }
    const std::uint64_t wanted = clones_in_use(job, choice.clones);
    const auto refused = objection(round, wanted);
    if (!refused) {
      round.plan.add(Note{job.id, std::to_string(choice.clones) + " clones per task: " + choice.why});
      admit(job, choice.clones, round.plan);
      round.in_use += wanted;
      round.room -= wanted;
      return choice.clones;
    }
    round.plan.add(Decline{{job.id, first_unfinished(*job.job)}, *refused});
    if (job.since_submission(round.view.now) < admission_) return std::nullopt;
    std::string why(code_of(*refused));
    if (*refused == Reason::CapReached) {
      const auto slots = static_cast<double>(round.view.slots());
      why += ", budget = " + short_number(budget_) + " of " + short_number(slots) + " slots is less than the " +
             std::to_string(round.in_use + wanted) + " clones that there would be";
    }
    round.plan.add(Note{job.id, "no clones, though " + std::to_string(choice.clones) + " per task are called for (" +
                                    choice.why + "): " + why});
    return 0;
  }

  Choice choose(const View& view, const JobView& job) const {
    double p = kAssumedP;
    std::string source = "assumed";
    const math::DurationSample* profile = view.cluster.find_profile(*job.job);
    if (p_) {
      p = *p_;
      source = "flags";
    } else if (profile != nullptr && profile->finished().size() >= math::kEnoughSamples) {
      p = straggler_share(profile->finished());
      source = "profile";
    }
    const std::size_t tasks = job.job->tasks.size();
    const std::uint32_t attempts = dolly_clones(p, static_cast<double>(tasks), epsilon_);
    return {std::min(attempts - 1, max_copies_), "p = " + short_number(p) + " (" + source + "), N = " +
                                                     std::to_string(tasks) + ", epsilon = " + short_number(epsilon_) +
                                                     " ask for " + std::to_string(attempts) + " attempts per task"};
  }

  std::optional<Reason> objection(const Round& round, std::uint64_t wanted) const {
    const auto slots = static_cast<double>(round.view.slots());
    const double busy = slots - static_cast<double>(round.view.free_slots());
    if (busy > utilisation_ * slots || wanted > round.room) return Reason::NoFreeSlot;
    if (static_cast<double>(round.in_use + wanted) > budget_ * slots) return Reason::CapReached;
    return std::nullopt;
  }

  // Tasks that wait get their clones when they are launched, those that run get them now.
  static void admit(const JobView& job, std::uint32_t clones, Plan& plan) {
    plan.add(CloneTasks{job.id, clones, Reason::Clone});
    if (job.job->attempts_launched == 0) return;
    for (std::uint32_t task = 0; task < job.job->tasks.made().size(); ++task) {
      if (first_live(job, task) == nullptr) continue;
      if (auto copies = race(job, task, clones, Reason::Clone)) plan.add(*std::move(copies));
    }
  }

  const std::optional<double> p_;  // straggler probability of one attempt
  const double epsilon_;           // accepted risk that any task of the job straggles
  const double budget_;            // share of slots
  const double utilisation_;       // share of slots
  const std::uint32_t max_copies_;
  const double admission_;  // seconds
  std::map<JobId, Decided> decided_;
  std::optional<TimePoint> ask_again_;  // jobs that were refused
};

}  // namespace

std::unique_ptr<Policy> make_dolly(Parameters& parameters) { return std::make_unique<Dolly>(parameters); }

}  // namespace ontime::scheduler
