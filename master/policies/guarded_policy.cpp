#include <chrono>
#include <exception>
#include <set>
#include <stdexcept>
#include <utility>

#include "common/base/units.h"
#include "common/base/utf8.h"
#include "master/policies/own_policies.h"
#include "master/policies/policy_process.h"
#include "scheduler/policies/plan_flaws.h"

namespace ontime::master {
namespace {

using scheduler::JobOrder;
using scheduler::Plan;
using scheduler::View;

constexpr std::size_t kWhyBytesMax = 512;

// What was thrown, for people. To be called while it is handled.
std::string what_was_thrown() {
  try {
    throw;
  } catch (const std::exception& thrown) {
    return without_controls(std::string(thrown.what()).substr(0, kWhyBytesMax), "", NotUtf8::IsReplaced);
  } catch (...) {
    return "something that is no std::exception";
  }
}

class Guarded final : public scheduler::Policy {
 public:
  Guarded(std::string name, std::unique_ptr<scheduler::Policy> policy, Duration budget, Tell tell, std::string problem)
      : name_(std::move(name)), policy_(std::move(policy)), budget_(budget), tell_(tell), problem_(std::move(problem)) {
    try {
      order_ = policy_->order();
      has_shares_ = policy_->has_shares();
      plans_at_submission_ = policy_->plans_at_submission();
    } catch (...) {
      throw std::invalid_argument("the policy " + name_ + " cannot start: it throws: " + what_was_thrown());
    }
    if (order_ > JobOrder::ShortestRemaining)
      throw std::invalid_argument("the policy " + name_ + " has no order of jobs");
  }

  JobOrder order() const override { return order_; }
  bool has_shares() const override { return has_shares_ && problem_.empty(); }
  // To be told that it is not asked any more, each job that comes is looked at.
  bool plans_at_submission() const override { return plans_at_submission_ || !problem_.empty(); }

  std::uint32_t share(JobId job) const override {
    try {
      if (problem_.empty()) return policy_->share(job);
    } catch (...) {
      problem_ = "it throws when it is asked for a share: " + what_was_thrown();
    }
    return 0;
  }

  Plan plan(const View& view) override {
    Plan plan;
    if (problem_.empty()) {
      problem_ = look(view, plan);
      if (!problem_.empty() && tell_ != nullptr) tell_(sentence());
    }
    return problem_.empty() ? std::move(plan) : excuse(view);
  }

 private:
  // Why the plan cannot be used; empty: it can.
  std::string look(const View& view, Plan& plan) {
    const auto begin = std::chrono::steady_clock::now();
    try {
      plan = policy_->plan(view);
    } catch (const PolicyEnded& ended) {
      return without_controls(std::string(ended.what()).substr(0, kWhyBytesMax), "", NotUtf8::IsReplaced);
    } catch (...) {
      return "it throws: " + what_was_thrown();
    }
    const Duration taken = std::chrono::steady_clock::now() - begin;
    if (budget_ > Duration::zero() && taken > budget_)
      return "it took " + format_duration(taken) + " for a look, and may take " + format_duration(budget_);
    return scheduler::flaw_of(plan, view);
  }

  std::string sentence() const { return "The policy " + name_ + " is not asked any more: " + problem_ + "."; }

  Plan excuse(const View& view) {
    Plan plan;
    for (const scheduler::JobView& job : view.jobs) {
      if (!told_.insert(job.id).second) continue;
      plan.add(scheduler::Note{job.id, sentence() + " The job goes on under 'none', without speculation."});
    }
    if (!view.jobs.empty()) told_.erase(told_.begin(), told_.lower_bound(view.jobs.front().id));
    return plan;
  }

  const std::string name_;
  const std::unique_ptr<scheduler::Policy> policy_;
  const Duration budget_;
  const Tell tell_;
  JobOrder order_{};
  bool has_shares_ = false;
  bool plans_at_submission_ = true;
  mutable std::string problem_;  // why it is not asked any more; empty: it is
  std::set<JobId> told_;
};

}  // namespace

std::unique_ptr<scheduler::Policy> guarded(std::string name, std::unique_ptr<scheduler::Policy> policy, Duration budget,
                                           Tell tell, std::string problem) {
  return std::make_unique<Guarded>(std::move(name), std::move(policy), budget, tell, std::move(problem));
}

}  // namespace ontime::master
