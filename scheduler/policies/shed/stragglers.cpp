#include <cmath>

#include "scheduler/policies/shed/shed.h"

namespace ontime::scheduler {
namespace {

struct TaskRef {
  std::uint32_t job;  // position among the watched
  std::uint32_t task;
};

// Where no execution time is the shortest, a copy that is in time with less than this is hopeless.
constexpr double kChanceMin = 0.05;

class Search {
 public:
  Search(const View& view, std::vector<WatchedJob>& jobs, bool straggler_shape)
      : view_(view), jobs_(jobs), straggler_shape_(straggler_shape) {}

  FoundStragglers run() {
    for (std::uint32_t job = 0; job < jobs_.size(); ++job) list_tasks(job);
    found_.stragglers.reserve(tasks_.size());
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      fetch_ahead(i, tasks_.size(), [this](std::size_t at) { return &task(tasks_[at]); });
      look_at(tasks_[i]);
    }
    return std::move(found_);
  }

 private:
  const Task& task(TaskRef ref) const { return jobs_[ref.job].view->job->tasks[ref.task]; }

  // The one loop over all tasks.
  void list_tasks(std::uint32_t position) {
    WatchedJob& job = jobs_[position];
    const std::span<const double> completion = job.view->outlook->completion();
    const std::span<const std::uint8_t> attempts = job.view->outlook->live_attempts();
    const double deadline = job.view->deadline();
    for (std::uint32_t task = 0; task < completion.size(); ++task) {
      if (completion[task] <= deadline && attempts[task] <= 1) continue;
      if (completion[task] > deadline || attempts[task] > 1) {
        tasks_.push_back({position, task});
      } else if (attempts[task] == 0 && !job.is_lost) {
        job.is_lost = cannot_begin_in_time(job, task, job.view->outlook->progress()[task]);
      }
    }
  }

  // What waits for a slot is lost when even the fastest attempt from now on would be late.
  bool cannot_begin_in_time(const WatchedJob& job, std::uint32_t task, double progress) const {
    const double tau = job.view->since_submission(view_.now);
    const auto is_too_much = [&](double bytes) {
      return shed::is_hopeless(progress, bytes * job.durations.t_min, job.view->deadline(), tau);
    };
    return is_too_much(mean_split_bytes(*job.view)) && is_too_much(split_bytes(*job.view, task));
  }

  void look_at(TaskRef ref) {
    const JobView& job = *jobs_[ref.job].view;
    const bool is_late = job.outlook->completion()[ref.task] > job.deadline();
    const std::vector<OpenSegment> segments = open_segments(job, ref.task);
    if (is_unsettled(segments, ref)) return;
    const std::vector<AttemptId> slower = slower_racers(segments);
    found_.slower.insert(found_.slower.end(), slower.begin(), slower.end());
    if (!is_late) return;
    for (const OpenSegment& segment : segments) {
      if (segment.completion() > job.deadline()) assess(segment, ref);
    }
  }

  bool is_unsettled(const std::vector<OpenSegment>& segments, TaskRef ref) {
    const WatchedJob& job = jobs_[ref.job];
    const std::optional<Reason> reason = unsettled(segments, job.durations.launch, view_.now);
    const bool is_late = job.view->outlook->completion()[ref.task] > job.view->deadline();
    if (reason && is_late) decline(ref, *reason);
    return reason.has_value();
  }

  void assess(const OpenSegment& segment, TaskRef ref) {
    WatchedJob& job = jobs_[ref.job];
    const Racer& ahead = segment.racers.front();
    const double launch = job.durations.launch;
    const std::optional<std::uint64_t> resume_at = handover_offset(ahead, segment, launch, *job.view, view_.now);
    if (!resume_at) return decline(ref, Reason::RemainingShorterThanLaunch);
    if (job.durations.t_min <= 0) return decline(ref, Reason::NoEstimate);
    Straggler late{ref.job, segment.task, segment.range.begin, *resume_at, ahead.attempt->node, ahead.completion,
                   0,       false};
    const double soonest = job.view->since_submission(view_.now) + launch +
                           static_cast<double>(segment.range.end - *resume_at) * job.durations.t_min;
    late.ln_copy = ln_miss_of_copy(late, segment);
    const bool is_hopeless =
        soonest >= job.view->deadline() || (job.durations.tail && late.ln_copy > std::log1p(-kChanceMin));
    if (is_hopeless) {
      job.is_lost = true;
      return decline(ref, soonest >= ahead.completion ? Reason::CopyWouldBeLater : Reason::Hopeless);
    }
    late.is_told = !found_.declined.empty() && found_.declined.back().task == segment.task;
    found_.stragglers.push_back(late);
  }

  double ln_miss_of_copy(const Straggler& late, const OpenSegment& segment) const {
    const WatchedJob& job = jobs_[late.job];
    const double begin = job.view->since_submission(view_.now) + job.durations.launch;
    const double left = static_cast<double>(segment.range.end - late.resume_at);
    if (job.durations.tail) {
      const double time = job.view->deadline() - begin;
      return time > 0 && left > 0 ? job.durations.ln_survival(time / left) : 0;
    }
    const double shortest = left * job.durations.t_min;
    double beta = job.durations.beta;
    if (straggler_shape_) {  // the limit of eq. 14 for an attempt that stands is 1
      beta = std::isinf(late.completion) ? 1 : shed::straggler_shape(late.completion - begin, 0, shortest);
    }
    return shed::ln_attempt_miss(beta, 0, shortest, job.view->deadline(), begin);
  }

  void decline(TaskRef ref, Reason reason) {
    const TaskId id{jobs_[ref.job].view->id, ref.task};
    if (!found_.declined.empty() && found_.declined.back().task == id) return;
    found_.declined.push_back({id, reason});
  }

  const View& view_;
  std::vector<WatchedJob>& jobs_;
  const bool straggler_shape_;
  std::vector<TaskRef> tasks_;
  FoundStragglers found_;
};

}  // namespace

FoundStragglers find_stragglers(const View& view, std::vector<WatchedJob>& jobs, bool straggler_shape) {
  return Search(view, jobs, straggler_shape).run();
}

}  // namespace ontime::scheduler
