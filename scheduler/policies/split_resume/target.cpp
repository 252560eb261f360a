
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {
namespace {

// Seconds from one check to the next are no less. A short deadline is worth more.
constexpr double kIntervalLeast = 0.1;
constexpr double kIntervalLeastByDeadline = 0.01;
// What takes longer to launch need not be found sooner, unless a runner may be idle.
constexpr double kIntervalInLaunches = 0.25;

// Seconds that half of the attempts would take for all that the job has left, shared among so many.
double shared_time(const JobView& job, const math::Durations& durations, double attempts) {
  return job.outlook->bytes_left(*job.job) * durations.median() / attempts;
}

}  // namespace

Target target_of(const View& view, const JobView& job, bool by_deadline, std::uint32_t free,
                 const math::Durations& durations, const RescueRules& rules) {
  Target target;
  target.is_deadline = by_deadline;
  double horizon = durations.median() * mean_split_bytes(job);
  if (by_deadline) {
    target.at = job.deadline();
    target.due = job.deadline() * (1 - rules.safety);
    horizon = horizon > 0 ? std::min(horizon, job.deadline()) : job.deadline();
  } else if (horizon > 0) {
    const double slots = std::max(1.0, static_cast<double>(job.job->live.size()) + free);
    const double time = Target::kLaunches * durations.launch + Target::kSlack * shared_time(job, durations, slots);
    target.at = target.due = job.since_submission(view.now) + time;
    horizon = std::min(horizon, time);
  }
  const double least = target.is_deadline ? kIntervalLeastByDeadline : kIntervalLeast;
  const double by_launch = view.resources.placement().warm_first ? 0 : kIntervalInLaunches * durations.launch;
  target.interval = std::max({least, by_launch, rules.check * horizon});
  return target;
}

}  // namespace ontime::scheduler
