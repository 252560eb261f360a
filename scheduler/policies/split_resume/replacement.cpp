#include <algorithm>
#include <cmath>

#include "scheduler/math/distributions.h"
#include "scheduler/policies/split_resume/split_resume.h"

// A stopping problem without recall: attempts at a piece are drawn one after the other until one is fast enough. The
// least slot time in the mean is taken by replacing an attempt while a fresh one saves more than it costs.

namespace ontime::scheduler {
namespace {

// What would be in time is replaced only if so many times what half of the attempts take is left: a fresh one that has
// bad luck can still be replaced or divided then.
constexpr double kSafeMedians = 2;

// How often others have begun to map what the attempt maps. It may be the bytes that are slow, and not the attempts.
int times_begun(const Task& task, const Racer& racer) {
  const std::uint64_t at = racer.attempt->offset;
  return static_cast<int>(std::ranges::count_if(task.attempts, [&](const Attempt& other) {
    return !is_live(other.state) && other.start_offset <= at && at < other.launch_end;
  }));
}

}  // namespace

double RescueRules::interval(const JobView& job, const math::Durations& durations) const {
  const double split = durations.median() * mean_split_bytes(job);
  const double whole = split > 0 && (split < job.deadline() || !job.has_deadline()) ? split : job.deadline();
  return std::max({0.01, durations.launch, check * whole});
}

double saved_by_replacing(double bytes, double pace, const math::Durations& durations) {
  if (!std::isfinite(pace)) return pace;
  const double capped = durations.tail ? durations.tail->mean_capped(pace)
                                       : math::Pareto(durations.t_min, durations.beta).mean_capped(pace);
  return bytes * (pace - capped);
}

std::optional<Speculate> replacement_of(const View& view, const JobView& job, const OpenSegment& segment, double due,
                                        const math::Durations& durations, const RescueRules& rules) {
  const Racer& racer = segment.racers.front();
  if (!rules.replace || segment.in_change || segment.racers.size() > 1 || segment.range.is_open_ended()) return {};
  if (!(durations.t_min > 0) || !racer.pace.known || racer.attempt->state != AttemptState::Running) return {};
  // Nobody knows how long one of its records takes: the cut might wait for one until the attempt is taken for silent.
  if (racer.attempt->longest_gap == Duration::zero()) return {};
  const double now = job.since_submission(view.now);
  const double position = position_of(racer, segment, now);
  const double bytes = static_cast<double>(segment.range.end) - position;
  if (!(bytes > 0)) return {};  // it seals
  // A launch, and the time until the fresh one shows its pace. Each time that the same bytes are begun again they must
  // save twice as much, and get twice the time: however long one record takes, an attempt gets beyond it.
  const double cost = std::ldexp(durations.launch + rules.interval(job, durations),
                                 times_begun(job.job->tasks[segment.task.index], racer));
  if (age(*racer.attempt, view.now) < std::max(durations.launch, cost - durations.launch)) return {};
  if (!(saved_by_replacing(bytes, 1 / racer.pace.rate, durations) > cost)) return {};
  const bool is_late = segment.completion() > due;
  const double window = due - now - durations.launch;
  if (!is_late && job.waiting == 0 && !(window > kSafeMedians * bytes * durations.median())) return {};
  Speculate decision = race_for(segment.task, segment.range.begin, 0, segment.completion());
  decision.work = GivenTail{{{static_cast<std::uint64_t>(position), 1}}, Handover::Predicted};
  decision.reason = Reason::Slow;
  return decision;
}

}  // namespace ontime::scheduler
