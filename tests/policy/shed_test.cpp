// Shed on a real scheduler whose attempts run: what every submission brings to the jobs there are.
#include "scheduler/policies/shed/shed.h"

#include <gtest/gtest.h>

#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::PacedWorld;
using test::World;

JobSpec shed_spec(Duration deadline, const StringMap& more = {}) {
  return World::quiet_spec("shed", {{"t_min", "8s"}, {"beta", "1.5"}, {"t_avg", "100ms"}, {"fit", "flags"}}, more,
                           deadline);
}

class ShedTest : public testing::Test {
 protected:
  PacedWorld paced_;
};

TEST_F(ShedTest, ANewJobsTasksStartWithCopies) {
  paced_.add_nodes(8);
  const JobId job = paced_.submit(2, shed_spec(20s));
  paced_.run(500ms);
  EXPECT_EQ(paced_.copies(job), 6u);  // r = 3
  ASSERT_EQ(paced_.notes(job).size(), 1u);
  EXPECT_EQ(paced_.notes(job)[0].substr(0, 13), "r = 3: PoCD 0");
  EXPECT_NE(paced_.notes(job)[0].find("6 slots for copies of 1 job"), std::string::npos) << paced_.notes(job)[0];
}

TEST_F(ShedTest, CopiesAreGrantedUpToMaxAndNeverHalfAJob) {
  paced_.add_nodes(30);
  const JobId job = paced_.submit(2, shed_spec(20s, {{"max", "4"}}));
  paced_.run(200ms);
  EXPECT_EQ(paced_.copies(job), 8u);
  const JobId large = paced_.submit(15, shed_spec(20s, {{"max", "4"}}));
  paced_.run(200ms);
  EXPECT_EQ(paced_.copies(large), 0u);  // no second attempt of all 15 fits
}

TEST_F(ShedTest, ASubmissionGivesTheRunningJobsTheirCopiesAnew) {
  paced_.add_nodes(9);
  paced_.set_rate([](AttemptId id) { return id.number == 0 ? 50.0 : 40.0; });
  const JobId first = paced_.submit(1, shed_spec(30s, {{"max", "3"}}));
  paced_.run(4s);
  EXPECT_EQ(paced_.live_attempts({first, 0}), 4u);
  const JobId second = paced_.submit(2, shed_spec(30s, {{"max", "3"}}));
  paced_.run(500ms);
  // Nine slots, three tasks: the original is kept, as it is the fastest, and cut; its copies begin there.
  EXPECT_TRUE(paced_.cluster().find_live({{first, 0}, 0}) != nullptr);
  EXPECT_TRUE(paced_.cluster().find_live({{first, 0}, 1}) == nullptr);
  ASSERT_EQ(paced_.cuts({first, 0}).size(), 1u);
  EXPECT_NEAR(static_cast<double>(paced_.cuts({first, 0})[0]), 50 * 4, 3);
  const std::size_t r_first = paced_.copies(first) - 3;
  EXPECT_GT(r_first, 0u);
  EXPECT_EQ(r_first + paced_.copies(second), 6u);
}

TEST_F(ShedTest, TheGrantIsTheBestOne) {
  paced_.add_nodes(12);
  const JobId one = paced_.submit(3, shed_spec(12s));
  const shed::ShedJob alone{3, 8, 1.5, 12, 0, 0};
  const auto expected = shed::allocate_shed({&alone, 1}, 9, 5, math::Objective::SumLog);
  paced_.run(200ms);
  EXPECT_EQ(paced_.copies(one), 3 * expected.r[0]);
  EXPECT_GT(paced_.copies(one), 0u);
}

TEST_F(ShedTest, BetweenSubmissionsNothingIsDecided) {
  paced_.add_nodes(3);
  paced_.set_rate([](AttemptId) { return 20.0; });
  const JobId job = paced_.submit(2, shed_spec(30s));
  paced_.run(20s);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_EQ(paced_.cluster().find_job(job)->decisions.size(), 1u);  // the note
}

TEST_F(ShedTest, AfterARestartOfTheMasterItWaitsForTheNextSubmission) {
  paced_.add_nodes(8);
  const JobId job = paced_.submit(2, shed_spec(30s));
  paced_.run(1s);
  const std::size_t before = paced_.cluster().find_job(job)->decisions.size();
  paced_.restart();
  paced_.run(1s);
  EXPECT_EQ(paced_.cluster().find_job(job)->decisions.size(), before);
}

TEST_F(ShedTest, AHopelessJobGetsNothing) {
  paced_.add_nodes(8);
  EXPECT_EQ(paced_.copies(paced_.submit(2, shed_spec(7s))), 0u);
  paced_.run(200ms);
  EXPECT_EQ(paced_.launches().size(), 2u);
}

TEST_F(ShedTest, TasksThatWaitForASlotGetTheirCopiesWhenTheyAreLaunched) {
  paced_.add_nodes(5);
  paced_.set_rate([](AttemptId id) { return id.task.job == JobId{1} ? 100.0 : 50.0; });
  const JobId first = paced_.submit(4, shed_spec(60s));
  paced_.run(9s);
  const JobId second = paced_.submit(3, shed_spec(60s));  // one slot is free: nothing for copies
  paced_.run(6s);
  EXPECT_EQ(paced_.copies(first), 0u);
  EXPECT_EQ(paced_.copies(second), 0u);
  const JobId third = paced_.submit(1, shed_spec(60s));  // the first job has ended; one slot is left for a copy
  paced_.run(200ms);
  EXPECT_EQ(paced_.copies(second) + paced_.copies(third), 1u);
}

TEST_F(ShedTest, SaysWhyALateTaskGetsNoCopies) {
  paced_.add_nodes(2);
  paced_.set_rate([](AttemptId) { return 20.0; });
  const JobId late = paced_.submit(1, shed_spec(40s));
  paced_.run(2s);
  paced_.submit(1, shed_spec(40s));
  paced_.run(100ms);
  EXPECT_EQ(paced_.declined(late, 0), Reason::NoFreeSlot);
}

TEST_F(ShedTest, OfAJobOfWhichNothingIsKnownHalfTheDeadlineIsAssumed) {
  paced_.add_nodes(4);
  JobSpec unknown = World::quiet_spec();
  unknown.policy = "shed";
  unknown.deadline = 20s;
  const JobId job = paced_.submit(1, unknown);
  paced_.run(200ms);
  EXPECT_EQ(paced_.copies(job), 3u);
  EXPECT_NE(paced_.notes(job)[0].find("t_min 10 s assumed"), std::string::npos) << paced_.notes(job)[0];
}

TEST_F(ShedTest, AJobWithoutADeadlineIsLeftAlone) {
  paced_.add_nodes(4);
  const JobId job = paced_.submit(1, shed_spec(0s));
  paced_.run(200ms);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_NE(paced_.notes(job)[0].find("no deadline"), std::string::npos);
}

}  // namespace
}  // namespace ontime::scheduler
