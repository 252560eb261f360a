// Every registered policy as the product runs it: checkpoints on, cuts that are answered late or never. An attempt that
// stops in the middle of its split must not keep its job from ending.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <tuple>
#include <vector>

#include "scheduler/policies/policy.h"
#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::PacedWorld;

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const PolicyDescription& policy : policies()) names.emplace_back(policy.name);
  return names;
}

// The delay of all answers but the stopped attempt's, which never come. The master's patience with a cut is 3 s.
using EveryPolicyCase = std::tuple<std::string, Duration>;

class EveryPolicy : public testing::TestWithParam<EveryPolicyCase> {
 protected:
  JobSpec spec() const {
    JobSpec spec;
    spec.policy = std::get<0>(GetParam());
    spec.checkpoint_interval = default_checkpoint_interval(spec.policy);
    return spec;
  }
  // Four tasks of 10 s, one of whose attempts stops after 3 s.
  bool ends(Duration deadline) {
    paced_.add_nodes(6);
    paced_.set_answer_delay(std::get<1>(GetParam()));
    JobSpec spec = this->spec();
    spec.deadline = deadline;
    const JobId job = paced_.submit(4, spec);
    paced_.run(3s);
    paced_.stop({{job, 1}, 0});
    return paced_.run_job(job, 2000s);
  }

  PacedWorld paced_;
};

TEST_P(EveryPolicy, EndsAJobOneOfWhoseAttemptsStops) { EXPECT_TRUE(ends(40s)); }

TEST_P(EveryPolicy, EndsItWhenTheDeadlineHasPassedToo) { EXPECT_TRUE(ends(5s)); }

TEST_P(EveryPolicy, EndsItWithoutADeadline) { EXPECT_TRUE(ends(0s)); }

TEST_P(EveryPolicy, TakesTheParametersThatItNames) {
  EXPECT_TRUE(check_policy(spec().policy, {}));
  EXPECT_FALSE(check_policy(spec().policy, {{"no-such-parameter", "1"}}));
  EXPECT_FALSE(parameters_of(spec().policy).contains("no-such-parameter"));
}

std::string name_of(const testing::TestParamInfo<EveryPolicyCase>& of) {
  std::string name = std::get<0>(of.param);
  std::replace(name.begin(), name.end(), '+', 'P');
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name + (std::get<1>(of.param) == Duration(0) ? "AtOnce" : "Late");
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPolicy,
                         testing::Combine(testing::ValuesIn(names()), testing::Values(Duration(0), Duration(2s))),
                         name_of);

}  // namespace
}  // namespace ontime::scheduler
