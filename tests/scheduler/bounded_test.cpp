// What is remembered stays bounded, however long a cluster lives, and a restart ends with the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/scheduler/ordered_policy.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler::test {
namespace {

using namespace std::chrono_literals;

Settings few_remembered() {
  Settings settings;
  settings.history.jobs = 2;
  settings.history.gone_nodes = 3;
  settings.history.profiles = 4;
  return settings;
}

class BoundedTest : public testing::Test {
 protected:
  // A job of one task from its submission to its end.
  JobId run_job(const std::string& command) {
    JobSpec spec = World::quiet_spec();
    spec.parameters["command"] = command;
    const JobId job = world_.submit(1000, 1000, spec);
    const AttemptId attempt = world_.take_launch();
    world_.start_attempt(attempt);
    world_.pass(1s);
    world_.heartbeat(attempt, 999);
    world_.seal_all(attempt);
    world_.commit(job);
    return job;
  }
  bool has_profile(const std::string& command) {
    JobSpec spec = world_.cluster().jobs().rbegin()->second.spec;
    spec.parameters["command"] = command;
    return world_.cluster().find_profile(spec) != nullptr;
  }
  std::vector<NodeId> nodes() {
    std::vector<NodeId> all;
    for (const auto& [id, node] : world_.cluster().nodes()) all.push_back(id);
    return all;
  }
  void lose_all() { world_.pass(10s); }

  World world_{few_remembered()};
};

TEST_F(BoundedTest, TheLeastRecentlyUpdatedProfileIsForgotten) {
  world_.register_node("a");
  for (const char* command : {"1", "2", "3", "4"}) run_job(command);
  run_job("1");
  run_job("5");
  EXPECT_EQ(world_.cluster().profiles().size(), 4u);
  EXPECT_FALSE(has_profile("2"));
  for (const char* command : {"1", "3", "4", "5"}) EXPECT_TRUE(has_profile(command)) << command;
}

TEST_F(BoundedTest, ARestartForgetsTheSameProfileNext) {
  world_.register_node("a");
  for (const char* command : {"9", "3", "7", "1"}) run_job(command);
  world_.restart();
  world_.register_node("b");
  run_job("5");
  EXPECT_FALSE(has_profile("9"));
  EXPECT_TRUE(has_profile("3"));
}

TEST_F(BoundedTest, ProfilesAreBoundedByTheirBytesToo) {
  world_.register_node("a");
  ProfileTable table;
  math::DurationSample sample;
  sample.add_finished(1);
  const auto key = [long_name = std::string(30'000, 'x')](int i) { return std::to_string(i) + long_name; };
  for (int i = 0; i < 600; ++i) table.update(key(i), sample, TimePoint(i * 1s));
  while (const auto oldest = table.surplus(1000)) table.forget(*oldest);
  EXPECT_LE(table.bytes(), ProfileTable::kBytesMax);
  EXPECT_LT(table.size(), 300u);
  EXPECT_NE(table.find(key(599)), nullptr);
  run_job(std::string(kProfileKeyBytesMax, 'y'));
  EXPECT_EQ(world_.cluster().profiles().size(), 0u);
}

TEST_F(BoundedTest, AWorkerThatIsStartedAgainAndAgainLeavesFewGoneNodes) {
  for (int i = 0; i < 50; ++i) {
    world_.register_node("w" + std::to_string(i));
    lose_all();
  }
  EXPECT_EQ(nodes(), (std::vector<NodeId>{{48}, {49}, {50}}));
  EXPECT_EQ(world_.cluster().find_node(NodeId{1}), nullptr);
  EXPECT_EQ(world_.cluster().find_node("w0"), nullptr);
  EXPECT_EQ(world_.register_node("new"), NodeId{51});
}

TEST_F(BoundedTest, ANodeThatARememberedJobRanOnIsRememberedWithIt) {
  const NodeId old = world_.register_node("old");
  const JobId job = run_job("x");
  lose_all();
  for (int i = 0; i < 20; ++i) {
    world_.register_node("w" + std::to_string(i));
    lose_all();
  }
  ASSERT_NE(world_.cluster().find_node(old), nullptr);
  world_.restart();
  ASSERT_NE(world_.cluster().find_node(old), nullptr);
  EXPECT_EQ(world_.attempt({{job, 0}, 0}).node, old);

  world_.register_node("other");
  for (int i = 0; i < 3; ++i) run_job("y");  // two jobs are remembered: not the first
  lose_all();
  EXPECT_EQ(world_.cluster().find_node(old), nullptr);
}

TEST_F(BoundedTest, AForgottenWorkerThatComesBackIsANewNode) {
  const NodeId first = world_.register_node("again");
  lose_all();
  for (int i = 0; i < 10; ++i) {
    world_.register_node("w" + std::to_string(i));
    lose_all();
  }
  ASSERT_EQ(world_.cluster().find_node(first), nullptr);
  world_.send(event::Heartbeat{first, {}});       // of its old connection
  world_.send(event::NodeLeaving{first, false});  // likewise
  const NodeId second = world_.register_node("again");
  EXPECT_GT(second, first);
  run_job("x");
}

class BoundedDecisionsTest : public OrderedPolicyTest {};

TEST_F(BoundedDecisionsTest, ThoseBeyondTheFirstAreCountedAndNotRecorded) {
  world_.register_node("a");
  const JobId job = world_.submit(1000, 1000);
  const auto recorded = [&] {
    return std::count_if(world_.records().begin(), world_.records().end(), [](const JournalRecord& record) {
      return std::holds_alternative<fact::PolicyDecided>(record.fact);
    });
  };
  for (std::size_t i = 0; i < kDecisionsKept + 7; ++i) prepare(Note{job, "again"});
  world_.heartbeat(world_.take_launch(), 1);
  world_.pass(2s);
  EXPECT_EQ(recorded(), static_cast<std::ptrdiff_t>(kDecisionsKept));
  EXPECT_EQ(world_.job(job).decisions.size(), kDecisionsKept);
  EXPECT_EQ(world_.job(job).decisions_dropped, 7u);
}

}  // namespace
}  // namespace ontime::scheduler::test
