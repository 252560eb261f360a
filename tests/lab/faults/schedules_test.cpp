// A few thousand fault schedules. Each seed is a cluster, its jobs and everything that goes wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "lab/faults/cluster_run.h"
#include "lab/faults/fault_plan.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab::faults {
namespace {

#ifdef NDEBUG
constexpr std::uint64_t kSeeds = 1000;  // of each of the tests that run in parallel
#else
constexpr std::uint64_t kSeeds = 40;
#endif

// So that ctest can run them side by side.
class Faults : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Faults, LoseNothingAndEnd) {
  survive_broken_checks();
  for (std::uint64_t seed = GetParam(); seed < GetParam() + kSeeds; ++seed) {
    const Verdict verdict = run(make_plan(seed));
    ASSERT_TRUE(verdict.is_good()) << verdict.broken << "\nreplay: ontime-faults --seed " << seed << " --trace\n"
                                   << describe(minimise(make_plan(seed)));
  }
}

INSTANTIATE_TEST_SUITE_P(From, Faults,
                         testing::Values(1, 100'001, 200'001, 300'001, 400'001, 500'001, 600'001, 700'001),
                         testing::PrintToStringParamName());

// A fault that waits for a step of a commit may hit the master when all seemed over: it is waited for again.
TEST(Faults, AMasterThatDiesWhileItCleansUpComesBack) {
  const Verdict verdict = run(make_plan(1222741));
  EXPECT_TRUE(verdict.is_good()) << verdict.broken;
}

TEST(Faults, AreTheSameForTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::string first;
    std::string second;
    run(make_plan(seed), [&](std::string_view line) { first.append(line).push_back('\n'); });
    run(make_plan(seed), [&](std::string_view line) { second.append(line).push_back('\n'); });
    EXPECT_GT(first.size(), 100u);
    EXPECT_EQ(first, second);
  }
}

// What the swarm draws: every kind of fault, every policy, masters that die in the middle of writing.
TEST(Faults, AreOfEveryKind) {
  std::set<FaultKind> kinds;
  std::set<std::string> policies;
  bool strikes_batches = false;
  bool strikes_commits = false;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const FaultPlan plan = make_plan(seed);
    for (const Fault& fault : plan.faults) {
      kinds.insert(fault.kind);
      strikes_batches = strikes_batches || fault.trigger == Trigger::Batch;
      strikes_commits = strikes_commits || fault.trigger == Trigger::CommitStep;
    }
    for (const Submission& submission : plan.submissions) policies.insert(submission.job.policy);
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(kFaultKinds));
  EXPECT_EQ(policies.size(), scheduler::policies().size() + 1);
  EXPECT_TRUE(strikes_batches);
  EXPECT_TRUE(strikes_commits);
}

// A schedule without faults that is stopped by a master's death in every batch it ever writes.
TEST(Faults, AMasterMayDieInEveryBatchThatItWrites) {
  FaultPlan plan = make_plan(6);
  plan.faults.clear();
  const std::uint32_t batches = run(plan).batches;
  ASSERT_GT(batches, 10u);
  for (std::uint32_t batch = 1; batch < std::min(batches, 60u); ++batch) {
    for (const double share : {0.0, 0.5, 0.999, 1.0}) {
      Fault fault;
      fault.trigger = Trigger::Batch;
      fault.at = batch;
      fault.share = share;
      fault.lasts = 0.5;
      plan.faults = {fault};
      const Verdict verdict = run(plan);
      ASSERT_TRUE(verdict.is_good()) << to_string(fault) << ": " << verdict.broken;
      EXPECT_EQ(verdict.masters, 3u);  // the third only looks at the journal at the end, and writes the last batch
    }
  }
}

}  // namespace
}  // namespace ontime::lab::faults
