#include "scheduler/core/process_wait.h"

#include <algorithm>
#include <chrono>

namespace ontime::scheduler {
namespace {

// Least launch that is worth a wait, as a share of the time left. If launches are shorter, the slot is worth more.
constexpr double kLaunchShareLeast = 0.2;
// Shorter launches are not worth a wait: the slot is given out again with the next message, which may be that far away.
constexpr Duration kLaunchLeast = std::chrono::milliseconds(500);
constexpr int kCountsPerLaunch = 20;
constexpr Duration kBetweenCounts = std::chrono::milliseconds(100);  // at least: a job may have 100,000 attempts

}  // namespace

bool ProcessWait::is_worth_it(const Cluster& cluster, JobId id, const Outlook& outlook, std::size_t segments,
                              TimePoint now) {
  const Job& job = *cluster.find_job(id);
  // What a process that is kept spares.
  const Duration launch = from_seconds(outlook.cold_launch().value_or(0) - outlook.warm_launch(cluster, job));
  const Duration left = job.spec.deadline - (now - job.submitted_at);  // negative if there is no deadline
  if (launch < kLaunchLeast || left < Duration::zero() || seconds(launch) < kLaunchShareLeast * seconds(left)) {
    return false;
  }
  if (since_ && now - *since_ >= launch) return false;
  if (soon_idle(cluster, job, outlook, now, launch) < segments) return false;
  if (!since_) since_ = now;
  return true;
}

// One that should have ended long ago, or does not get on, is not counted on.
std::size_t ProcessWait::soon_idle(const Cluster& cluster, const Job& job, const Outlook& outlook, TimePoint now,
                                   Duration launch) {
  const Duration pause = std::max(launch / kCountsPerLaunch, kBetweenCounts);
  if (counted_at_ != TimePoint{} && now - counted_at_ < pause) return soon_idle_;
  counted_at_ = now;
  soon_idle_ = static_cast<std::size_t>(std::ranges::count_if(job.live, [&](AttemptId id) {
    const Attempt& attempt = *cluster.find_attempt(id);
    if (attempt.standby || attempt.state != AttemptState::Running || now - attempt.progressed_at > launch) return false;
    const double left = outlook.pace(id, attempt).reaches(attempt.held.end) - seconds(now - job.submitted_at);
    return left < seconds(launch) && left > -seconds(launch);
  }));
  return soon_idle_;
}

}  // namespace ontime::scheduler
