#pragma once
// What comes of naming a file as a policy.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "master/policies/own_policies.h"
#include "tests/policy/paced_world.h"

namespace ontime::master {

// A file of tests/own_policy.
inline std::string python(const std::string& name) { return ONTIME_TEST_SOURCES "/tests/own_policy/" + name + ".py"; }

// Why no job can have that policy.
inline std::string refusal_of(const std::string& policy, const scheduler::StringMap& parameters = {}) {
  allow_own_policies(Duration::zero());
  const Status status = scheduler::check_policy(policy, parameters);
  EXPECT_FALSE(status) << policy;
  return status ? "" : status.error().message;
}

// What the notes of a job say under the policy, which takes six seconds.
inline std::vector<std::string> notes_under(const std::string& policy, const scheduler::StringMap& parameters) {
  allow_own_policies(Duration::zero());
  scheduler::JobSpec spec;
  spec.policy = policy;
  spec.policy_parameters = parameters;
  scheduler::test::PacedWorld paced;
  paced.add_nodes(2);
  paced.set_rate([](AttemptId) { return 200.0; });
  const JobId job = paced.submit(2, spec);
  EXPECT_TRUE(paced.run_job(job, std::chrono::seconds(100)));
  return paced.notes(job);
}

// The note about a policy that has failed.
inline std::string excuse_of(const std::string& policy, const std::string& why) {
  return "The policy " + policy + " is not asked any more: " + why +
         ". The job goes on under 'none', without speculation.";
}

// A policy that plans what a function says, at every second.
class Looking final : public scheduler::Policy {
 public:
  using Function = std::function<scheduler::Plan(const scheduler::View&)>;
  explicit Looking(Function look) : look_(std::move(look)) {}
  scheduler::Plan plan(const scheduler::View& view) override {
    scheduler::Plan plan = look_(view);
    plan.next_check = view.now + std::chrono::seconds(1);
    return plan;
  }

 private:
  Function look_;
};

inline scheduler::test::PacedWorld world_that_looks(const Looking::Function& look) {
  scheduler::Settings settings;
  settings.make_policy = [look](std::string_view, const scheduler::StringMap&) {
    return std::make_unique<Looking>(look);
  };
  scheduler::test::PacedWorld paced(settings);
  paced.add_nodes(3);
  paced.set_rate([](AttemptId id) { return id.task.index == 0 ? 50.0 : 200.0; });
  return paced;
}

}  // namespace ontime::master
