// Standbys: launched early, begun when the master says so; and what an injecting master makes of a launch.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;
using test::SlotsWorld;

class SlotsStandby : public testing::Test {
 protected:
  SlotsStandby() {
    EXPECT_TRUE(world.set_up());
    runner = world.launch_standby(id, 200, 1000);
  }
  wire::Report only_report() {
    const auto all = world.new_reports();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? wire::Report() : all[0];
  }
  std::uint64_t offset() {
    const auto progress = world.progress();
    EXPECT_EQ(progress.size(), 1u);
    return progress.empty() ? 0 : progress[0].offset();
  }

  SlotsWorld world;
  const AttemptId id = world.attempt(0);
  std::unique_ptr<test::FakeRunner> runner;
};

TEST_F(SlotsStandby, IsLaunchedAsOne) {
  EXPECT_TRUE(runner->run().launch().standby());
  EXPECT_EQ(runner->run().launch().range().begin(), 200u);
  EXPECT_EQ(offset(), 200u);
}

TEST_F(SlotsStandby, ReportsThatItIsReadyAndWaits) {
  runner->is_ready();
  world.settle();
  EXPECT_TRUE(only_report().has_ready());
  EXPECT_FALSE(runner->next());
}

TEST_F(SlotsStandby, BeginAfterReadyIsPassedOnAtOnce) {
  runner->is_ready();
  world.settle();
  world.new_reports();
  ASSERT_TRUE(world.begin(id, 600, 900));
  world.settle();
  ASSERT_TRUE(runner->takes_begin());
  EXPECT_EQ(runner->run().launch().range().begin(), 600u);
  EXPECT_EQ(runner->run().launch().range().end(), 900u);
  EXPECT_EQ(runner->block().offset.load(), 600u);
  EXPECT_EQ(offset(), 600u);
  runner->starts();
  world.finish(*runner);
  const auto reports = world.new_reports();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_TRUE(reports[0].has_started());
  EXPECT_EQ(reports[1].sealed().range().begin(), 600u);
  EXPECT_EQ(world.slots.attempt_count(), 0u);
}

TEST_F(SlotsStandby, BeginBeforeReadyIsKept) {
  ASSERT_TRUE(world.begin(id, 600, 900));
  world.settle();
  EXPECT_FALSE(runner->next());
  EXPECT_EQ(offset(), 600u);
  runner->is_ready();
  world.settle();
  EXPECT_TRUE(only_report().has_ready());
  ASSERT_TRUE(runner->takes_begin());
  EXPECT_EQ(runner->run().launch().range().begin(), 600u);
}

TEST_F(SlotsStandby, TheSameBeginTwiceIsOne) {
  runner->is_ready();
  ASSERT_TRUE(world.begin(id, 600, 900));
  world.settle();
  ASSERT_TRUE(world.begin(id, 600, 900));
  world.settle();
  EXPECT_TRUE(runner->takes_begin());
  EXPECT_FALSE(runner->next());
}

TEST_F(SlotsStandby, ABeginThatDoesNotFitEndsTheConnection) {
  EXPECT_FALSE(world.begin(id, 199, 900));
  EXPECT_FALSE(world.begin(id, 600, 1001));
  EXPECT_FALSE(world.begin(id, 600, 600));
  EXPECT_FALSE(world.begin(id, 900, 600));
  ASSERT_TRUE(world.begin(id, 600, 900));
  EXPECT_FALSE(world.begin(id, 600, 901)) << "it is begun already";
  const AttemptId ordinary = world.attempt(1);
  const auto other = world.launch_and_start(ordinary);
  EXPECT_FALSE(world.begin(ordinary, 0, 1000));
}

TEST_F(SlotsStandby, BeginOfAnAttemptThatHasEndedIsNothing) {
  ASSERT_TRUE(world.kill(id));
  EXPECT_TRUE(world.begin(id, 600, 900));
  EXPECT_EQ(world.slots.attempt_count(), 0u);
}

TEST_F(SlotsStandby, AKillEndsItWhileItLaunchesWaitsOrIsBegun) {
  ASSERT_TRUE(world.kill(id));
  world.settle();
  EXPECT_TRUE(runner->was_killed());

  const AttemptId ready = world.attempt(1);
  runner = world.launch_standby(ready);
  runner->is_ready();
  world.settle();
  ASSERT_TRUE(world.kill(ready));
  EXPECT_TRUE(runner->was_killed());

  const AttemptId begun = world.attempt(2);
  runner = world.launch_standby(begun);
  ASSERT_TRUE(world.begin(begun, 0, 10));
  ASSERT_TRUE(world.kill(begun));
  world.settle();
  EXPECT_TRUE(runner->was_killed());
  EXPECT_EQ(world.slots.attempt_count(), 0u);
}

TEST_F(SlotsStandby, CutsBeforeBeginAreIgnored) {
  ASSERT_TRUE(world.cut(id, 500, true));
  runner->is_ready();
  world.settle();
  ASSERT_TRUE(world.cut(id, 500, true));
  ASSERT_TRUE(world.begin(id, 300, 900));
  EXPECT_EQ(runner->block().cut_sequence.load(), 0u);
}

TEST_F(SlotsStandby, ACutBehindAKeptBeginIsAskedOnceItIsBegun) {
  ASSERT_TRUE(world.begin(id, 300, 900));
  ASSERT_TRUE(world.cut(id, 500, true));
  EXPECT_EQ(runner->block().cut_sequence.load(), 0u);
  runner->is_ready();
  world.settle();
  ASSERT_TRUE(runner->takes_begin());
  EXPECT_EQ(runner->run().cut_sequence(), 0u);
  EXPECT_EQ(runner->block().cut_sequence.load(), 1u);
  EXPECT_EQ(runner->block().cut_at.load(), 500u);
}

TEST_F(SlotsStandby, OneThatDiesIsReportedAsAnyAttempt) {
  runner->is_ready();
  world.settle();
  world.new_reports();
  world.end(*runner, SIGSEGV);
  EXPECT_EQ(world.only_end().failure(), wire::CRASHED);
}

TEST_F(SlotsStandby, OneThatSpeaksOutOfTurnIsEnded) {
  runner->starts();
  world.settle();
  EXPECT_EQ(world.only_end().message(),
            "the attempt's process broke the protocol: it started before it was told to begin");

  runner = world.launch_standby(world.attempt(1));
  runner->seals(0, 1000);
  world.settle();
  EXPECT_EQ(world.only_end().failure(), wire::CRASHED);

  runner = world.launch_standby(world.attempt(2));
  runner->is_ready();
  runner->is_ready();
  world.settle();
  EXPECT_EQ(world.new_reports().size(), 2u);

  runner = world.launch_and_start(world.attempt(3));
  runner->is_ready();
  world.settle();
  EXPECT_EQ(world.only_end().failure(), wire::CRASHED);
}

TEST(SlotsInjection, EachLaunchCarriesWhatWasDrawnForIt) {
  SlotsWorld world(3);
  injection::Injection injection;
  injection.pace = 10s;
  injection.straggler = {1, 2};
  injection.nodes = {{"node", 5}};
  ASSERT_TRUE(world.begin_injected_session(injection));
  ASSERT_TRUE(world.set_up());
  ASSERT_TRUE(world.launch(world.attempt(0), 0, 1000));
  const auto original = world.next_runner();
  EXPECT_DOUBLE_EQ(original->run().disturbance().bytes_per_second(), 1000 / 10.0 / 2 / 5);
  ASSERT_TRUE(world.launch({world.attempt(0).task, 1}, 0, 1000));
  const auto second = world.next_runner();
  EXPECT_DOUBLE_EQ(second->run().disturbance().bytes_per_second(), 1000 / 10.0 / 5);
  // Of a part the whole split decides.
  wire::Order order;
  order.mutable_launch()->mutable_attempt()->set_job(1);
  order.mutable_launch()->mutable_attempt()->set_task(1);
  order.mutable_launch()->mutable_attempt()->set_number(1);
  order.mutable_launch()->mutable_range()->set_begin(900);
  order.mutable_launch()->mutable_range()->set_end(1000);
  order.mutable_launch()->mutable_split()->set_end(1000);
  ASSERT_TRUE(world.slots.obey(order));
  EXPECT_DOUBLE_EQ(world.next_runner()->run().disturbance().bytes_per_second(), 1000 / 10.0 / 5);
}

TEST(SlotsInjection, WithoutOneALaunchCarriesNothing) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  ASSERT_TRUE(world.launch(world.attempt(0)));
  EXPECT_FALSE(world.next_runner()->run().has_disturbance());
}

TEST(SlotsInjection, AnInjectionThatMakesNoSenseEndsTheConnection) {
  SlotsWorld world;
  injection::Injection injection;
  injection.pause_probability = 7;
  EXPECT_FALSE(world.begin_injected_session(injection));
}

}  // namespace
}  // namespace ontime::worker
