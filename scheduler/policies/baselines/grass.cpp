#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "common/base/median.h"
#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/open_segments.h"

namespace ontime::scheduler {

bool grass_pays(GrassMode mode, double left, double fresh, std::uint32_t attempts) {
  const double c = attempts;
  return mode == GrassMode::Greedy ? left > fresh : c * left > (c + 1) * fresh;
}

namespace {

// GRASS for exact results, whose error bound is 0: resource-aware speculation, and greedy from the last `waves` of a
// job's tasks on. The paper learns when to switch from earlier jobs; this is its static form. A fresh attempt takes the
// median of the finished tasks. Most left comes first (greedy), or most saved (resource-aware). Slots are asked for
// ahead, as a copy may be worth more than a task that waits; ahead=no keeps to idle ones.
class Grass final : public Policy {
 public:
  explicit Grass(Parameters& parameters)
      : waves_(parameters.number("waves", 2, 0, 1e6)),
        is_ahead_(parameters.flag("ahead", true)),
        most_(parameters.count("attempts", 2, 2, 50)),
        clock_(parameters.period("check", 1)) {}

  Plan plan(const View& view) override {
    Plan plan;
    if (!clock_.is_due(view.now, plan)) return plan;
    Declines declines(plan);
    std::vector<Candidate> candidates;
    for (const JobView& job : view.jobs) look(view, job, candidates, declines);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.worth > b.worth; });
    std::uint32_t slots = view.spare_slots();
    if (is_ahead_) slots = std::max(slots, slots_ahead(view, clock_.period(), fresh_time));
    for (const Candidate& candidate : candidates) {
      std::optional<Speculate> copy;
      if (slots > 0) copy = race(*candidate.job, candidate.task, 1, Reason::Slow);
      if (!copy) {
        declines.add(*candidate.job, candidate.task, slots > 0 ? Reason::CutPending : Reason::NoFreeSlot);
        continue;
      }
      plan.add(*std::move(copy));
      --slots;
    }
    return plan;
  }

 private:
  struct Candidate {
    const JobView* job;
    std::uint32_t task;
    double worth;  // seconds
  };

  // Seconds; infinite before a task is done.
  static double fresh_time(const JobView& job) {
    const std::span<const double> done = job.outlook->task_durations();
    return done.empty() ? math::kInfinity : median_of({done.begin(), done.end()});
  }

  void look(const View& view, const JobView& job, std::vector<Candidate>& candidates, Declines& declines) const {
    declines.add_compressed(job);
    const double fresh = fresh_time(job);
    if (!std::isfinite(fresh)) return;
    const double now = job.since_submission(view.now);
    const double unfinished = static_cast<double>(job.job->tasks.size() - job.job->tasks_done);
    const bool is_end = unfinished <= waves_ * static_cast<double>(std::max<std::size_t>(job.job->live.size(), 1));
    const GrassMode mode = is_end ? GrassMode::Greedy : GrassMode::ResourceAware;
    const std::span<const double> completion = job.outlook->completion();
    for (std::uint32_t task = 0; task < completion.size(); ++task) {
      const double left = completion[task] - now;
      const std::uint32_t attempts = job.outlook->live_attempts()[task];
      if (attempts == 0 || !(left > 0) || !grass_pays(mode, left, fresh, attempts)) continue;
      if (attempts_on(job, task) >= most_) {
        declines.add(job, task, Reason::AlreadySpeculating);
        continue;
      }
      const double saved = attempts * left - (attempts + 1) * fresh;
      candidates.push_back({&job, task, mode == GrassMode::Greedy ? left : saved});
    }
  }

  const double waves_;
  const bool is_ahead_;
  const std::uint32_t most_;  // attempts of a task
  PeriodicCheck clock_;
};

}  // namespace

std::unique_ptr<Policy> make_grass(Parameters& parameters) { return std::make_unique<Grass>(parameters); }

}  // namespace ontime::scheduler
