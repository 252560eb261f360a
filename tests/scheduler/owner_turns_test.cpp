// Slots where jobs of several owners wait: nobody gets more by submitting more, or with shorter deadlines.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "scheduler/core/waiting_jobs.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

class Owners : public testing::Test {
 protected:
  static Settings with_share(double share) {
    Settings settings;
    settings.owner_share = share;
    return settings;
  }
  static JobSpec of(const std::string& owner, Duration deadline = 0s) {
    JobSpec spec = World::quiet_spec();
    spec.owner = owner;
    spec.deadline = deadline;
    return spec;
  }
  // Attempts that were launched since, by owner.
  static std::map<std::string, int> launched(World& world) {
    std::map<std::string, int> count;
    for (const auto& launch : world.take<action::LaunchAttempt>())
      ++count[world.job(launch.attempt.task.job).spec.owner];
    return count;
  }
};

TEST_F(Owners, ShareFreeSlotsHoweverManyJobsOneOfThemHas) {
  World world;
  for (int i = 0; i < 20; ++i) world.submit(100, 10, of("mallory", 10s));
  world.submit(100, 10, of("alice", 1h));
  world.register_node("a", 8);
  EXPECT_EQ(launched(world), (std::map<std::string, int>{{"alice", 4}, {"mallory", 4}}));
}

TEST_F(Owners, GetWhatBecomesFreeUntilTheyHoldAsMuchAsTheOther) {
  World world;
  world.register_node("a", 4);
  world.submit(100, 10, of("mallory"));
  std::vector<AttemptId> first;
  for (const auto& launch : world.take<action::LaunchAttempt>()) first.push_back(launch.attempt);
  ASSERT_EQ(first.size(), 4u);
  world.submit(100, 10, of("alice"));
  world.seal_all(first[0]);
  world.seal_all(first[1]);
  EXPECT_EQ(launched(world), (std::map<std::string, int>{{"alice", 2}}));
}

TEST_F(Owners, WhoIsAloneMayHaveAllSlots) {
  World world;
  world.submit(100, 10, of("alice"));
  world.register_node("a", 8);
  EXPECT_EQ(launched(world), (std::map<std::string, int>{{"alice", 8}}));
}

TEST_F(Owners, NoneHoldsMoreThanItsShare) {
  World world(with_share(0.5));
  world.submit(100, 10, of("mallory"));
  world.register_node("a", 8);
  EXPECT_EQ(launched(world), (std::map<std::string, int>{{"mallory", 4}}));
  world.submit(100, 10, of("alice"));
  EXPECT_EQ(launched(world), (std::map<std::string, int>{{"alice", 4}}));
}

// What runs on a node that is being taken out counts, and so do its slots: a share of what is left would be none.
TEST_F(Owners, HaveTheSameShareWhileNodesAreDrained) {
  World world(with_share(0.5));
  world.submit(200, 10, of("mallory"));
  const NodeId drained = world.register_node("a", 4);
  EXPECT_EQ(launched(world), (std::map<std::string, int>{{"mallory", 2}}));
  world.send(event::DrainRequested{drained, true});
  world.register_node("b", 4);
  EXPECT_EQ(launched(world), (std::map<std::string, int>{{"mallory", 2}}));
}

TEST_F(Owners, JobsWithoutOneHaveNoBound) {
  World world(with_share(0.5));
  world.submit(100, 10, of(""));
  world.register_node("a", 8);
  EXPECT_EQ(launched(world), (std::map<std::string, int>{{"", 8}}));
}

TEST_F(Owners, AShareIsRoundedDownButForTheErrorOfBinaryFractions) {
  EXPECT_EQ(share_of(100, 0.29), 29u);
  EXPECT_EQ(share_of(10'000, 0.29), 2'900u);
  EXPECT_EQ(share_of(7, 0.5), 3u);
}

TEST_F(Owners, EachGetsOnWithOneSlot) {
  World world(with_share(0.1));
  world.submit(100, 50, of("alice"));
  world.register_node("a", 1);
  for (int i = 0; i < 2; ++i) {
    const AttemptId id = world.take_launch();
    world.seal_all(id);
  }
  EXPECT_EQ(world.job(JobId{1}).state, JobState::Committing);
}

TEST_F(Owners, TheJobsOfOneComeInTheOrderOfTheirDeadlines) {
  World world;
  JobSpec spec = of("alice", 1h);
  spec.policy = "auto";
  world.submit(10, 10, spec);
  spec.deadline = 1min;
  const JobId soon = world.submit(10, 10, spec);
  world.register_node("a", 1);
  EXPECT_EQ(world.take_launch().task.job, soon);
}

}  // namespace
}  // namespace ontime::scheduler
