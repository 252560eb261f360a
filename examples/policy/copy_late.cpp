// Copies for tasks that will be done after their job's deadline, or without one long after the others, while slots are
// spare; each races from where its segment begins.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/own_policy.h"

namespace {
using namespace ontime::scheduler;

class CopyLate final : public Policy {
 public:
  explicit CopyLate(Parameters& parameters)
      : check_(parameters.period("period", 1)),
        copies_(parameters.count("copies", 1, 1, 8)),
        slow_(parameters.number("slow", 1.5, 1, 100)) {}

  JobOrder order() const override { return JobOrder::EarliestDeadline; }

  Plan plan(const View& view) override {
    Plan plan;
    if (!check_.is_due(view.now, plan)) return plan;  // a job was submitted between two looks
    std::uint32_t slots = view.spare_slots();
    for (const JobView& job : view.jobs) copy_late(job, slots, plan);
    return plan;
  }

 private:
  void copy_late(const JobView& job, std::uint32_t& slots, Plan& plan) const {
    const double latest = job.has_deadline() ? job.deadline() : slow_ * usual_end(job);
    const auto ends = job.outlook->completion();  // seconds after submission, by task
    for (std::uint32_t task = 0; task < ends.size() && slots >= copies_; ++task) {
      if (!(ends[task] > latest) || attempts_on(job, task) > 1) continue;  // NaN, nothing is known, is not late
      const auto copy = race(job, task, copies_, Reason::Late);            // nothing: a cut is under way
      if (!copy) continue;
      plan.add(*copy);
      slots -= copies_;
    }
  }

  static double usual_end(const JobView& job) {  // the median of those that are known
    std::vector<double> known;
    for (const double end : job.outlook->completion())
      if (std::isfinite(end)) known.push_back(end);
    if (known.empty()) return std::numeric_limits<double>::infinity();
    std::ranges::nth_element(known, known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2));
    return known[known.size() / 2];
  }

  PeriodicCheck check_;
  std::uint32_t copies_;
  double slow_;
};

}  // namespace

ONTIME_POLICY(CopyLate)
