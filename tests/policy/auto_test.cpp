// auto: which policy it chooses for a job, that this policy then plans, and that a new master keeps to the choice.
#include <gtest/gtest.h>

#include <stdexcept>

#include "scheduler/policies/policy.h"
#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::PacedWorld;
using test::World;

JobSpec auto_spec(Duration deadline, const StringMap& more = {}) {
  return World::quiet_spec("auto", {{"t_min", "8s"}, {"beta", "1.5"}, {"t_avg", "100ms"}, {"fit", "flags"}}, more,
                           deadline);
}

JobSpec compressed(Duration deadline, int files) {
  JobSpec what = auto_spec(deadline);
  for (int i = 0; i < files; ++i) what.inputs.push_back({"/in" + std::to_string(i), 1000, "1", Codec::Gzip});
  return what;
}

class AutoTest : public testing::Test {
 protected:
  // The policy in its note.
  std::string chosen(JobId job) const { return policy_chosen_for(*paced_.cluster().find_job(job)); }

  PacedWorld paced_;
};

TEST_F(AutoTest, SplitResumeWithoutADeadline) {
  paced_.add_nodes(8);
  EXPECT_EQ(chosen(paced_.submit(2, auto_spec(0s))), "split-resume");
  EXPECT_EQ(chosen(paced_.world().submit(compressed(0s, 2))), "none");
}

TEST_F(AutoTest, SplitResumeWhateverTheDeadline) {
  paced_.add_nodes(8);
  for (const Duration deadline : {Duration(9s), Duration(15s), Duration(400s)}) {
    EXPECT_EQ(chosen(paced_.submit(2, auto_spec(deadline))), "split-resume") << seconds(deadline);
  }
  JobSpec unknown = World::quiet_spec();
  unknown.policy = "auto";
  unknown.deadline = 40s;
  EXPECT_EQ(chosen(paced_.submit(2, unknown)), "split-resume");
}

TEST_F(AutoTest, ClonesOfCompressedInputsOrNothing) {
  paced_.add_nodes(8);
  EXPECT_EQ(chosen(paced_.world().submit(compressed(40s, 2))), "clone");
  EXPECT_EQ(chosen(paced_.world().submit(compressed(40s, 4))), "none");
}

TEST_F(AutoTest, HandsOnOnlyWhatTheChosenPolicyTakes) {
  EXPECT_FALSE(parameters_of("none").contains("t_min"));
  EXPECT_TRUE(parameters_of("mantri").contains("t_min"));
  EXPECT_FALSE(parameters_of("mantri").contains("handover"));
  paced_.add_nodes(2);
  const JobId id = paced_.world().submit(compressed(40s, 4));  // with t_min, which none does not take
  EXPECT_EQ(chosen(id), "none");
  paced_.run(10s);
  EXPECT_TRUE(paced_.cluster().find_job(id)->declined.empty());
}

TEST_F(AutoTest, TheChosenPolicyPlans) {
  paced_.add_nodes(8);
  paced_.set_rate([](AttemptId id) { return id.number == 0 && id.task.index == 0 ? 12.0 : 100.0; });
  const JobId clones = paced_.world().submit(compressed(40s, 1));
  const JobId job = paced_.submit(2, auto_spec(14s));
  ASSERT_EQ(chosen(job), "split-resume");
  ASSERT_EQ(chosen(clones), "clone");
  EXPECT_TRUE(paced_.run_job(job, 14s));
  EXPECT_GT(paced_.copies(job), 0u);
  EXPECT_GT(paced_.copies(clones), 0u);
}

// The text of a note is for people: other words change nothing.
TEST_F(AutoTest, ItsChoiceIsNotReadOutOfWords) {
  Job job;
  job.decisions.push_back({{}, {}});
  job.decisions.back().decision.text = "auto chooses clone: an older master has said so";
  EXPECT_EQ(policy_chosen_for(job), "");
  job.decisions.back().decision.policy = "split-resume";
  EXPECT_EQ(policy_chosen_for(job), "split-resume");
}

TEST_F(AutoTest, ANewMasterKeepsToTheChoice) {
  paced_.add_nodes(8);
  const JobId job = paced_.world().submit(compressed(40s, 2));
  ASSERT_EQ(chosen(job), "clone");
  paced_.run(1s);
  paced_.restart();
  EXPECT_EQ(chosen(paced_.world().submit(compressed(40s, 4))), "none");
  paced_.run(1s);
  EXPECT_EQ(chosen(job), "clone");
  std::size_t choices = 0;
  for (const std::string& note : paced_.notes(job)) choices += note.starts_with("auto chooses");
  EXPECT_EQ(choices, 1u);
}

TEST(Auto, AParameterThatItDoesNotKnowIsRefused) {
  EXPECT_THROW(make_policy("auto", {{"theta", "1s"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("auto", {{"handover", "never"}}), std::invalid_argument);
  EXPECT_NE(make_policy("auto", {{"handover", "ready"}, {"load", "1"}}), nullptr);
}

}  // namespace
}  // namespace ontime::scheduler
