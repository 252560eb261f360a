// Who is to blame for a failure: what fails on one node and goes well on others is the node's, what fails on several
// nodes is the job's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scheduler/ordered_policy.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;
using testing::HasSubstr;

class Failures : public test::OrderedPolicyTest {
 protected:
  // Nodes with one slot each.
  void nodes(const std::vector<std::string>& names) {
    for (const std::string& name : names) world_.register_node(name, 1);
  }
  std::vector<AttemptId> launched() {
    std::vector<AttemptId> attempts;
    for (const auto& launch : world_.take<action::LaunchAttempt>()) attempts.push_back(launch.attempt);
    return attempts;
  }
  std::string node_of(AttemptId id) { return world_.cluster().find_node(world_.attempt(id).node)->name; }
  // Those that run on `name` fail as they are launched; the others go on. How many have failed there.
  int fail_on(const std::string& name, FailureKind kind, int rounds) {
    int failed = 0;
    for (int round = 0; round < rounds; ++round) {
      for (const AttemptId id : launched()) {
        if (node_of(id) != name) continue;
        world_.fail(id, "cannot write " + name, kind);
        ++failed;
      }
    }
    return failed;
  }
  void beat(Duration duration) {
    for (const TimePoint until = world_.now() + duration; world_.now() < until;) {
      world_.pass(1s);
      for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
    }
  }
  void lose(NodeId lost) {
    for (int second = 0; second < 6; ++second) {
      world_.pass(1s);
      for (const auto& [id, node] : world_.cluster().nodes()) {
        if (id != lost && node.state == NodeState::Live) world_.heartbeat(id);
      }
    }
  }
};

TEST_F(Failures, ANodeThatFailsAtOnceDrawsOneAttemptOfASegmentAndNoMore) {
  nodes({"bad", "b", "c"});
  const JobId job = world_.submit(300, 10);
  EXPECT_LE(fail_on("bad", FailureKind::Storage, 100), 3);
  EXPECT_EQ(world_.job(job).state, JobState::Running);
}

TEST_F(Failures, ACopyThatFailsWhileTheOriginalWorksIsNoFailureOfItsSegment) {
  nodes({"a"});
  const JobId job = world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  nodes({"b", "c", "d", "e", "f", "g"});
  for (int i = 0; i < 6; ++i) {
    Speculate race;
    race.task = original.task;
    order(race);
    for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
    for (const AttemptId id : launched()) {
      EXPECT_NE(node_of(id), "a");
      world_.fail(id, "no such directory", FailureKind::Storage);
    }
  }
  EXPECT_EQ(world_.job(job).state, JobState::Running);
  EXPECT_EQ(world_.cluster().find_task(original.task)->ledger.find(0)->failures, 0);
  world_.seal_all(original);
  EXPECT_EQ(world_.job(job).state, JobState::Committing);
}

TEST_F(Failures, ACopyDoesNotGoWhereItsSegmentHasFailed) {
  nodes({"a"});
  world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  nodes({"b"});
  Speculate race;
  race.task = original.task;
  order(race);
  ASSERT_EQ(launched().size(), 1u);
  world_.fail({original.task, 1}, "boom");
  order(race);
  EXPECT_TRUE(launched().empty());
  nodes({"c"});
  order(race);  // what found no node is not kept
  const std::vector<AttemptId> copies = launched();
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(node_of(copies[0]), "c");
}

TEST_F(Failures, AnApplicationThatIsMissingOnOneNodeDoesNotFailTheJob) {
  nodes({"bad", "b", "c"});
  const JobId job = world_.submit(60, 10);
  EXPECT_EQ(fail_on("bad", FailureKind::Missing, 100), 1);
  EXPECT_EQ(world_.job(job).state, JobState::Running);
  world_.pass(5min);
  EXPECT_NE(world_.job(job).state, JobState::Failed);
}

TEST_F(Failures, AnApplicationThatIsMissingEverywhereFailsTheJobWithItsFirstMessage) {
  nodes({"a", "b", "c"});
  const JobId job = world_.submit(60, 10);
  for (const AttemptId id : launched()) world_.fail(id, "no application x on " + node_of(id), FailureKind::Missing);
  EXPECT_EQ(world_.job(job).state, JobState::Failed);
  EXPECT_THAT(world_.job(job).message, HasSubstr("no application x on a"));
  EXPECT_THAT(world_.job(job).message, HasSubstr("3 nodes say so"));
}

TEST_F(Failures, WithOneNodeWhatIsMissingThereFailsTheJobAtOnce) {
  nodes({"a"});
  const JobId job = world_.submit(60, 10);
  world_.fail(world_.take_launch(), "no application x", FailureKind::Missing);
  EXPECT_EQ(world_.job(job).state, JobState::Failed);
}

// The others were never written down: the master before this one died too early.
TEST_F(Failures, AfterARestartTheFirstNodeToRegisterIsNotTakenForTheOnlyOne) {
  world_.restart();
  nodes({"a"});
  const JobId job = world_.submit(60, 10);
  world_.fail(world_.take_launch(), "no application x", FailureKind::Missing);
  ASSERT_EQ(world_.job(job).state, JobState::Running);
  nodes({"b"});
  EXPECT_EQ(node_of(world_.take_launch()), "b");
}

// The master's machine slept: all nodes are lost at one moment, whenever they were heard of.
TEST_F(Failures, AfterALongSleepTheFirstNodeToComeBackIsNotTakenForTheOnlyOne) {
  nodes({"a", "b"});
  const JobId job = world_.submit(60, 60);
  world_.sleep(2min);
  const NodeId back = world_.register_node("a", 1);
  for (const AttemptId id : launched()) {
    if (world_.attempt(id).node == back && is_live(world_.attempt(id).state))
      world_.fail(id, "no application x", FailureKind::Missing);
  }
  EXPECT_EQ(world_.job(job).state, JobState::Running);
}

TEST_F(Failures, AfterARestartTheOnlyNodeThereIsIsBelievedInTheEnd) {
  world_.restart();
  nodes({"a"});
  const JobId job = world_.submit(60, 10);
  for (int second = 0; second < 200 && world_.job(job).state == JobState::Running; ++second) {
    for (const AttemptId id : launched()) world_.fail(id, "no application x", FailureKind::Missing);
    beat(1s);
  }
  EXPECT_EQ(world_.job(job).state, JobState::Failed);
}

TEST_F(Failures, ANodeThatCannotStartProcessesIsNoFailureOfTheSegment) {
  nodes({"bad", "b"});
  const JobId job = world_.submit(20, 10);
  EXPECT_GT(fail_on("bad", FailureKind::Node, 50), 0);
  EXPECT_EQ(world_.job(job).state, JobState::Running);
  EXPECT_EQ(world_.cluster().find_task({job, 0})->ledger.find(0)->failures, 0);
}

TEST_F(Failures, WhereNoNodeCanStartProcessesTheJobFails) {
  nodes({"a"});
  const JobId job = world_.submit(10, 10);
  for (int i = 0; i < 4; ++i) {
    for (const AttemptId id : launched()) world_.fail(id, "cannot fork", FailureKind::Node);
    beat(10s);  // it is held back for a while each time
  }
  EXPECT_EQ(world_.job(job).state, JobState::Failed);
  EXPECT_THAT(world_.job(job).message, HasSubstr("cannot fork"));
}

TEST_F(Failures, TheFirstCauseIsTheJobsMessage) {
  nodes({"a"});
  const JobId job = world_.submit(10, 10);
  for (const char* message : {"the first", "the second", "the third", "the fourth"}) {
    world_.fail(world_.take_launch(), message);
  }
  EXPECT_THAT(world_.job(job).message, HasSubstr("failed 4 times; the first time on a: the first"));
}

TEST_F(Failures, ACutInheritsThem) {
  nodes({"a"});
  const JobId job = world_.submit(100, 100);
  for (std::uint64_t i = 1; i <= 4; ++i) {
    const AttemptId id = world_.take_launch();
    world_.start_attempt(id);
    world_.answer_cut(id, 20 * i);
    world_.seal(id, {20 * (i - 1), 20 * i});
    world_.fail(id, "boom");
  }
  EXPECT_EQ(world_.job(job).state, JobState::Failed);
}

// A worker that always seals other bytes than it was given would otherwise be launched indefinitely.
TEST_F(Failures, SealingWhatIsNotHeldIsOne) {
  nodes({"a"});
  const JobId job = world_.submit(100, 100);
  for (std::uint64_t i = 1; i <= 4; ++i) {
    const AttemptId id = world_.take_launch();
    world_.start_attempt(id);
    world_.seal(id, {1, 100});
    ASSERT_EQ(world_.take<action::KillAttempt>().size(), 1u);
  }
  EXPECT_EQ(world_.job(job).state, JobState::Failed);
  EXPECT_THAT(world_.job(job).message, HasSubstr("it sealed what it does not hold"));
}

TEST_F(Failures, ANodeThatFailsWhatWorksElsewhereIsHeldBackForAllJobsUntilItsTimeIsOver) {
  nodes({"bad", "b"});
  world_.submit(40, 10);
  const std::vector<AttemptId> first = launched();
  ASSERT_EQ(first.size(), 2u);
  const AttemptId on_bad = node_of(first[0]) == "bad" ? first[0] : first[1];
  const NodeId bad = world_.attempt(on_bad).node;
  world_.seal_all(on_bad == first[0] ? first[1] : first[0]);
  world_.fail(on_bad, "cannot write /out: read-only", FailureKind::Storage);
  const Hold* hold = world_.scheduler().resources().hold_of(bad);
  ASSERT_NE(hold, nullptr);
  EXPECT_EQ(hold->cause, HoldCause::Failing);
  EXPECT_THAT(hold->reason, HasSubstr("cannot write /out: read-only"));
  world_.submit(40, 10);
  for (const AttemptId id : launched()) EXPECT_EQ(node_of(id), "b");
  beat(1s);
  EXPECT_EQ(world_.scheduler().resources().hold_of(bad), nullptr);
}

// It goes on elsewhere and seals a piece at each checkpoint; it failed on the first node only once.
TEST_F(Failures, OneFailureIsOneProofAgainstItsNodeInHoweverManyPiecesTheRestIsSealed) {
  nodes({"a", "b"});
  world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  const NodeId bad = world_.attempt(original).node;
  world_.fail(original, "boom");
  const AttemptId next = world_.take_launch();
  ASSERT_NE(world_.attempt(next).node, bad);
  world_.start_attempt(next);
  for (std::uint64_t at = 20; at <= 80; at += 20) {
    world_.answer_cut(next, at);
    world_.seal(next, {at - 20, at});
  }
  EXPECT_EQ(world_.scheduler().resources().hold_of(bad), nullptr);
}

TEST_F(Failures, AJobThatFailsEverywhereLeavesNoNodeHeldBack) {
  nodes({"a", "b", "c", "d"});
  const JobId job = world_.submit(10, 10);
  for (int i = 0; i < 8 && world_.job(job).state == JobState::Running; ++i) {
    for (const AttemptId id : launched()) world_.fail(id, "cannot fork", FailureKind::Node);
    beat(10s);
  }
  EXPECT_EQ(world_.job(job).state, JobState::Failed);
  for (const auto& [id, node] : world_.cluster().nodes())
    EXPECT_EQ(world_.scheduler().resources().hold_of(id), nullptr);
}

// A container that runs out of memory: its worker dies with the attempt, another one takes its place.
TEST_F(Failures, AJobThatTakesItsWorkersDownFailsAfterFourOfThem) {
  nodes({"healthy"});
  const JobId other = world_.submit(1000, 1000);
  ASSERT_EQ(launched().size(), 1u);
  const JobId deadly = world_.submit(100, 100);
  int lost = 0;
  for (; lost < 12 && world_.job(deadly).state == JobState::Running; ++lost) {
    const NodeId node = world_.register_node("worker-" + std::to_string(lost), 1);
    ASSERT_EQ(launched().size(), 1u);
    lose(node);
  }
  EXPECT_EQ(lost, 4);
  EXPECT_EQ(world_.job(deadly).state, JobState::Failed);
  EXPECT_THAT(world_.job(deadly).message, HasSubstr("took 4 workers down"));
  EXPECT_EQ(world_.job(other).state, JobState::Running);
}

// Its tasks are all as deadly, and take each others' workers down as well.
TEST_F(Failures, AJobAllOfWhoseTasksTakeTheirWorkersDownFails) {
  const JobId deadly = world_.submit(100, 25);
  int lost = 0;
  for (; lost < 40 && world_.job(deadly).state == JobState::Running; lost += 2) {
    const NodeId one = world_.register_node("worker-" + std::to_string(lost), 2);
    const NodeId two = world_.register_node("worker-" + std::to_string(lost + 1), 2);
    lose(one);
    lose(two);
  }
  EXPECT_EQ(world_.job(deadly).state, JobState::Failed);
  EXPECT_LE(lost, 16);
}

TEST_F(Failures, TwoJobsThatTakeTheirWorkersDownBothFail) {
  const JobId one = world_.submit(100, 100);
  const JobId two = world_.submit(100, 100);
  int lost = 0;
  const auto runs = [&](JobId job) { return world_.job(job).state == JobState::Running; };
  for (; lost < 100 && (runs(one) || runs(two)); ++lost) {
    nodes({"spare-" + std::to_string(lost)});
    lose(world_.register_node("worker-" + std::to_string(lost), 1));
    lose(world_.cluster().node_of("spare-" + std::to_string(lost)));
  }
  EXPECT_EQ(world_.job(one).state, JobState::Failed);
  EXPECT_EQ(world_.job(two).state, JobState::Failed);
}

// Nodes that were added without the application, or whose copy of the input is old.
TEST_F(Failures, NodesThatLackWhatOthersHaveDoNotFailTheJobHoweverManyTheyAre) {
  nodes({"good"});
  const JobId job = world_.submit(100, 10);
  world_.seal_all(world_.take_launch());
  nodes({"bad-1", "bad-2", "bad-3", "bad-4", "bad-5", "bad-6"});
  for (int round = 0; round < 10; ++round) {
    for (const AttemptId id : launched()) {
      if (node_of(id) == "good")
        world_.seal_all(id);
      else
        world_.fail(id, "no application x", FailureKind::Missing);
    }
    beat(1s);
  }
  EXPECT_NE(world_.job(job).state, JobState::Failed) << world_.job(job).message;
}

TEST_F(Failures, WhatAllNodesHaveLostFailsTheJobThoughTheyHadIt) {
  nodes({"a", "b"});
  const JobId job = world_.submit(100, 10);
  for (const AttemptId id : launched()) world_.seal_all(id);
  for (int round = 0; round < 10 && world_.job(job).state == JobState::Running; ++round) {
    for (const AttemptId id : launched()) world_.fail(id, "the input has changed", FailureKind::Missing);
    beat(1s);
  }
  EXPECT_EQ(world_.job(job).state, JobState::Failed);
  EXPECT_THAT(world_.job(job).message, HasSubstr("the input has changed"));
}

TEST_F(Failures, NodesThatAreLostForOtherReasonsAreNotTheJobsFault) {
  nodes({"a"});
  const JobId job = world_.submit(100, 100);
  for (int i = 0; i < 8; ++i) {
    const std::vector<AttemptId> attempts = launched();
    ASSERT_EQ(attempts.size(), 1u) << i;
    const NodeId node = world_.attempt(attempts[0]).node;
    for (int idle = 0; idle < 2; ++idle) world_.register_node("idle-" + std::to_string(10 * i + idle), 1);
    // All of them fall silent; one that comes afterwards goes on.
    world_.pass(7s);
    world_.register_node("next-" + std::to_string(i), 1);
    EXPECT_EQ(world_.cluster().find_node(node)->state, NodeState::Lost);
  }
  EXPECT_EQ(world_.job(job).state, JobState::Running);
}

// A network that is slow for a while silences one after the other.
TEST_F(Failures, CopiesThatAreLostOneByOneProveNoMoreThanOne) {
  std::vector<NodeId> all;
  for (int i = 0; i < 5; ++i) all.push_back(world_.register_node("worker-" + std::to_string(i), 1));
  const JobId job = world_.submit(100, 100);
  const AttemptId original = world_.take_launch();
  for (int i = 0; i < 4; ++i) {
    Speculate copy;
    copy.task = original.task;
    order(copy);
    beat(1s);
  }
  ASSERT_EQ(launched().size(), 4u);
  for (const NodeId node : all) lose(node);
  world_.register_node("next", 1);
  EXPECT_EQ(launched().size(), 1u);
  EXPECT_EQ(world_.job(job).state, JobState::Running) << world_.job(job).message;
}

// They were silent before they were given anything, as all were, one a little later than the other.
TEST_F(Failures, NodesThatWereSilentBeforeTheLaunchWereNotTakenDown) {
  for (int i = 0; i < 6; ++i) {
    world_.register_node("worker-" + std::to_string(i), 1);
    world_.pass(500ms);
  }
  const JobId job = world_.submit(100, 100);
  std::size_t attempts = launched().size();
  for (int i = 0; i < 12; ++i) {
    world_.pass(500ms);
    attempts += launched().size();
  }
  EXPECT_GE(attempts, 5u);
  world_.register_node("next", 1);
  EXPECT_EQ(launched().size(), 1u);
  EXPECT_EQ(world_.job(job).state, JobState::Running) << world_.job(job).message;
}

}  // namespace
}  // namespace ontime::scheduler
