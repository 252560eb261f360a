#include "scheduler/forecast/rivals.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "common/base/median.h"
#include "scheduler/policies/pieces.h"

namespace ontime::scheduler {
namespace {

constexpr double kClassesPerFactorE = 8;  // of the time an attempt has left
constexpr double kSoonest = 0.01;         // seconds
constexpr std::size_t kLookedAt = 64;     // durations of a job

// Of the latest attempts that have ended, else of those that run.
double usual_duration(const Scheduler& scheduler, const JobView& job, double usual) {
  const estimate::DurationSample* profile = scheduler.cluster().find_profile(job.job->spec);
  const double bytes = mean_split_bytes(job);
  for (const estimate::DurationSample* sample : {&job.outlook->sample(), profile}) {
    if (sample == nullptr || sample->finished().size() < estimate::kEnoughSamples) continue;
    const auto seen = sample->finished().last(std::min(kLookedAt, sample->finished().size()));
    return bytes * median_of({seen.begin(), seen.end()});
  }
  std::vector<double> running;
  for (const float duration : job.outlook->running()) {
    if (duration > 0) running.push_back(static_cast<double>(duration));
    if (running.size() == kLookedAt) break;
  }
  return running.empty() ? usual : bytes * median_of(std::move(running));
}

class Rivals {
 public:
  Rivals(const Scheduler& scheduler, JobId job, TimePoint now, double usual, Remainder& to)
      : scheduler_(scheduler),
        job_(job),
        submitted_at_(scheduler.cluster().find_job(job)->submitted_at),
        now_(seconds(now - submitted_at_)),
        usual_(usual),
        to_(to) {}

  void add() {
    for (const auto& [id, job] : scheduler_.cluster().jobs()) {
      if (id == job_ || job.live.empty()) continue;
      if (const Outlook* outlook = scheduler_.outlook(id)) add_slots({id, &job, outlook, {}});
    }
    for (const auto& [at, slots] : slots_) to_.others.push_back(slots);
    bool is_ahead = true;
    for (const Claim& claim : scheduler_.claims()) {
      if (claim.job == job_) {
        is_ahead = false;
        continue;
      }
      const JobView job{claim.job, scheduler_.cluster().find_job(claim.job), scheduler_.outlook(claim.job), {}};
      const double duration = usual_duration(scheduler_, job, usual_);
      (is_ahead ? to_.ahead : to_.behind).push_back({duration, static_cast<double>(claim.waiting)});
    }
  }

 private:
  void add_slots(const JobView& job) {
    const double later = seconds(job.job->submitted_at - submitted_at_);
    double usual = -1;
    for (const AttemptId id : job.job->live) {
      double left = job.outlook->completion()[id.task.index] + later - now_;
      if (left > 0 && std::isinf(left)) continue;
      if (!std::isfinite(left)) {
        if (usual < 0) usual = usual_duration(scheduler_, job, usual_);
        left = usual / 2;
      }
      left = std::max(kSoonest, left);
      SlotsOfOthers& slots = slots_[static_cast<int>(std::floor(std::log(left) * kClassesPerFactorE))];
      const double share = 1 / (slots.count + 1);
      slots.at += share * (now_ + left - slots.at);
      ++slots.count;
    }
  }

  const Scheduler& scheduler_;
  const JobId job_;
  const TimePoint submitted_at_;
  const double now_;
  const double usual_;
  Remainder& to_;
  std::map<int, SlotsOfOthers> slots_;
};

}  // namespace

void add_rivals(const Scheduler& scheduler, JobId job, TimePoint now, double usual, Remainder& to) {
  Rivals(scheduler, job, now, usual, to).add();
}

}  // namespace ontime::scheduler
