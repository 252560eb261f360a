// Shed+ on a real scheduler whose attempts run: when it looks, what it keeps and ends, how many copies it grants.
#include "scheduler/policies/shed/shed.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::PacedWorld;
using test::World;

JobSpec shed_plus_spec(Duration deadline, const StringMap& more = {}) {
  return World::quiet_spec("shed+", {{"t_min", "8s"}, {"beta", "1.5"}, {"t_avg", "100ms"}, {"fit", "flags"}}, more,
                           deadline);
}

// 1000 bytes a split. The first `slow` tasks' originals take 50 s, all other attempts 10 s.
class ShedPlusTest : public testing::Test {
 protected:
  void make_slow(std::uint32_t slow) {
    paced_.set_rate([slow](AttemptId id) { return id.number == 0 && id.task.index < slow ? 20.0 : 100.0; });
  }
  std::vector<DecisionNote> decided(JobId job, DecisionNote::What what) const {
    std::vector<DecisionNote> notes;
    for (const DecisionAt& decision : paced_.cluster().find_job(job)->decisions) {
      if (decision.decision.what == what) notes.push_back(decision.decision);
    }
    return notes;
  }

  PacedWorld paced_;
};

TEST_F(ShedPlusTest, AnotherTailSparesCopiesThatHardlyHelpAndIsNamed) {
  paced_.add_nodes(8);
  make_slow(1);
  const JobId job = paced_.submit(2, shed_plus_spec(40s, {{"tail", "auto"}, {"fit", "job"}, {"t_min", "1s"}}));
  paced_.run(6s);  // at 4 s: 32 s are left for what takes 10 to 50
  EXPECT_GE(paced_.copies(job), 1u);
  EXPECT_LT(paced_.copies(job), 5u);
  const std::vector<std::string> notes = paced_.notes(job);
  ASSERT_FALSE(notes.empty());
  EXPECT_NE(notes[0].find("lognormal times, median"), std::string::npos) << notes[0];
  EXPECT_NE(notes[0].find("from the job's own attempts"), std::string::npos) << notes[0];
}

TEST_F(ShedPlusTest, TailsThatThereAreNotAreRefused) {
  EXPECT_THROW(make_policy("shed+", {{"tail", "normal"}}), std::invalid_argument);
  for (const char* tail : {"auto", "pareto", "lognormal", "empirical"}) {
    EXPECT_NO_THROW(make_policy("shed+", {{"tail", tail}}));
    EXPECT_NO_THROW(make_policy("split-resume", {{"tail", tail}}));
    EXPECT_NO_THROW(make_policy("auto", {{"tail", tail}}));
  }
}

TEST_F(ShedPlusTest, CopiesOfALateTaskTakeOverWhereItIsExpectedToBe) {
  paced_.add_nodes(6);
  make_slow(1);
  const JobId job = paced_.submit(2, shed_plus_spec(20s));
  paced_.run(2500ms);
  const std::vector<std::uint64_t> cuts = paced_.cuts({job, 0});
  ASSERT_EQ(cuts.size(), 1u);  // at 2 s, 20 bytes a second since 0.1 s and for the launch to come
  EXPECT_NEAR(static_cast<double>(cuts[0]), 40, 2);
  EXPECT_EQ(paced_.copies(job), 4u);
  for (const auto& launch : paced_.launches_of({job, 0})) {
    if (launch.attempt.number == 0) continue;
    EXPECT_EQ(launch.range, (ByteRange{cuts[0], 1000}));
  }
  const auto decisions = decided(job, DecisionNote::What::Speculate);
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].reason, "late");
  EXPECT_NEAR(decisions[0].completion, 50, 1);
  EXPECT_EQ(decisions[0].pocd_before, 0);
  EXPECT_GT(decisions[0].pocd_after, 0.5);
  EXPECT_TRUE(paced_.run_job(job, 18s));
}

// Every look at a whole second finds the cut of a checkpoint that is not answered yet.
TEST_F(ShedPlusTest, CheckpointsInStepWithItsLooksDoNotKeepItFromSpeculating) {
  paced_.add_nodes(6);
  make_slow(1);
  JobSpec what = shed_plus_spec(20s, {{"theta", "1s"}});
  what.checkpoint_interval = 1s;
  const JobId job = paced_.submit(2, what);
  paced_.run(4s);
  EXPECT_GE(paced_.copies(job), 1u);
  EXPECT_TRUE(paced_.run_job(job, 18s));
}

TEST_F(ShedPlusTest, SaysOnWhichDurationsItsCopiesRest) {
  paced_.add_nodes(6);
  make_slow(1);
  const JobId job = paced_.submit(2, shed_plus_spec(20s));
  paced_.run(6s);
  ASSERT_EQ(paced_.notes(job).size(), 1u);
  EXPECT_EQ(paced_.notes(job)[0], "t_min 8 s from flags and beta 1.5 from flags, launch 0.1 s");
}

TEST_F(ShedPlusTest, DoesNotLookBeforeXi) {
  paced_.add_nodes(6);
  make_slow(1);
  const JobId job = paced_.submit(2, shed_plus_spec(20s, {{"xi", "0.3"}}));
  paced_.run(5900ms);
  EXPECT_EQ(paced_.copies(job), 0u);
  paced_.run(300ms);
  EXPECT_GT(paced_.copies(job), 0u);
}

TEST_F(ShedPlusTest, LeavesWhatIsOnScheduleAlone) {
  paced_.add_nodes(6);
  const JobId job = paced_.submit(3, shed_plus_spec(11s));
  EXPECT_TRUE(paced_.run_job(job));
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_TRUE(paced_.cluster().find_job(job)->declined.empty());
}

TEST_F(ShedPlusTest, AtTheNextCheckTheFastestIsKeptAndTheOthersAreEnded) {
  paced_.add_nodes(5);
  paced_.set_rate([](AttemptId id) { return id.number == 0 ? 20.0 : 60.0 + 10 * id.number; });
  const JobId job = paced_.submit(1, shed_plus_spec(20s, {{"theta", "3s"}}));
  paced_.run(2200ms);
  EXPECT_EQ(paced_.live_attempts({job, 0}), 5u);
  paced_.run(3s);
  EXPECT_EQ(paced_.live_attempts({job, 0}), 1u);
  EXPECT_TRUE(paced_.cluster().find_live({{job, 0}, 4}) != nullptr);
  const auto ended = decided(job, DecisionNote::What::EndAttempt);
  ASSERT_EQ(ended.size(), 4u);  // the original had sealed its part and raced on
  EXPECT_EQ(ended[0].reason, "slower-copy");
  EXPECT_TRUE(paced_.run_job(job));
}

TEST_F(ShedPlusTest, AStragglerThatIsLateAgainIsResumedAgainFromItsFastest) {
  paced_.add_nodes(4);
  paced_.set_rate([](AttemptId id) { return id.number <= 2 ? 20.0 + id.number : 200.0; });
  const JobId job = paced_.submit(1, shed_plus_spec(20s, {{"theta", "3s"}, {"max", "2"}}));
  paced_.run(5500ms);
  EXPECT_EQ(paced_.cuts({job, 0}).size(), 2u);
  EXPECT_EQ(paced_.copies(job), 4u);
  EXPECT_TRUE(paced_.cluster().find_live({{job, 0}, 2}) != nullptr);  // the faster of the first two copies
  EXPECT_TRUE(paced_.cluster().find_live({{job, 0}, 1}) == nullptr);
  EXPECT_TRUE(paced_.run_job(job, 12s));
}

TEST_F(ShedPlusTest, ReleaseStopsTheOriginalAtTheCut) {
  paced_.add_nodes(4);
  make_slow(1);
  const JobId job = paced_.submit(1, shed_plus_spec(20s, {{"release", "yes"}, {"theta", "100s"}}));
  paced_.run(4s);
  EXPECT_EQ(paced_.cluster().find_attempt({{job, 0}, 0})->state, AttemptState::Succeeded);
  EXPECT_EQ(paced_.live_attempts({job, 0}), 3u);
  EXPECT_TRUE(paced_.run_job(job, 14s));
}

TEST_F(ShedPlusTest, WithReadyTheCutIsMadeWhenACopyIsUp) {
  paced_.add_nodes(4);
  make_slow(1);
  paced_.set_launch(500ms);
  const JobId job = paced_.submit(1, shed_plus_spec(20s, {{"handover", "ready"}}));
  paced_.run(2300ms);
  EXPECT_EQ(paced_.copies(job), 3u);
  EXPECT_TRUE(paced_.cuts({job, 0}).empty());
  paced_.run(500ms);
  ASSERT_EQ(paced_.cuts({job, 0}).size(), 1u);
  EXPECT_NEAR(static_cast<double>(paced_.cuts({job, 0})[0]), 20 * 2.1, 3);
}

// How many slots there are to give ------------------------------------------------------------------------------------

TEST_F(ShedPlusTest, GrantsAreBoundedByLambdaAndByTheReserveForTheApplicationMaster) {
  for (const auto& [more, expected] :
       {std::pair(StringMap{}, 5u), std::pair(StringMap{{"max", "7"}}, 7u), std::pair(StringMap{{"lambda", "0.5"}}, 3u),
        std::pair(StringMap{{"lambda", "0.5"}, {"reserve_am", "yes"}}, 2u)}) {
    PacedWorld paced;
    paced.add_nodes(10);
    paced.set_rate([](AttemptId id) { return id.number == 0 && id.task.index == 0 ? 20.0 : 100.0; });
    const JobId job = paced.world().submit(2000, 1000, shed_plus_spec(20s, more));
    paced.run(3s);
    EXPECT_EQ(paced.launches().size(), 2 + expected) << job.value;
  }
}

TEST_F(ShedPlusTest, WhatIsCappedByLambdaSaysSo) {
  paced_.add_nodes(10);
  make_slow(2);
  const JobId job = paced_.submit(2, shed_plus_spec(20s, {{"lambda", "0.2"}}));
  paced_.run(3s);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_EQ(paced_.declined(job), Reason::CapReached);
}

TEST_F(ShedPlusTest, SlotsThatAreWaitedForAreNotGiven) {
  paced_.add_nodes(4);
  make_slow(1);
  const JobId job = paced_.submit(5, shed_plus_spec(40s));  // one task waits for a slot
  paced_.run(4500ms);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_EQ(paced_.declined(job), Reason::NoFreeSlot);
}

TEST_F(ShedPlusTest, AJobThatNeedsMoreCopiesThanThereAreGetsWhatIsThere) {
  paced_.add_nodes(6);
  make_slow(4);
  const JobId job = paced_.submit(4, shed_plus_spec(20s));
  paced_.run(2100ms);
  EXPECT_EQ(paced_.copies(job), 2u);
  EXPECT_EQ(paced_.declined(job, 3), Reason::NoFreeSlot);
}

TEST_F(ShedPlusTest, JobsThatCanStillBeSavedComeBeforeThoseThatCannot) {
  paced_.add_nodes(7);
  make_slow(1);
  const JobId lost = paced_.submit(2, shed_plus_spec(9s, {{"xi", "0.25"}, {"max", "2"}}));
  const JobId savable = paced_.submit(2, shed_plus_spec(40s, {{"xi", "0.25"}, {"max", "2"}}));
  paced_.run(10100ms);
  EXPECT_EQ(paced_.copies(lost), 0u);
  EXPECT_EQ(paced_.copies(savable), 2u);
}

// What it declines ----------------------------------------------------------------------------------------------------

TEST_F(ShedPlusTest, DeclinesWhatNoCopyCanBringIn) {
  paced_.add_nodes(4);
  make_slow(1);
  const JobId job = paced_.submit(1, shed_plus_spec(9s, {{"xi", "0.25"}}));  // 950 bytes take 7.6 s at least
  paced_.run(2500ms);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_EQ(paced_.declined(job), Reason::Hopeless);
}

TEST_F(ShedPlusTest, DeclinesTheOtherStragglersOfAHopelessJobToo) {
  paced_.add_nodes(6);
  paced_.set_rate([](AttemptId id) { return id.task.index == 0 ? 20.0 : id.task.index == 1 ? 90.0 : 200.0; });
  const JobId job = paced_.submit(3, shed_plus_spec(10s, {{"xi", "0.3"}}));
  paced_.run(3100ms);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_EQ(paced_.declined(job, 0), Reason::Hopeless);
  EXPECT_TRUE(paced_.declined(job, 1) == Reason::Hopeless || paced_.declined(job, 1) == Reason::CopyWouldBeLater);
  EXPECT_EQ(paced_.declined(job, 2), std::nullopt);
}

TEST_F(ShedPlusTest, DeclinesACopyThatWouldBeLaterThanTheOriginal) {
  paced_.add_nodes(4);
  paced_.set_rate([](AttemptId) { return 90.0; });  // 11.2 s; a copy takes 0.1 + 8/1000 s a byte
  const JobId job = paced_.submit(1, shed_plus_spec(11s, {{"t_min", "12s"}}));
  paced_.run(2s);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_EQ(paced_.declined(job), Reason::CopyWouldBeLater);
}

TEST_F(ShedPlusTest, DeclinesWhatIsDoneBeforeACopyIsUp) {
  paced_.add_nodes(4);
  paced_.set_rate([](AttemptId) { return 49.0; });  // 20.5 s
  const JobId job = paced_.submit(1, shed_plus_spec(20s, {{"xi", "0.95"}, {"t_avg", "2s"}}));
  paced_.run(19500ms);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_EQ(paced_.declined(job), Reason::RemainingShorterThanLaunch);
}

TEST_F(ShedPlusTest, DeclinesWhenNoOtherNodeHasASlot) {
  paced_.add_nodes(1, 5);
  make_slow(1);
  const JobId job = paced_.submit(1, shed_plus_spec(20s));
  paced_.run(3s);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_EQ(paced_.declined(job), Reason::NoOtherNode);
}

TEST_F(ShedPlusTest, LeavesCopiesAloneThatHaveOnlyJustBegun) {
  paced_.add_nodes(4);
  paced_.set_rate([](AttemptId) { return 20.0; });
  const JobId job = paced_.submit(1, shed_plus_spec(40s, {{"theta", "1s"}, {"t_avg", "3s"}}));
  paced_.run(5500ms);
  EXPECT_EQ(paced_.copies(job), 3u);
  EXPECT_EQ(paced_.declined(job), Reason::TooYoung);
  EXPECT_EQ(paced_.live_attempts({job, 0}), 4u);
}

TEST(ShedPlus, LeavesATaskAloneWhoseCutIsNotAnsweredYet) {
  World world;
  for (const char* name : {"a", "b", "c"}) world.register_node(name);
  const JobId job = world.submit(1000, 1000, shed_plus_spec(20s, {{"theta", "500ms"}}));
  const AttemptId original = world.take_launch();
  world.start_attempt(original);
  world.pass(1900ms);
  world.heartbeat(original, 40);
  world.pass(1s);
  EXPECT_EQ(world.take<action::CutAttempt>().size(), 1u);
  EXPECT_EQ(world.job(job).declined.at(0).reason, Reason::CutPending);
}

TEST(ShedPlus, SaysOfACompressedInputThatThereIsNoEstimate) {
  World world;
  world.register_node("a", 3);
  JobSpec compressed = shed_plus_spec(20s);
  compressed.inputs = {{"/input.gz", 1000, "1", Codec::Gzip}, {"/plain", 1000, "1", Codec::Plain}};
  const JobId job = world.submit(std::move(compressed));
  ASSERT_EQ(world.job(job).declined.size(), 1u);
  EXPECT_EQ(world.job(job).declined.at(0).reason, Reason::NoEstimate);
}

TEST(ShedPlus, SaysOfAJobWithoutADeadlineThatItGetsNoCopies) {
  World world;
  world.register_node("a", 3);
  const JobId job = world.submit(1000, 1000, shed_plus_spec(0s));
  ASSERT_EQ(world.job(job).decisions.size(), 1u);
  EXPECT_NE(world.job(job).decisions[0].decision.text.find("no deadline"), std::string::npos);
}

// When it looks -------------------------------------------------------------------------------------------------------

// Notes when it is asked, and passes on what the policy says.
class Asked final : public Policy {
 public:
  explicit Asked(const StringMap& parameters, std::vector<double>& when)
      : inner_(make_policy("shed+", parameters)), when_(when) {}
  Plan plan(const View& view) override {
    when_.push_back(view.jobs.front().since_submission(view.now));
    return inner_->plan(view);
  }

 private:
  std::unique_ptr<Policy> inner_;
  std::vector<double>& when_;
};

std::vector<double> asked_during(Duration time, const JobSpec& first, const std::vector<JobSpec>& later) {
  std::vector<double> when;
  Settings settings;
  settings.node_timeout = 1h;
  settings.make_policy = [&](std::string_view, const StringMap& parameters) {
    return std::make_unique<Asked>(parameters, when);
  };
  World world(settings);
  world.register_node("a", 3);
  world.submit(1000, 1000, first);
  for (const JobSpec& spec : later) world.submit(1000, 1000, spec);
  when.clear();
  world.pass(time);
  return when;
}

TEST(ShedPlus, LooksAtXiAndThenEveryTheta) {
  const auto when = asked_during(30s, shed_plus_spec(100s, {{"theta", "8s"}}), {});
  EXPECT_EQ(when, (std::vector<double>{10, 18, 26}));
}

TEST(ShedPlus, ThetaComesFromEquation17) {
  const auto when = asked_during(24s, shed_plus_spec(100s, {{"t_avg", "2s"}}), {});  // (100 - 2) * 5 % + 2
  ASSERT_EQ(when.size(), 3u);
  EXPECT_NEAR(when[1] - when[0], 6.9, 1e-6);
}

TEST(ShedPlus, LooksWhenAnotherJobComesToXiAndThenByTheSmallerTheta) {
  const auto when = asked_during(41s, shed_plus_spec(100s, {{"t_avg", "0s"}, {"theta_prime", "0.1"}}),
                                 {shed_plus_spec(300s, {{"t_avg", "0s"}, {"theta_prime", "0.1"}})});
  EXPECT_EQ(when, (std::vector<double>{10, 20, 30, 40}));  // the job of 300 s is at xi at 30 s
}

TEST(ShedPlus, AParameterThatItDoesNotKnowOrThatIsOutOfRangeIsRefused) {
  EXPECT_THROW(make_policy("shed+", {{"tau_est", "1s"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("shed+", {{"lambda", "1.5"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("shed+", {{"xi", "-0.1"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("shed+", {{"max", "0"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("shed+", {{"objective", "min"}}), std::invalid_argument);
}

}  // namespace
}  // namespace ontime::scheduler
