#include "scheduler/policies/baselines/hadoop.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/policies/restarts.h"

namespace ontime::scheduler {

void DurationStatistics::add(double duration) {
  ++count_;
  const double distance = duration - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (duration - mean_);
}

double DurationStatistics::deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

double DurationStatistics::mean_bound() const {
  if (count_ < 2) return mean_;
  return mean_ + 1.96 * deviation() / std::sqrt(static_cast<double>(count_));
}

double DurationStatistics::new_attempt() const {
  const double bound = mean_bound();
  return bound + std::min(0.25 * bound, deviation() / 2);
}

}  // namespace ontime::scheduler

namespace ontime::scheduler {
namespace {

constexpr double kCompletedShareMin = 0.05;  // of a job's tasks before it is judged

double new_attempt(const JobView& job, const DurationStatistics& peers, bool as_written) {
  if (job.job->spec.estimator != "simple-exponential") return peers.mean();
  return as_written && peers.count() < 2 ? 0 : peers.new_attempt();
}

}  // namespace

std::uint32_t hadoop_cap(const HadoopSettings& settings, std::size_t tasks, std::size_t running) {
  const double share = std::max(settings.cap_total_tasks * static_cast<double>(tasks),
                                settings.cap_running_tasks * static_cast<double>(running));
  return std::max(settings.minimum_allowed_tasks, static_cast<std::uint32_t>(share));
}

std::unique_ptr<Policy> Hadoop::make(Parameters& parameters) {
  HadoopSettings settings;
  settings.slow_task_threshold = parameters.number("slowtaskthreshold", settings.slow_task_threshold, 0, 100);
  settings.retry_after_no_speculate = parameters.period("retry_after_no_speculate", settings.retry_after_no_speculate);
  settings.retry_after_speculate = parameters.period("retry_after_speculate", settings.retry_after_speculate);
  settings.minimum_allowed_tasks =
      parameters.count("minimum_allowed_tasks", settings.minimum_allowed_tasks, 0, 1'000'000);
  settings.cap_total_tasks = parameters.number("cap_total_tasks", settings.cap_total_tasks, 0, 1);
  settings.cap_running_tasks = parameters.number("cap_running_tasks", settings.cap_running_tasks, 0, 1);
  settings.as_written = parameters.flag("as_written", settings.as_written);
  return std::make_unique<Hadoop>(settings);
}

Plan Hadoop::plan(const View& view) {
  Plan plan;
  Declines declines(plan);
  std::map<JobId, TimePoint> next_scan;
  std::uint32_t slots = view.spare_slots();
  for (const JobView& job : view.jobs) {
    const auto due = next_scan_.find(job.id);
    TimePoint next = due == next_scan_.end() ? view.now : due->second;
    if (next <= view.now) {
      const bool launched = scan(view, job, slots, plan, declines);
      if (launched) --slots;
      next = view.now + from_seconds(launched ? settings_.retry_after_speculate : settings_.retry_after_no_speculate);
    }
    next_scan.emplace(job.id, next);
    if (!plan.next_check || next < *plan.next_check) plan.next_check = next;
  }
  next_scan_ = std::move(next_scan);
  return plan;
}

// Whether a copy was asked for.
bool Hadoop::scan(const View& view, const JobView& job, std::uint32_t slots, Plan& plan, Declines& declines) const {
  declines.add_compressed(job);
  const std::size_t tasks = job.job->tasks.size();
  const std::size_t running = tasks - job.job->tasks_done;
  if (job.waiting > 0 || static_cast<double>(job.job->tasks_done) < kCompletedShareMin * static_cast<double>(tasks)) {
    return false;
  }
  DurationStatistics peers;
  for (const double duration : job.outlook->task_durations()) peers.add(duration);
  if (peers.count() == 0) return false;
  const double now = job.since_submission(view.now);
  const double replacement = now + new_attempt(job, peers, settings_.as_written);
  const std::optional<Candidate> candidate = best(job, replacement, peers, now, declines);
  if (!candidate) return false;
  const std::optional<Speculate> copy = race(job, candidate->task, 1, Reason::Slow);
  std::optional<Reason> objection;
  if (copies_of(job) >= hadoop_cap(settings_, tasks, running))
    objection = Reason::CapReached;
  else if (slots == 0)
    objection = Reason::NoFreeSlot;
  else if (!copy)
    objection = Reason::CutPending;
  if (objection) {
    declines.add(job, candidate->task, *objection);
    return false;
  }
  plan.add(*copy);
  return true;
}

// The candidate with the largest value; the first of equals.
std::optional<Hadoop::Candidate> Hadoop::best(const JobView& job, double replacement, const DurationStatistics& peers,
                                              double now, Declines& declines) const {
  const double late_from = job.has_deadline() ? job.deadline() : std::numeric_limits<double>::infinity();
  const std::span<const double> completion = job.outlook->completion();
  std::optional<Candidate> best;
  for (std::uint32_t task = 0; task < completion.size(); ++task) {
    const double end = completion[task];
    if (!(end > replacement)) {
      if (end > late_from) declines.add(job, task, end < now ? Reason::ProgressIsGood : Reason::CopyWouldBeLater);
      continue;
    }
    if (const auto reason = objection(job, {task, end}, peers)) {
      declines.add(job, task, *reason);
    } else if (!best || end > best->end) {
      if (best) declines.add(job, best->task, Reason::NotDue);
      best = Candidate{task, end};
    } else {
      declines.add(job, task, Reason::NotDue);
    }
  }
  return best;
}

std::optional<Reason> Hadoop::objection(const JobView& job, Candidate candidate,
                                        const DurationStatistics& peers) const {
  const Attempt* attempt = first_live(job, candidate.task);
  if (attempt == nullptr) return Reason::NoEstimate;
  const double runtime = candidate.end - job.since_submission(attempt->launched_at);
  if (!settings_.as_written && !(runtime > peers.outlier(settings_.slow_task_threshold))) return Reason::OnSchedule;
  if (attempts_on(job, candidate.task) > 1) return Reason::AlreadySpeculating;
  return std::nullopt;
}

}  // namespace ontime::scheduler
