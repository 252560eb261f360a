// sca, sda and ese on a running scheduler.
#include "scheduler/policies/xu_lau/xu_lau.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "scheduler/policies/policy.h"
#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::PacedWorld;

// Tasks of 1000 bytes that take 10 s each; attempts named slow take eight times as long.
class XuLauTest : public testing::Test {
 protected:
  XuLauTest() {
    world_.set_rate([this](AttemptId id) { return slow_.contains(id) ? 12.5 : 100.0; });
  }

  JobId submit(const std::string& policy, std::uint32_t tasks, StringMap parameters = {}) {
    JobSpec spec = test::World::quiet_spec();
    spec.policy = policy;
    spec.policy_parameters = std::move(parameters);
    return world_.submit(tasks, std::move(spec));
  }
  static StringMap known(StringMap more = {}) {
    more.insert({{"t_min", "10s"}, {"beta", "2"}, {"t_avg", "100ms"}});
    return more;
  }
  static TaskId task(std::uint32_t index) { return {JobId{1}, index}; }

  PacedWorld world_;
  std::set<AttemptId> slow_;
};

TEST_F(XuLauTest, ScaStartsTasksWithTheIntegerOptimumOfP2) {
  world_.add_nodes(100);
  const JobId job = submit("sca", 10, known());
  world_.run(500ms);
  const xu_lau::ClonedJob model{10, 10, 2};
  const auto best = xu_lau::plan_cloning(std::span(&model, 1), {100, 0.01, 8}).copies[0];
  ASSERT_GT(best, 1u);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(world_.live_attempts(task(i)), best);
  EXPECT_TRUE(world_.notes(job)[0].starts_with("c = " + std::to_string(best) + ": best in flow time and cost"));
}

TEST_F(XuLauTest, ScaNeedsNoDurationsForAJobByItself) {
  world_.add_nodes(100);
  submit("sca", 10, known());
  submit("sca", 10, {{"beta", "2"}});
  world_.run(500ms);
  EXPECT_GT(world_.live_attempts({JobId{2}, 0}), 1u);
}

TEST_F(XuLauTest, ScaDoesNotCloneFromTheCutOffOn) {
  world_.add_nodes(100);
  const JobId job = submit("sca", 10, known({{"cutoff", "0.1"}}));
  world_.run(500ms);
  EXPECT_EQ(world_.launches().size(), 10u);
  EXPECT_EQ(world_.notes(job)[0], "c = 1: load 0.1 is not below 0.1");
}

TEST_F(XuLauTest, ScaDoesNotCloneWhenTheTasksFillTheSlots) {
  world_.add_nodes(10);
  const JobId job = submit("sca", 10, known({{"cutoff", "5"}}));
  world_.run(500ms);
  EXPECT_EQ(world_.launches().size(), 10u);
  EXPECT_EQ(world_.notes(job)[0], "c = 1: its tasks fill the 10 free slots");
}

TEST_F(XuLauTest, JobsWithTheFewestTasksLeftAreFirst) {
  world_.add_nodes(2);
  for (const char* policy : {"sca", "sda", "ese"}) {
    const JobId large = submit(policy, 6, known());
    const JobId small = submit(policy, 1, known());
    world_.run(15s);
    EXPECT_EQ(world_.launches_of({small, 0}).size(), 1u) << policy;
    EXPECT_TRUE(world_.launches_of({large, 3}).empty()) << policy;
    world_.world().kill(large);
    world_.world().kill(small);
    world_.run(100ms);
  }
}

TEST_F(XuLauTest, SdaCopiesTheSlowTaskOnceItHasDoneItsShare) {
  world_.add_nodes(20);
  slow_.insert({task(4), 0});
  const JobId job = submit("sda", 10, known());
  world_.run(8s);
  EXPECT_EQ(world_.launches().size(), 10u);
  EXPECT_EQ(world_.declined(JobId{1}, 4), Reason::TooYoung);
  world_.run(1s);  // a tenth of the task took 8 s
  const auto launches = world_.launches_of(task(4));
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[1].range, (ByteRange{4000, 5000}));
  EXPECT_EQ(world_.launches().size(), 11u);
  EXPECT_TRUE(world_.run_job(job, 15s));
  EXPECT_EQ(world_.launches_of(task(4)).size(), 2u);
  EXPECT_TRUE(world_.notes(job)[0].starts_with("straggler: more than 1.71 times the mean of 20.1 s remaining"))
      << world_.notes(job)[0];
}

TEST_F(XuLauTest, SdaGivesAStragglerTwoCopiesWhenTheTailIsHeavy) {
  world_.add_nodes(20);
  world_.set_rate([](AttemptId id) { return id == AttemptId{task(4), 0} ? 0.5 : 100.0; });
  ASSERT_EQ(xu_lau::best_detection_rule(1.3).copies, 3u);
  submit("sda", 10, {{"t_min", "10s"}, {"beta", "1.3"}, {"t_avg", "100ms"}, {"s", "0"}});
  world_.run(3s);
  EXPECT_EQ(world_.launches_of(task(4)).size(), 3u);
}

TEST_F(XuLauTest, SdaWaitsForIdleSlots) {
  world_.add_nodes(4);
  slow_.insert({task(0), 0});
  submit("sda", 6, known({{"s", "0"}}));
  world_.run(8s);
  EXPECT_EQ(world_.launches_of(task(0)).size(), 1u);
  EXPECT_EQ(world_.declined(JobId{1}, 0), Reason::NoFreeSlot);
  world_.run(4s);  // three tasks are done, the last two have begun
  EXPECT_EQ(world_.launches_of(task(0)).size(), 2u);
}

TEST_F(XuLauTest, SdaLearnsDurationsFromTheJobItself) {
  world_.add_nodes(20);
  slow_.insert({task(4), 0});
  const JobId job = submit("sda", 10);
  EXPECT_TRUE(world_.run_job(job, 25s));
  EXPECT_EQ(world_.launches_of(task(4)).size(), 2u);
}

TEST_F(XuLauTest, EseTakesTheLongestFirst) {
  world_.add_nodes(5);
  world_.set_rate([](AttemptId id) { return id.number > 0 ? 100.0 : 24.0 - 4 * id.task.index; });
  submit("ese", 4, known({{"ahead", "no"}}));
  world_.run(3s);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(world_.launches_of(task(i)).size(), i == 3 ? 2u : 1u);
}

TEST_F(XuLauTest, EseCopiesBeforeWhatWaits) {
  world_.add_nodes(4);
  slow_.insert({task(0), 0});
  submit("ese", 12, known());
  world_.run(12s);  // the other three of the first wave are done
  EXPECT_EQ(world_.launches_of(task(0)).size(), 2u);
  EXPECT_TRUE(world_.launches_of(task(7)).empty());
}

TEST_F(XuLauTest, EseKeepsToIdleSlotsWhenToldNotToAskAhead) {
  world_.add_nodes(4);
  slow_.insert({task(0), 0});
  submit("ese", 12, known({{"ahead", "no"}}));
  world_.run(12s);
  EXPECT_EQ(world_.launches_of(task(0)).size(), 1u);
  EXPECT_EQ(world_.declined(JobId{1}, 0), Reason::NoFreeSlot);
}

TEST_F(XuLauTest, EseClonesSmallJobsWhoseTasksAreShort) {
  world_.add_nodes(100);
  submit("ese", 9, known({{"xi", "60s"}}));
  submit("ese", 50, known({{"xi", "60s"}}));
  world_.run(500ms);
  EXPECT_GT(world_.live_attempts({JobId{1}, 0}), 1u);
  EXPECT_EQ(world_.live_attempts({JobId{2}, 0}), 1u);
  submit("ese", 1, known());  // a mean of 20 s is not below xi
  world_.run(500ms);
  EXPECT_EQ(world_.live_attempts({JobId{3}, 0}), 1u);
}

TEST_F(XuLauTest, ACompressedInputHasNoEstimate) {
  world_.add_nodes(4);
  for (const char* policy : {"sda", "ese"}) {
    JobSpec spec = test::World::quiet_spec();
    spec.policy = policy;
    spec.policy_parameters = known();
    spec.inputs = {{"/packed", 1000, "1", Codec::Gzip}};
    const JobId job = world_.world().submit(std::move(spec));
    world_.run(1s);
    EXPECT_EQ(world_.declined(job, 0), Reason::NoEstimate);
  }
  EXPECT_EQ(world_.launches().size(), 2u);
}

TEST_F(XuLauTest, TheLoadIsTasksNotDonePerSlot) {
  world_.add_nodes(20);
  submit("sca", 10, known());
  submit("none", 5);
  const View view{world_.cluster(), world_.world().scheduler().resources(), {}, world_.world().now()};
  EXPECT_DOUBLE_EQ(cluster_load(view), 0.75);
}

TEST(XuLauParameters, WrongOnesAreRefused) {
  EXPECT_THROW(make_policy("sca", {{"r", "0"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("sca", {{"sigma", "2"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("sda", {{"s", "1"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("sda", {{"c", "1"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("ese", {{"ahead", "perhaps"}}), std::invalid_argument);
}

}  // namespace
}  // namespace ontime::scheduler
