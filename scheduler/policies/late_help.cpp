#include "scheduler/policies/late_help.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace ontime::scheduler {
namespace {

void look_again(Plan& plan, std::optional<TimePoint> at) {
  if (at) plan.next_check = plan.next_check ? std::min(*plan.next_check, *at) : at;
}

class LateHelp final : public Policy {
 public:
  LateHelp(std::unique_ptr<Policy> policy, std::unique_ptr<Policy> when_late)
      : policy_(std::move(policy)), when_late_(std::move(when_late)) {}

  JobOrder order() const override { return policy_->order(); }
  bool has_shares() const override { return policy_->has_shares(); }
  std::uint32_t share(JobId job) const override { return policy_->share(job); }
  bool plans_at_submission() const override { return policy_->plans_at_submission(); }
  bool may_plan_behind_submission() const override { return policy_->may_plan_behind_submission(); }

  Plan plan(const View& view) override {
    std::vector<JobView> others;
    std::vector<JobView> late;
    std::optional<TimePoint> next_deadline;
    for (const JobView& job : view.jobs) {
      const TimePoint deadline = job.job->submitted_at + job.job->spec.deadline;
      const bool is_ahead = job.has_deadline() && view.now < deadline;
      if (is_ahead) next_deadline = next_deadline ? std::min(*next_deadline, deadline) : deadline;
      (job.has_deadline() && !is_ahead ? late : others).push_back(job);
    }
    Plan plan = policy_->plan({view.cluster, view.resources, others, view.now, view.waiting});
    look_again(plan, next_deadline);
    if (late.empty()) return plan;
    Plan help = when_late_->plan({view.cluster, view.resources, late, view.now, view.waiting});
    std::move(help.decisions.begin(), help.decisions.end(), std::back_inserter(plan.decisions));
    look_again(plan, help.next_check);
    return plan;
  }

 private:
  const std::unique_ptr<Policy> policy_;
  const std::unique_ptr<Policy> when_late_;
};

}  // namespace

std::unique_ptr<Policy> with_late_help(std::unique_ptr<Policy> policy, Parameters& parameters) {
  if (parameters.choice("late", "none", {"none", "mantri"}) == "none") return policy;
  StringMap passed_on{{"delta", "0.5"}};
  for (const char* name : {"t_min", "t_min_of", "beta", "t_avg", "fit"}) {
    if (const auto given = parameters.given().find(name); given != parameters.given().end()) passed_on.insert(*given);
  }
  return std::make_unique<LateHelp>(std::move(policy), make_policy("mantri", passed_on));
}

}  // namespace ontime::scheduler
