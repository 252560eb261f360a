// When a running task has too long to go (sections V and VI), and the policies that copy such tasks: sda and ese.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/xu_lau/xu_lau.h"

namespace ontime::scheduler::xu_lau {

using namespace math;  // NOLINT: the formulas are written with nothing else
namespace {

constexpr std::uint32_t kMostCopies = 8;

double mean_duration(double alpha) { return alpha / (alpha - 1); }  // E[x] / mu

// E[min(y, a)], y the fastest of c - 1 copies; without copies y is infinite.
double mean_of_copies_capped(double alpha, double copies, double a) {
  return Pareto(1, alpha * (copies - 1)).mean_capped(a);
}

}  // namespace

double straggler_cost(double alpha, double sigma, double copies) {
  const double a = sigma * mean_duration(alpha);
  // The straggler's own rest exceeds a and is Pareto(a, alpha): c E[min(rest, y)], integrated up to a and beyond.
  const double beyond = a * std::pow(a, -alpha * (copies - 1)) / (alpha * copies - 1);
  return copies * (mean_of_copies_capped(alpha, copies, a) + beyond);
}

double detection_cost(double alpha, double sigma, double copies, double s) {
  const double limit = sigma * mean_duration(alpha) / (1 - s);  // longer tasks are stragglers
  const Pareto task(1, alpha);
  const double straggles = task.survival(limit);
  const double in_time = limit > 1 ? alpha * power_integral(1, alpha, limit) : 0;  // E[x; x <= limit]
  return in_time + straggles * (s * task.mean_above(limit) + straggler_cost(alpha, sigma, copies));
}

double best_detection_limit(double alpha, double copies) {
  const double power = alpha * (copies - 1);
  // a - c E[min(y, a)] is convex; from above Newton's method comes down to its root without turning.
  double a = copies * Pareto(1, power).mean();
  for (int round = 0; round < 200; ++round) {
    const double excess = a - copies * mean_of_copies_capped(alpha, copies, a);
    const double next = a - excess / (1 - copies * std::pow(a, -power));
    if (!(next < a)) break;
    a = next;
  }
  return a / mean_duration(alpha);
}

DetectionRule best_detection_rule(double alpha) {
  const auto rule_for = [alpha](std::uint32_t copies) {
    const double sigma = best_detection_limit(alpha, copies);
    return DetectionRule{copies, sigma, detection_cost(alpha, sigma, copies, 0)};
  };
  DetectionRule best = rule_for(2);  // always better than no copy, if only by less than a double can tell
  for (std::uint32_t copies = 3; alpha < 2 && copies <= kMostCopies; ++copies) {
    const DetectionRule rule = rule_for(copies);
    if (rule.cost < best.cost) best = rule;
  }
  return best;
}

}  // namespace ontime::scheduler::xu_lau

namespace ontime::scheduler {
namespace {

// When a remaining time is too long; chosen per job when durations are first known, and again when they rest on a fit.
struct DetectionLimit {
  TaskTimes times;
  double sigma = 0;
  std::uint32_t copies = 2;  // attempts of a straggler in all
  double seconds() const { return sigma * times.mean; }
};

// A task whose remaining time is longer than its job's limit, and that is left with one attempt.
struct SlowTask {
  double remaining;     // seconds, may be infinite
  OpenSegment segment;  // the one that is done last
};

// The segment that keeps the task from being done; nothing if it is being changed or is raced already.
std::optional<OpenSegment> unraced_last_piece(const JobView& job, std::uint32_t index) {
  std::vector<OpenSegment> segments = open_segments(job, index);
  const auto last = std::max_element(segments.begin(), segments.end(), [](const OpenSegment& a, const OpenSegment& b) {
    return a.completion() < b.completion();
  });
  if (last == segments.end() || last->in_change || last->racers.size() != 1) return std::nullopt;
  return std::move(*last);
}

// "straggler: more than 1.71 times the mean of 20 s remaining, 1 copy; t_min ..."
std::string limit_words(const DetectionLimit& limit, const math::DurationHints& hints) {
  return "straggler: more than " + short_number(limit.sigma) + " times the mean of " + short_number(limit.times.mean) +
         " s remaining, extra attempts: " + std::to_string(limit.copies - 1) + "; " +
         duration_words(limit.times.durations, hints, limit.times.split_bytes);
}

void decline_unknown_ends(const JobView& job, Plan& plan) {
  const std::span<const Task> tasks = job.job->tasks.made();
  for (std::uint32_t index = 0; index < tasks.size(); ++index) {
    const Task& task = tasks[index];
    if (task.attempts.empty() || task.ledger.is_done() || !task.ledger.split().is_open_ended()) continue;
    plan.add(Decline{{job.id, index}, Reason::NoEstimate});
  }
}

// Tasks to be declined are put into `plan`: those that have raced attempts, and those with an unknown end.
std::vector<SlowTask> slow_tasks(const View& view, const JobView& job, const DetectionLimit& limit,
                                 double least_progress, Plan& plan) {
  std::vector<SlowTask> slow;
  const double now = job.since_submission(view.now);
  const double latest = now + limit.seconds();
  const std::span<const double> completion = job.outlook->completion();
  for (std::uint32_t index = 0; index < completion.size(); ++index) {
    if (!(completion[index] > latest)) continue;
    const auto decline = [&](Reason reason) { plan.add(Decline{{job.id, index}, reason}); };
    const bool stands = completion[index] == math::kInfinity;
    if (!stands && job.outlook->progress()[index] < least_progress) {
      decline(Reason::TooYoung);
    } else if (job.pending.contains(index)) {
      decline(Reason::AlreadySpeculating);
    } else if (std::optional<OpenSegment> segment = unraced_last_piece(job, index)) {
      slow.push_back({completion[index] - now, std::move(*segment)});
    } else {
      decline(Reason::AlreadySpeculating);
    }
  }
  if (has_unknown_ends(job.job->spec)) decline_unknown_ends(job, plan);
  return slow;
}

Speculate duplicate(const SlowTask& slow, std::uint32_t copies) {
  Speculate decision = race_for(slow.segment.task, slow.segment.range.begin, copies, slow.segment.completion());
  decision.reason = Reason::Slow;
  return decision;
}

// The limits of all jobs.
class DetectionLimits {
 public:
  // `sigma` and `copies` are what the user gave; without them sigma* and c* of the tasks' alpha.
  DetectionLimits(math::DurationHints hints, std::optional<double> sigma, std::optional<std::uint32_t> copies)
      : hints_(hints), sigma_(sigma), copies_(copies) {}

  // Chosen when the job's durations are first known, and once more when they rest on a fit; a note says what was
  // chosen. Null while they are not known.
  const DetectionLimit* find(const View& view, const JobView& job, Plan& plan) {
    const auto known = limits_.find(job.id);
    const bool is_due_again = known != limits_.end() && !known->second.times.is_settled && has_enough_ended(job);
    if (known != limits_.end() && !is_due_again) return &known->second;
    const std::optional<TaskTimes> times = task_times(view, job, hints_);
    if (!times) return nullptr;
    const DetectionLimit limit = limit_for(*times);
    if (known == limits_.end() || times->is_settled) plan.add(Note{job.id, limit_words(limit, hints_)});
    return &(limits_[job.id] = limit);
  }

  // What a copy started now would take, in seconds; infinite while that is not known.
  double mean_of(const JobView& job) const {
    const auto limit = limits_.find(job.id);
    return limit == limits_.end() ? math::kInfinity : limit->second.times.mean;
  }

  // Jobs that run no longer are taken out.
  void forget_ended(const View& view) {
    std::map<JobId, DetectionLimit> running;
    for (const JobView& job : view.jobs) running.insert(limits_.extract(job.id));
    limits_ = std::move(running);
  }

 private:
  DetectionLimit limit_for(const TaskTimes& times) const {
    if (copies_) return {times, sigma_ ? *sigma_ : xu_lau::best_detection_limit(times.alpha, *copies_), *copies_};
    const xu_lau::DetectionRule best = xu_lau::best_detection_rule(times.alpha);
    return {times, sigma_.value_or(best.sigma), best.copies};
  }

  const math::DurationHints hints_;
  const std::optional<double> sigma_;
  const std::optional<std::uint32_t> copies_;  // attempts of a straggler in all
  std::map<JobId, DetectionLimit> limits_;
};

// Xu & Lau's Straggler Detection Algorithm (section V): a task that has done the share s of its work and whose
// estimated remaining time is longer than sigma E[x] gets c - 1 copies, once. sigma* and c* are what costs the least
// machine time (eqs. 18 to 28): c* = 2 for alpha > 1.56, 3 below. Jobs with the fewest tasks left get slots first.
// E[x] is the launch time and the mean execution time. Until five attempts have finished, or with a profile, t_min is
// the fastest attempt's pace. The paper leaves s open; small values do best.
class Sda final : public Policy {
 public:
  explicit Sda(Parameters& parameters)
      : s_(parameters.number("s", 0.1, 0, 0.99)),
        clock_(parameters.period("slot", kXuLauSlot)),
        limits_(parameters.durations(), parameters.optional_number("sigma", 0, 1e6),
                parameters.optional_count("c", 2, 50)) {}

  JobOrder order() const override { return JobOrder::ShortestRemaining; }
  bool plans_at_submission() const override { return false; }

  Plan plan(const View& view) override {
    Plan plan;
    if (!clock_.is_due(view.now, plan)) return plan;
    limits_.forget_ended(view);
    std::uint32_t budget = view.spare_slots();
    for (const JobView& job : view.jobs) {
      const DetectionLimit* limit = limits_.find(view, job, plan);
      if (limit == nullptr) continue;
      for (const SlowTask& slow : slow_tasks(view, job, *limit, s_, plan)) {
        const std::uint32_t copies = std::min(limit->copies - 1, budget);
        budget -= copies;
        if (copies > 0)
          plan.add(duplicate(slow, copies));
        else
          plan.add(Decline{slow.segment.task, Reason::NoFreeSlot});
      }
    }
    return plan;
  }

 private:
  const double s_;
  PeriodicCheck clock_;
  DetectionLimits limits_;
};

// Xu & Lau's Enhanced Speculative Execution (section VI, Algorithm 2), for heavily loaded clusters: of the running
// tasks with one attempt those whose remaining time is longer than sigma E[x] get one copy each, the longest first, and
// before anything that waits. sigma* is what costs the least machine time (eqs. 30 to 33, with the looking instant
// uniform on the task's duration): it solves the same equation as SDA's for c = 2. Jobs with the fewest tasks left get
// slots first. Small jobs that have not begun (m < eta N / |chi| and E[x] < xi) get clones by eq. 29 when slots are
// left.
//
// In the paper a slot begins with the machines that have become idle; here waiting tasks take a slot as it becomes
// free, so under load none is ever idle when the policy looks. It asks ahead for as many copies as slots will become
// free until it looks again (live attempts x slot / E[x]); they are launched first. ahead=no keeps to idle slots.
// With xi=0s there are no clones.
// The default of xi is the paper's; with it it never clones in the paper's own simulation.
class Ese final : public Policy {
 public:
  explicit Ese(Parameters& parameters)
      : gamma_(parameters.number("gamma", 0.01, 0, 1e9)),
        copies_max_(parameters.count("r", 8, 1, 50)),
        eta_(parameters.number("eta", 0.1, 0, 1e9)),
        xi_(parameters.duration("xi", 1)),
        is_ahead_(parameters.flag("ahead", true)),
        clock_(parameters.period("slot", kXuLauSlot)),
        hints_(parameters.durations()),
        limits_(hints_, parameters.optional_number("sigma", 0, 1e6), 2) {}

  JobOrder order() const override { return JobOrder::ShortestRemaining; }
  bool plans_at_submission() const override { return xi_ > 0; }  // for clones of small jobs

  Plan plan(const View& view) override {
    Plan plan;
    std::uint32_t idle = view.spare_slots();
    if (clock_.is_due(view.now, plan)) look(view, plan, idle);
    clone_small_jobs(view, plan, idle);
    return plan;
  }

 private:
  void look(const View& view, Plan& plan, std::uint32_t& idle) {
    limits_.forget_ended(view);
    std::vector<SlowTask> slow;
    for (const JobView& job : view.jobs) {
      const DetectionLimit* limit = limits_.find(view, job, plan);
      if (limit == nullptr) continue;
      std::vector<SlowTask> some = slow_tasks(view, job, *limit, 0, plan);
      std::move(some.begin(), some.end(), std::back_inserter(slow));
    }
    std::stable_sort(slow.begin(), slow.end(), [](auto& a, auto& b) { return a.remaining > b.remaining; });
    std::uint32_t budget = idle;
    if (is_ahead_) {
      const auto mean_of = [this](const JobView& job) { return limits_.mean_of(job); };
      budget = std::max(idle, slots_ahead(view, clock_.period(), mean_of));
    }
    for (const SlowTask& task : slow) {
      if (budget == 0) {
        plan.add(Decline{task.segment.task, Reason::NoFreeSlot});
        continue;
      }
      --budget;
      idle -= std::min(idle, 1u);
      plan.add(duplicate(task, 1));
    }
  }

  void clone_small_jobs(const View& view, Plan& plan, std::uint32_t idle) {
    const Unscheduled unscheduled = unscheduled_of(view, clones_);
    std::map<JobId, std::uint32_t> granted;
    const double share = static_cast<double>(unscheduled.machines) / static_cast<double>(unscheduled.jobs.size());
    std::uint64_t room = idle;
    for (const JobView* job : unscheduled.jobs) {
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
      plan.add(Note{job->id,
                    "c = " + std::to_string(clones + 1) + " for a small job, " +
                        duration_words(times->durations, hints_, times->split_bytes),
                    clones + 1});
      plan.add(CloneTasks{job->id, clones, Reason::Clone});
    }
    clones_ = std::move(granted);
  }

  // Eq. 29 with the utility -E[t].
  std::uint32_t best_copies(const xu_lau::ClonedJob& job, std::uint64_t room) const {
    std::uint32_t best = 1;
    for (std::uint32_t c = 2; c <= copies_max_ && (c - 1) * job.tasks <= static_cast<double>(room); ++c) {
      if (xu_lau::cloning_value(job, c, gamma_) > xu_lau::cloning_value(job, best, gamma_)) best = c;
    }
    return best;
  }

  double gamma_;
  std::uint32_t copies_max_;
  double eta_;
  double xi_;
  bool is_ahead_;
  PeriodicCheck clock_;
  math::DurationHints hints_;
  DetectionLimits limits_;
  std::map<JobId, std::uint32_t> clones_;  // granted to jobs that have not begun
};

}  // namespace

std::unique_ptr<Policy> make_sda(Parameters& parameters) { return std::make_unique<Sda>(parameters); }
std::unique_ptr<Policy> make_ese(Parameters& parameters) { return std::make_unique<Ese>(parameters); }

}  // namespace ontime::scheduler
