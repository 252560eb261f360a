#include "scheduler/policies/xu_lau/xu_lau.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/restarts.h"

namespace ontime::scheduler {
namespace {

constexpr double kAlphaMin = 1.05;

bool has_enough(const JobView& job) { return job.outlook->sample().finished().size() >= math::kEnoughSamples; }

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
  const std::vector<Task>& tasks = job.job->tasks;
  for (std::uint32_t index = 0; index < tasks.size(); ++index) {
    const Task& task = tasks[index];
    if (task.attempts.empty() || task.ledger.is_done() || !task.ledger.split().is_open_ended()) continue;
    plan.add(Decline{{job.id, index}, Reason::NoEstimate});
  }
}

}  // namespace

std::optional<TaskTimes> task_times(const View& view, const JobView& job, const math::DurationHints& hints) {
  TaskTimes times;
  times.durations = durations_of(view, job, hints);
  if (times.durations.t_min <= 0) return std::nullopt;
  times.split_bytes = mean_split_bytes(job);
  times.mu = times.durations.t_min * times.split_bytes;
  times.alpha = std::max(times.durations.beta, kAlphaMin);
  times.mean = times.durations.launch + times.mu * times.alpha / (times.alpha - 1);
  times.is_settled = times.durations.source == math::DurationSource::Profile || has_enough(job);
  return times;
}

xu_lau::ClonedJob cloned_job(const JobView& job, const TaskTimes& times) {
  return {static_cast<double>(job.job->tasks.size()), times.mu, times.alpha};
}

void DetectionLimits::forget_ended(const View& view) {
  std::map<JobId, DetectionLimit> running;
  for (const JobView& job : view.jobs) running.insert(limits_.extract(job.id));
  limits_ = std::move(running);
}

const DetectionLimit* DetectionLimits::find(const View& view, const JobView& job, Plan& plan) {
  const auto known = limits_.find(job.id);
  const bool is_due_again = known != limits_.end() && !known->second.times.is_settled && has_enough(job);
  if (known != limits_.end() && !is_due_again) return &known->second;
  const std::optional<TaskTimes> times = task_times(view, job, hints_);
  if (!times) return nullptr;
  const DetectionLimit limit = limit_for_(*times);
  if (known == limits_.end() || times->is_settled) plan.add(Note{job.id, limit_words(limit, hints_)});
  return &(limits_[job.id] = limit);
}

double DetectionLimits::mean_of(const JobView& job) const {
  const auto limit = limits_.find(job.id);
  return limit == limits_.end() ? std::numeric_limits<double>::infinity() : limit->second.times.mean;
}

std::vector<SlowTask> slow_tasks(const View& view, const JobView& job, const DetectionLimit& limit,
                                 double least_progress, Plan& plan) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<SlowTask> slow;
  const double now = job.since_submission(view.now);
  const double latest = now + limit.seconds();
  const std::span<const double> completion = job.outlook->completion();
  for (std::uint32_t index = 0; index < completion.size(); ++index) {
    if (!(completion[index] > latest)) continue;
    const auto decline = [&](Reason reason) { plan.add(Decline{{job.id, index}, reason}); };
    const bool stands = completion[index] == kInfinity;
    if (!stands && job.outlook->progress()[index] < least_progress) {
      decline(Reason::TooYoung);
    } else if (job.pending.contains(index)) {
      decline(Reason::AlreadySpeculating);
    } else if (std::optional<OpenSegment> segment = unraced_last_piece(job, index)) {
      slow.push_back({&job, index, completion[index] - now, std::move(*segment)});
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

Unscheduled::Unscheduled(const View& view, const std::map<JobId, std::uint32_t>& granted) {
  std::uint64_t theirs = 0;
  for (const JobView& job : view.jobs) {
    if (job.job->attempts_launched > 0) continue;
    jobs_.push_back(&job);
    const auto found = granted.find(job.id);
    const std::uint64_t clones = found == granted.end() ? 0 : found->second;
    tasks_ += job.job->tasks.size();
    theirs += job.job->tasks.size() * (1 + clones);
  }
  const std::uint64_t others = view.waiting - std::min<std::uint64_t>(view.waiting, theirs);
  machines_ = view.free_slots() - std::min<std::uint64_t>(view.free_slots(), others);
}

double cluster_load(const View& view) {
  std::uint64_t unfinished = 0;
  for (const auto& [id, job] : view.cluster.jobs()) {
    if (job.state == JobState::Running) unfinished += job.tasks.size() - job.tasks_done;
  }
  return static_cast<double>(unfinished) / std::max(1.0, static_cast<double>(view.slots()));
}

Sca::Sca(Parameters& parameters)
    : gamma_(parameters.number("gamma", 0.01, 0, 1e9)),
      copies_max_(parameters.count("r", 8, 1, 50)),
      cutoff_(parameters.optional_number("cutoff", 0, 1e9)),
      slot_(parameters.period("slot", kXuLauSlot)),
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
  plan.next_check = view.now + from_seconds(slot_);  // a job that has not begun by then is looked at again
  return plan;
}

Sca::Choice Sca::choose(const View& view, const Unscheduled& unscheduled) const {
  std::vector<xu_lau::ClonedJob> jobs;
  std::string durations;
  double cutoff = 1e9;
  for (const JobView* job : unscheduled.jobs()) {
    const std::optional<TaskTimes> times = task_times(view, *job, hints_);
    TaskTimes unknown;
    unknown.mu = 1;
    unknown.alpha = std::max(1.05, hints_.beta.value_or(math::kAssumedBeta));
    jobs.push_back(cloned_job(*job, times.value_or(unknown)));
    cutoff = std::min(cutoff, cutoff_.value_or(xu_lau::cutoff_load(jobs.back().alpha)));
    durations = times ? duration_words(times->durations, hints_, times->split_bytes) : "t_min not known";
  }
  const std::vector<std::uint32_t> none(jobs.size(), 1);
  const double load = cluster_load(view);
  if (load >= cutoff) return {none, "load " + short_number(load) + " is not below " + short_number(cutoff)};
  const std::string machines = std::to_string(unscheduled.machines()) + " free slots";
  if (unscheduled.tasks() >= unscheduled.machines()) return {none, "its tasks fill the " + machines};
  const auto plan = xu_lau::plan_cloning(jobs, {unscheduled.machines(), gamma_, copies_max_});
  std::string why = "best in flow time and cost for " + machines;
  if (jobs.size() > 1) return {plan.copies, why + " among " + std::to_string(jobs.size()) + " jobs"};
  return {plan.copies, why + ", " + durations};
}

Sda::Sda(Parameters& parameters)
    : s_(parameters.number("s", 0.1, 0, 0.99)),
      sigma_(parameters.optional_number("sigma", 0, 1e6)),
      copies_(parameters.optional_count("c", 2, 50)),
      clock_(parameters.period("slot", kXuLauSlot)),
      limits_(parameters.durations(), [this](const TaskTimes& times) { return limit_for(times); }) {}

Plan Sda::plan(const View& view) {
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

DetectionLimit Sda::limit_for(const TaskTimes& times) const {
  DetectionLimit limit{times, 0, 2};
  if (copies_) {
    limit.copies = *copies_;
    limit.sigma = sigma_ ? *sigma_ : xu_lau::best_detection_limit(times.alpha, *copies_);
  } else {
    const xu_lau::DetectionRule best = xu_lau::best_detection_rule(times.alpha);
    limit.copies = best.copies;
    limit.sigma = sigma_.value_or(best.sigma);
  }
  return limit;
}

Ese::Ese(Parameters& parameters)
    : sigma_(parameters.optional_number("sigma", 0, 1e6)),
      gamma_(parameters.number("gamma", 0.01, 0, 1e9)),
      copies_max_(parameters.count("r", 8, 1, 50)),
      eta_(parameters.number("eta", 0.1, 0, 1e9)),
      xi_(parameters.duration("xi", 1)),
      is_ahead_(parameters.flag("ahead", true)),
      clock_(parameters.period("slot", kXuLauSlot)),
      hints_(parameters.durations()),
      limits_(hints_, [this](const TaskTimes& times) {
        return DetectionLimit{times, sigma_ ? *sigma_ : xu_lau::best_enhanced_limit(times.alpha), 2};
      }) {}

Plan Ese::plan(const View& view) {
  Plan plan;
  std::uint32_t idle = view.spare_slots();
  if (clock_.is_due(view.now, plan)) look(view, plan, idle);
  clone_small_jobs(view, plan, idle);
  return plan;
}

void Ese::look(const View& view, Plan& plan, std::uint32_t& idle) {
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
std::uint32_t Ese::best_copies(const xu_lau::ClonedJob& job, std::uint64_t room) const {
  std::uint32_t best = 1;
  for (std::uint32_t c = 2; c <= copies_max_ && (c - 1) * job.tasks <= static_cast<double>(room); ++c) {
    if (xu_lau::cloning_value(job, c, gamma_) > xu_lau::cloning_value(job, best, gamma_)) best = c;
  }
  return best;
}

}  // namespace ontime::scheduler
