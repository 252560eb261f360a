#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/open_segments.h"

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

namespace {

constexpr double kCompletedShareMin = 0.05;  // of a job's tasks before it is judged

double new_attempt(const JobView& job, const DurationStatistics& peers, bool as_written) {
  if (job.job->spec.estimator != "simple-exponential") return peers.mean();
  return as_written && peers.count() < 2 ? 0 : peers.new_attempt();
}

}  // namespace

std::uint32_t HadoopCap::of(std::size_t tasks, std::size_t running) const {
  const double share = std::max(total_tasks * static_cast<double>(tasks), running_tasks * static_cast<double>(running));
  return std::max(minimum_allowed_tasks, static_cast<std::uint32_t>(share));
}

namespace {

// Hadoop's DefaultSpeculator (MapReduce on YARN), the baseline of all the papers: copies for tasks that look like
// outliers among their finished peers, one copy per task, one launch per job and scan.
//
// A scan of a job, as soon as its pause is over and none of its attempts waits for a slot:
//   - nothing before one task, and 5 % of the tasks, are done;
//   - an estimated run time (end - launch) of mean + k deviations of the finished tasks' or less is on schedule;
//   - a task with more than one attempt has what it may have;
//   - value = end - replacement, where the replacement would end at now + the mean of the finished tasks: end <= now is
//     good progress, value <= 0 too late;
//   - the task with the largest value gets a copy, if copies are below the cap.
//
// The ends are the job's outlook (`--estimator`); Hadoop's own estimate counts the launch as work, which is
// `--estimator hadoop`. With `simple-exponential` a replacement takes what that class of Hadoop expects of it.
// `as_written` is as the source of MRv2 is: slowtaskthreshold is only compared with infinity and so has no effect, and
// one finished task makes `simple-exponential` expect no time at all.
class Hadoop final : public Policy {
 public:
  explicit Hadoop(Parameters& parameters)
      : slow_task_threshold_(parameters.number("slowtaskthreshold", 1, 0, 100)),
        retry_after_no_speculate_(parameters.period("retry_after_no_speculate", 1)),
        retry_after_speculate_(parameters.period("retry_after_speculate", 15)),
        cap_{parameters.count("minimum_allowed_tasks", HadoopCap{}.minimum_allowed_tasks, 0, 1'000'000),
             parameters.number("cap_total_tasks", HadoopCap{}.total_tasks, 0, 1),
             parameters.number("cap_running_tasks", HadoopCap{}.running_tasks, 0, 1)},
        as_written_(parameters.flag("as_written", false)) {}

  Plan plan(const View& view) override {
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
        next = view.now + from_seconds(launched ? retry_after_speculate_ : retry_after_no_speculate_);
      }
      next_scan.emplace(job.id, next);
      if (!plan.next_check || next < *plan.next_check) plan.next_check = next;
    }
    next_scan_ = std::move(next_scan);
    return plan;
  }

 private:
  struct Candidate {
    std::uint32_t task;
    double end;  // seconds after submission
  };

  // Whether a copy was asked for.
  bool scan(const View& view, const JobView& job, std::uint32_t slots, Plan& plan, Declines& declines) const {
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
    const double replacement = now + new_attempt(job, peers, as_written_);
    const std::optional<Candidate> candidate = best(job, replacement, peers, now, declines);
    if (!candidate) return false;
    const std::optional<Speculate> copy = race(job, candidate->task, 1, Reason::Slow);
    std::optional<Reason> objection;
    if (copies_of(job) >= cap_.of(tasks, running))
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
  std::optional<Candidate> best(const JobView& job, double replacement, const DurationStatistics& peers, double now,
                                Declines& declines) const {
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

  std::optional<Reason> objection(const JobView& job, Candidate candidate, const DurationStatistics& peers) const {
    const Attempt* attempt = first_live(job, candidate.task);
    if (attempt == nullptr) return Reason::NoEstimate;
    const double runtime = candidate.end - job.since_submission(attempt->launched_at);
    if (!as_written_ && !(runtime > peers.outlier(slow_task_threshold_))) return Reason::OnSchedule;
    if (attempts_on(job, candidate.task) > 1) return Reason::AlreadySpeculating;
    return std::nullopt;
  }

  const double slow_task_threshold_;       // in standard deviations
  const double retry_after_no_speculate_;  // seconds
  const double retry_after_speculate_;     // seconds
  const HadoopCap cap_;
  const bool as_written_;
  std::map<JobId, TimePoint> next_scan_;
};

}  // namespace

std::unique_ptr<Policy> make_hadoop(Parameters& parameters) { return std::make_unique<Hadoop>(parameters); }

}  // namespace ontime::scheduler
