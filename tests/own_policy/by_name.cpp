// Copies for tasks that have run for half as long again as those of their job that are done, but none for jobs of one
// name, or of what runs on one host.
#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/own_policy.h"

namespace {
using namespace ontime::scheduler;

class ByName final : public Policy {
 public:
  explicit ByName(Parameters& parameters) : check_(parameters.period("period", 1)) {}

  Plan plan(const View& view) override {
    Plan plan;
    if (!check_.is_due(view.now, plan)) return plan;
    for (const JobView& job : view.jobs) {
      const auto durations = job.outlook->task_durations();
      std::vector<double> took(durations.begin(), durations.end());
      const JobSpec& spec = job.job->spec;
      if (took.size() < 3 || spec.name == "patient") continue;
      std::ranges::sort(took);
      const double usual = took[took.size() / 2];
      plan.add(Note{job.id,
                    spec.name + " of " + spec.owner + ": " + std::to_string(took.size()) + " tasks took " +
                        std::to_string(static_cast<int>(1000 * usual)) + " ms",
                    {},
                    {}});
      for (std::uint32_t task = 0; task < job.job->tasks.size(); ++task) copy(view, job, task, usual, plan);
    }
    return plan;
  }

 private:
  static void copy(const View& view, const JobView& job, std::uint32_t task, double usual, Plan& plan) {
    const Attempt* attempt = first_live(job, task);
    if (attempt == nullptr || attempts_on(job, task) != 1) return;
    const Node* node = view.cluster.find_node(attempt->node);
    if (node != nullptr && node->host == "host-node-1") return;
    if (!(job.since_submission(view.now) - job.since_submission(attempt->launched_at) > 1.5 * usual)) return;
    if (const auto decision = race(job, task, 1, Reason::Slow)) plan.add(*decision);
  }

  PeriodicCheck check_;
};

}  // namespace

ONTIME_POLICY(ByName)
