#pragma once
// What comes of naming a file as a policy.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "master/policies/own_policies.h"
#include "tests/policy/paced_world.h"

namespace ontime::master {

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

}  // namespace ontime::master
