#include <algorithm>
#include <cmath>

#include "scheduler/math/distributions.h"
#include "scheduler/policies/split_resume/split_resume.h"

// A stopping problem without recall: attempts at a piece are drawn one after the other until one is fast enough. The
// least slot time in the mean is taken by replacing an attempt while a fresh one saves more than it costs.

namespace ontime::scheduler {
namespace {

// Attempts that have ended and were launched at a range that holds what the attempt maps. It may be the bytes that are
// slow, and not the attempts.
int times_begun(const Task& task, const Racer& racer) {
  const std::uint64_t at = racer.attempt->offset;
  return static_cast<int>(std::ranges::count_if(task.attempts, [&](const Attempt& other) {
    return !is_live(other.state) && other.start_offset <= at && at < other.launch_end;
  }));
}

// Seconds that it must have to load what it needs before its first record, and so does a fresh one.
double loading_time(const Attempt& attempt) { return seconds(attempt.idle_until - attempt.segment_at); }

// A launch, and the time until the fresh one shows its pace. Each time that the same bytes are begun again they must
// save twice as much, and get twice the time: however long one record takes, an attempt gets beyond it.
double cost_of_replacing(const Job& job, const OpenSegment& segment, const Target& target,
                         const math::Durations& durations) {
  const Racer& racer = segment.racers.front();
  const double once = std::max(durations.launch, loading_time(*racer.attempt)) + target.interval;
  return std::ldexp(once, times_begun(job.tasks[segment.task.index], racer));
}

double bytes_left(const OpenSegment& segment, double now) {
  return static_cast<double>(segment.range.end) - position_of(segment.racers.front(), segment, now);
}

// It would be in time, and too little of the job is left to put that at risk.
bool is_left_alone(const JobView& job, const OpenSegment& segment, double bytes, const Target& target,
                   const math::Durations& durations, double now) {
  const bool is_safe = target.is_deadline && !(segment.completion() > target.due);
  const bool is_last_round = first_unlaunched(*job.job) == job.job->tasks.size();
  const double window = target.due - now - durations.launch;
  return is_safe && is_last_round && !(window > kSafeMedians * bytes * durations.median());
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

// Its bytes grow fewer until then, and what a fresh one saves with them; of the time left nothing is won back by an
// attempt that is half as fast as others.
bool will_not_be_replaced(const JobView& job, const OpenSegment& segment, const Target& target,
                          const math::Durations& durations, double now) {
  const Racer& racer = segment.racers.front();
  if (racer.attempt->longest_gap == Duration::zero()) return true;
  const double bytes = bytes_left(segment, now);
  const double saved = kRoundedUp * saved_by_replacing(bytes, 1 / racer.pace.rate, durations);
  if (saved <= cost_of_replacing(*job.job, segment, target, durations)) return true;
  if (saved < kShareSavedLeast * bytes / racer.pace.rate) return true;
  return kRoundedUp * kSafeMedians * racer.pace.rate * durations.median() <= 1 &&
         is_left_alone(job, segment, bytes / kRoundedUp, target, durations, now);
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
  const double bytes = bytes_left(segment, now);
  if (!(bytes > 0)) return {};  // it seals
  // Until it has mapped for as long as it loaded its pace is not its own.
  if (seconds(view.now - racer.attempt->idle_until) < loading_time(*racer.attempt)) return {};
  const double cost = cost_of_replacing(*job.job, segment, target, durations);
  if (age(*racer.attempt, view.now) < std::max(durations.launch, cost - durations.launch)) return {};
  if (!pays_to_replace(bytes, 1 / racer.pace.rate, cost, durations)) return {};
  // The fresh one runs in the same slot, so what its node is slow by is not saved. That makes it less worth, never
  // more.
  const double node = std::exp(std::max(0.0, nodes.of(racer.attempt->node)));
  Pace pace = racer.pace;
  pace.rate *= node;
  if (!is_surely_slow(pace, durations)) return {};
  if (!pays_to_replace(bytes * node, 1 / pace.rate, cost, durations)) return {};
  if (is_left_alone(job, segment, bytes, target, durations, now)) return {};
  Speculate decision = race_for(segment.task, segment.range.begin, 0, segment.completion());
  decision.work = GivenTail{{{static_cast<std::uint64_t>(position_of(racer, segment, now)), 1}}, Handover::Predicted};
  decision.reason = Reason::Slow;
  return decision;
}

}  // namespace ontime::scheduler
