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

// Attempts that have ended and were launched at a range that holds what the attempt maps. It may be the bytes that are
// slow, and not the attempts.
int times_begun(const Task& task, const Racer& racer) {
  const std::uint64_t at = racer.attempt->offset;
  return static_cast<int>(std::ranges::count_if(task.attempts, [&](const Attempt& other) {
    return !is_live(other.state) && other.start_offset <= at && at < other.launch_end;
  }));
}

}  // namespace

bool is_surely_slow(const Pace& pace, const math::Durations& durations) {
  return !(pace.rate > 0) || std::log(1 / (pace.rate * durations.median())) > kErrors * pace.error;
}

double saved_by_replacing(double bytes, double pace, const math::Durations& durations) {
  if (!std::isfinite(pace)) return pace;
  const double capped = durations.tail ? durations.tail->mean_capped(pace)
                                       : math::Pareto(durations.t_min, durations.beta).mean_capped(pace);
  return bytes * (pace - capped);
}

bool pays_to_replace(double bytes, double pace, double cost, const math::Durations& durations) {
  const double saved = saved_by_replacing(bytes, pace, durations);
  return saved > cost && saved >= kShareSavedLeast * bytes * pace;  // one that stands saves infinitely much
}

std::optional<Speculate> replacement_of(const View& view, const JobView& job, const OpenSegment& segment,
                                        const Target& target, const math::Durations& durations,
                                        const RescueRules& rules, const NodeEffectsOnDemand& nodes) {
  const Racer& racer = segment.racers.front();
  if (!rules.replace || segment.in_change || segment.racers.size() > 1 || segment.range.is_open_ended()) return {};
  if (!(durations.t_min > 0) || !racer.pace.known || racer.attempt->state != AttemptState::Running) return {};
  if (racer.pace.is_starting() || !is_surely_slow(racer.pace, durations)) return {};
  // Nobody knows how long one of its records takes: the cut might wait for one until the attempt is taken for silent.
  if (racer.attempt->longest_gap == Duration::zero()) return {};
  const double now = job.since_submission(view.now);
  const double position = position_of(racer, segment, now);
  const double bytes = static_cast<double>(segment.range.end) - position;
  if (!(bytes > 0)) return {};  // it seals
  // As long it took to load what it needs before its first record, and so does a fresh one. Until it has mapped for as
  // long its pace is not its own.
  const double loads = seconds(racer.attempt->idle_until - racer.attempt->segment_at);
  if (seconds(view.now - racer.attempt->idle_until) < loads) return {};
  // A launch, and the time until the fresh one shows its pace. Each time that the same bytes are begun again they must
  // save twice as much, and get twice the time: however long one record takes, an attempt gets beyond it.
  const int times = times_begun(job.job->tasks[segment.task.index], racer);
  const double cost = std::ldexp(std::max(durations.launch, loads) + target.interval, times);
  if (age(*racer.attempt, view.now) < std::max(durations.launch, cost - durations.launch)) return {};
  if (!pays_to_replace(bytes, 1 / racer.pace.rate, cost, durations)) return {};
  // The fresh one runs in the same slot, so what its node is slow by is not saved. That makes it less worth, never
  // more.
  const double node = std::exp(std::max(0.0, nodes.of(racer.attempt->node)));
  Pace pace = racer.pace;
  pace.rate *= node;
  if (!is_surely_slow(pace, durations)) return {};
  if (!pays_to_replace(bytes * node, 1 / pace.rate, cost, durations)) return {};
  // What would be in time is left alone in the job's last round, unless enough time is left.
  const bool is_safe = target.is_deadline && !(segment.completion() > target.due);
  const bool is_last_round = first_unlaunched(*job.job) == job.job->tasks.size();
  const double window = target.due - now - durations.launch;
  if (is_safe && is_last_round && !(window > kSafeMedians * bytes * durations.median())) return {};
  Speculate decision = race_for(segment.task, segment.range.begin, 0, segment.completion());
  decision.work = GivenTail{{{static_cast<std::uint64_t>(position), 1}}, Handover::Predicted};
  decision.reason = Reason::Slow;
  return decision;
}

}  // namespace ontime::scheduler
