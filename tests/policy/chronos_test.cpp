// clone, s-restart and s-resume on a running scheduler.
#include "scheduler/policies/chronos/chronos.h"

#include <gtest/gtest.h>

#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::PacedWorld;

// Ten tasks of 1000 bytes that take 10 s each; attempts named slow take eight times as long.
class ChronosTest : public testing::Test {
 protected:
  ChronosTest() {
    world_.set_rate([this](AttemptId id) { return slow_.contains(id) ? 12.5 : 100.0; });
  }

  JobId submit(const std::string& policy, Duration deadline, StringMap parameters = {}) {
    JobSpec spec = test::World::quiet_spec();
    spec.policy = policy;
    spec.deadline = deadline;
    spec.policy_parameters = std::move(parameters);
    return world_.submit(10, std::move(spec));
  }
  static StringMap known(StringMap more = {}) {
    more.insert({{"t_min", "10s"}, {"beta", "1.5"}, {"t_avg", "100ms"}});
    return more;
  }
  static TaskId task(std::uint32_t index) { return {JobId{1}, index}; }

  PacedWorld world_;
  std::set<AttemptId> slow_;
};

TEST_F(ChronosTest, CloneStartsEveryTaskWithRExtraAttempts) {
  world_.add_nodes(40);
  submit("clone", 25s, known({{"r", "2"}}));
  world_.run(1s);
  EXPECT_EQ(world_.launches().size(), 30u);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(world_.live_attempts(task(i)), 3u);
}

TEST_F(ChronosTest, CloneTakesTheOptimumForR) {
  world_.add_nodes(100);
  submit("clone", 25s, known());
  world_.run(1s);
  chronos::ChronosJob model{10, 10, 1.5, 25 - 0.1, 0, 6, 0};
  const auto best = chronos::optimal_copies(chronos::Strategy::Clone, model, {0, 1e-4, 1}, 5).r;
  ASSERT_TRUE(best && *best > 0);
  EXPECT_EQ(world_.live_attempts(task(0)), *best + 1);
  ASSERT_EQ(world_.notes(JobId{1}).size(), 1u);
  EXPECT_TRUE(world_.notes(JobId{1})[0].starts_with("r = " + std::to_string(*best) + ": PoCD "));
}

TEST_F(ChronosTest, CloneTakesNoMoreThanTheFreeSlots) {
  world_.add_nodes(25);
  submit("clone", 25s, known({{"r", "3"}}));
  world_.run(1s);
  EXPECT_EQ(world_.launches().size(), 20u);
  EXPECT_TRUE(world_.notes(JobId{1})[0].ends_with("; free slots allow 1"));
}

TEST_F(ChronosTest, CloneGivesEveryTaskOneWhenTMinIsNotKnown) {
  world_.add_nodes(40);
  slow_.insert({task(3), 0});
  const JobId job = submit("clone", 25s);
  world_.run(1s);
  EXPECT_EQ(world_.launches().size(), 20u);
  EXPECT_TRUE(world_.notes(job)[0].starts_with("r = 1: t_min is not known"));
  world_.run(7s);  // by then attempts have shown it, and tau_kill is past
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(world_.live_attempts(task(i)), 1u);
  EXPECT_EQ(world_.notes(job).size(), 2u);
  EXPECT_TRUE(world_.run_job(job, 60s));
}

TEST_F(ChronosTest, TauKillLeavesTheBestAttemptOfEachTask) {
  world_.add_nodes(40);
  slow_ = {{task(2), 0}, {task(2), 1}, {task(5), 1}};
  submit("clone", 25s, known({{"r", "2"}}));
  world_.run(6s);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(world_.live_attempts(task(i)), 3u);
  world_.run(300ms);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(world_.live_attempts(task(i)), 1u);
  EXPECT_TRUE(is_live(world_.world().attempt({task(2), 2}).state));
  EXPECT_FALSE(is_live(world_.world().attempt({task(5), 1}).state));
}

TEST_F(ChronosTest, SRestartRacesTheLateTaskAloneFromItsBegin) {
  world_.add_nodes(20);
  slow_.insert({task(4), 0});
  const JobId job = submit("s-restart", 25s, known({{"r", "2"}}));
  world_.run(3s);
  EXPECT_EQ(world_.launches().size(), 10u);
  world_.run(300ms);  // tau_est = 3 s after the first record
  const auto launches = world_.launches_of(task(4));
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[1].range, (ByteRange{4000, 5000}));
  EXPECT_EQ(launches[2].range, (ByteRange{4000, 5000}));
  EXPECT_EQ(world_.launches().size(), 12u);
  EXPECT_EQ(world_.live_attempts(task(4)), 3u);
  world_.run(3300ms);  // tau_kill: 3 s of racing
  EXPECT_EQ(world_.live_attempts(task(4)), 1u);
  EXPECT_FALSE(is_live(world_.world().attempt({task(4), 0}).state));
  EXPECT_TRUE(world_.run_job(job, 15s));
}

// A task is judged once. Over its first record anybody may be fast.
TEST_F(ChronosTest, AReportFromBeforeTauEstSettlesNothing) {
  world_.add_nodes(20);
  world_.set_first_record(10);
  world_.be_silent(150ms, 4s);
  slow_.insert({task(4), 0});
  submit("s-restart", 25s, known({{"r", "2"}}));
  world_.run(3500ms);  // tau_est has passed, and the only report says that 10 bytes took a moment
  EXPECT_EQ(world_.launches_of(task(4)).size(), 1u);
  world_.run(1s);
  EXPECT_EQ(world_.launches_of(task(4)).size(), 3u);
  EXPECT_EQ(world_.launches().size(), 12u);
}

// As those of a JVM are. An attempt that takes much longer stands, as ever.
TEST_F(ChronosTest, ALaunchThatTakesAsLongAsItIsKnownToTakeIsNoStraggler) {
  world_.add_nodes(30);
  world_.set_launch(12s);
  submit("s-restart", 60s, known({{"r", "1"}, {"t_avg", "12s"}}));
  world_.run(13s);
  EXPECT_EQ(world_.launches().size(), 10u);
  world_.set_launch(1h);
  const JobId other = submit("s-restart", 60s, known({{"r", "1"}, {"t_avg", "12s"}}));
  world_.run(35s);
  EXPECT_EQ(world_.launches_of({other, 4}).size(), 1u);
  world_.run(3s);
  EXPECT_EQ(world_.launches_of({other, 4}).size(), 2u);
}

TEST_F(ChronosTest, SRestartLeavesAnOriginalThatIsAheadAtTauKill) {
  world_.add_nodes(20);
  slow_ = {{task(4), 0}, {task(4), 1}};
  submit("s-restart", 25s, known({{"r", "1"}}));
  world_.run(7s);
  EXPECT_EQ(world_.launches_of(task(4)).size(), 2u);
  EXPECT_EQ(world_.live_attempts(task(4)), 1u);
  EXPECT_TRUE(is_live(world_.world().attempt({task(4), 0}).state));
}

class SResumeTest : public ChronosTest, public testing::WithParamInterface<const char*> {};

TEST_P(SResumeTest, TheRestIsRacedFromTheCutOnAndNothingBelowItIsMappedAgain) {
  world_.add_nodes(20);
  slow_.insert({task(4), 0});
  const JobId job = submit("s-resume", 25s, known({{"r", "2"}, {"handover", GetParam()}}));
  world_.run(4s);
  ASSERT_EQ(world_.cuts(task(4)).size(), 1u);
  const std::uint64_t cut = world_.cuts(task(4))[0];
  EXPECT_NEAR(static_cast<double>(cut), 4000 + 12.5 * 3.1, 4);
  EXPECT_FALSE(is_live(world_.world().attempt({task(4), 0}).state));
  EXPECT_EQ(world_.world().attempt({task(4), 0}).state, AttemptState::Succeeded);
  EXPECT_EQ(world_.live_attempts(task(4)), 3u);
  for (std::uint32_t number = 1; number <= 3; ++number) {
    EXPECT_EQ(world_.world().attempt({task(4), number}).start_offset, cut);
  }
  world_.run(3s);  // tau_kill
  EXPECT_EQ(world_.live_attempts(task(4)), 1u);
  EXPECT_TRUE(world_.run_job(job, 25s));
  EXPECT_EQ(world_.launches_of(task(4)).size(), 4u);
  EXPECT_TRUE(world_.cluster().find_job(job)->ended_at <= world_.cluster().find_job(job)->submitted_at + 25s);
}

TEST_P(SResumeTest, ROfZeroStillReplacesTheStraggler) {
  world_.add_nodes(20);
  slow_.insert({task(0), 0});
  const JobId job = submit("s-resume", 25s, known({{"r", "0"}, {"handover", GetParam()}}));
  EXPECT_TRUE(world_.run_job(job, 25s));
  EXPECT_EQ(world_.launches_of(task(0)).size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Handover, SResumeTest, testing::Values("predicted", "ready"));

TEST_F(ChronosTest, AStandingOriginalIsReplacedTooAndItsWorkIsKept) {
  world_.add_nodes(20);
  world_.set_rate([](AttemptId id) { return id == AttemptId{task(1), 0} ? 0.0 : 100.0; });
  const JobId job = submit("s-resume", 25s, known({{"r", "1"}}));
  EXPECT_TRUE(world_.run_job(job, 25s));
  EXPECT_EQ(world_.launches_of(task(1)).size(), 3u);
}

TEST_F(ChronosTest, RIsChosenWhenAttemptsHaveShownTMin) {
  world_.add_nodes(30);
  slow_.insert({task(4), 0});
  const JobId job = submit("s-resume", 25s);
  world_.run(500ms);
  EXPECT_TRUE(world_.notes(job).empty());
  world_.run(1s);
  ASSERT_EQ(world_.notes(job).size(), 1u);
  EXPECT_NE(world_.notes(job)[0].find("t_min 10 s from the job's own attempts and beta 2 assumed"), std::string::npos)
      << world_.notes(job)[0];
  EXPECT_TRUE(world_.run_job(job, 25s));
  EXPECT_GT(world_.launches_of(task(4)).size(), 1u);
}

TEST_F(ChronosTest, AStragglerForWhichNoSlotIsFreeGetsOneLater) {
  world_.add_nodes(10);
  slow_.insert({task(4), 0});
  submit("s-restart", 25s, known({{"r", "2"}}));
  world_.run(9s);
  EXPECT_EQ(world_.launches_of(task(4)).size(), 1u);
  EXPECT_EQ(world_.declined(JobId{1}, 4), Reason::NoFreeSlot);
  world_.run(2s);  // the other tasks are done
  EXPECT_EQ(world_.launches_of(task(4)).size(), 3u);
}

TEST_F(ChronosTest, TasksThatBeginInALaterWaveHaveTheirOwnTime) {
  world_.add_nodes(5);
  slow_.insert({task(7), 0});
  submit("s-restart", 40s, known({{"r", "1"}}));
  world_.run(12s);
  EXPECT_EQ(world_.launches_of(task(7)).size(), 1u);
  world_.add_nodes(2);
  world_.run(2s);
  EXPECT_EQ(world_.launches_of(task(7)).size(), 2u);
}

TEST_F(ChronosTest, JobsWithoutADeadlineGetNothing) {
  world_.add_nodes(40);
  slow_.insert({task(4), 0});
  for (const char* policy : {"clone", "s-restart", "s-resume"}) {
    const JobId job = submit(policy, 0s, known({{"r", "2"}}));
    world_.run(8s);
    EXPECT_EQ(world_.cluster().find_job(job)->attempts_launched, 10u) << policy;
    EXPECT_EQ(world_.declined(job, 0), Reason::NoDeadline) << policy;
    world_.world().kill(job);
    world_.run(100ms);
  }
}

TEST_F(ChronosTest, AHopelessJobGetsNothingAndSaysSo) {
  world_.add_nodes(40);
  const JobId job = submit("s-restart", 9s, known());
  world_.run(5s);
  EXPECT_EQ(world_.launches().size(), 10u);
  EXPECT_EQ(world_.declined(job, 3), Reason::Hopeless);
  EXPECT_TRUE(world_.notes(job)[0].starts_with("no extra attempts: "));
}

TEST_F(ChronosTest, ACompressedInputHasNoEstimate) {
  world_.add_nodes(4);
  JobSpec spec = test::World::quiet_spec();
  spec.policy = "s-resume";
  spec.deadline = 25s;
  spec.policy_parameters = known({{"r", "1"}});
  spec.inputs = {{"/packed", 1000, "1", Codec::Gzip}};
  const JobId job = world_.world().submit(std::move(spec));
  world_.run(5s);
  EXPECT_EQ(world_.declined(job, 0), Reason::NoEstimate);
  EXPECT_EQ(world_.launches().size(), 1u);
}

TEST_F(ChronosTest, ARestartedMasterSettlesTheRacesItFinds) {
  world_.add_nodes(40);
  slow_.insert({task(4), 0});
  submit("s-restart", 25s, known({{"r", "2"}}));
  world_.run(3500ms);
  ASSERT_EQ(world_.live_attempts(task(4)), 3u);
  world_.restart();
  world_.run(4s);
  EXPECT_EQ(world_.live_attempts(task(4)), 1u);
  EXPECT_EQ(world_.launches_of(task(4)).size(), 3u);
}

}  // namespace
}  // namespace ontime::scheduler
