#include <algorithm>
#include <cmath>

#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {
namespace {

// What would be in time is replaced only if so many times what half of the attempts take is left: a fresh one that has
// bad luck can be replaced or divided as well then.
constexpr double kSafeMedians = 2;

// How often the rest of what the attempt maps was taken over before. It may be the bytes that are slow and not the
// attempts.
std::uint32_t times_taken_over(const Task& task, const Racer& racer) {
  const std::uint64_t at = racer.attempt->offset;
  return static_cast<std::uint32_t>(std::ranges::count_if(task.attempts, [&](const Attempt& other) {
    return !is_live(other.state) && other.start_offset <= at && at < other.launch_end;
  }));
}

}  // namespace

Goal goal_of(const View& view, const JobView& job, const math::Durations& durations, std::uint32_t slots,
             const RescueRules& rules) {
  const double now = job.since_submission(view.now);
  const double split = durations.median() * mean_split_bytes(job);
  const std::uint64_t sealed = std::min(job.job->input_bytes, job.job->sealed_bytes);
  const auto bytes = static_cast<double>(job.job->input_bytes - sealed);
  const double share = static_cast<double>(std::max<std::size_t>(1, job.job->live.size() + slots));
  const double time = rules.flow * std::max(bytes * durations.median() / share, rules.min_piece * durations.launch);
  Goal goal;
  goal.deadline = job.deadline();
  goal.due = job.deadline() * (1 - rules.safety);
  goal.has_deadline = job.has_deadline() && !job.is_behind && now + durations.launch < goal.due;
  if (!goal.has_deadline) goal.due = goal.deadline = now + durations.launch + time;
  // Not more often than a launch takes, since nothing that was ordered would show its effect.
  const double whole = goal.has_deadline ? job.deadline() : time;
  goal.interval = std::max({0.01, durations.launch, rules.check * (split > 0 ? std::min(whole, split) : whole)});
  return goal;
}

double saving(double bytes, double pace, const math::Durations& durations) {
  if (!std::isfinite(pace)) return pace;
  const double capped = durations.tail ? durations.tail->mean_capped(pace)
                                       : math::Pareto(durations.t_min, durations.beta).mean_capped(pace);
  return bytes * (pace - capped);
}

double position_of(const Racer& racer, const OpenSegment& segment, double now) {
  return std::min(static_cast<double>(segment.range.end),
                  racer.pace.offset + racer.pace.rate * std::max(0.0, now - racer.pace.at));
}

bool is_to_be_replaced(const View& view, const JobView& job, const OpenSegment& segment, const Goal& goal,
                       const math::Durations& durations) {
  const Racer& racer = segment.racers.front();
  if (segment.in_change || segment.racers.size() > 1 || segment.range.is_open_ended()) return false;
  if (!(durations.t_min > 0) || !racer.pace.known || is_launching(*racer.attempt, durations.launch, view.now)) {
    return false;
  }
  // Over its first records any attempt may be slow.
  if (racer.attempt->state == AttemptState::Running && age(*racer.attempt, view.now) < durations.launch) return false;
  const double now = job.since_submission(view.now);
  const double bytes = static_cast<double>(segment.range.end) - position_of(racer, segment, now);
  const double cost = std::ldexp(durations.launch + goal.interval,
                                 static_cast<int>(times_taken_over(job.job->tasks[segment.task.index], racer)));
  if (!(saving(bytes, 1 / racer.pace.rate, durations) > cost)) return false;
  const bool is_late = segment.completion() > goal.due;
  const double window = goal.due - now - durations.launch;
  return is_late || job.waiting > 0 || window > kSafeMedians * bytes * durations.median();
}

}  // namespace ontime::scheduler
