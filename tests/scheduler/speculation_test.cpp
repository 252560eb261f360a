// When a standby is ready, the attempt that is farthest by then is cut: the decision is older than the launches.
#include "scheduler/core/speculation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/scheduler/ordered_policy.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// Two attempts race for one segment of 100 bytes.
class ReadyStandby : public test::OrderedPolicyTest {
 protected:
  void SetUp() override {
    world_.register_node("a", 1);
    job_ = world_.submit(100, 100);
    world_.start_attempt(attempt(0));
    world_.register_node("b", 1);
    order(tail(WholeSegment{1}));
    world_.start_attempt(attempt(1));
    world_.register_node("c", 4);
    world_.take_all();
  }
  AttemptId attempt(std::uint32_t number) const { return {{job_, 0}, number}; }
  template <class Work>
  Speculate tail(Work work) const {
    Speculate decision;
    decision.task = {job_, 0};
    decision.work = std::move(work);
    return decision;
  }
  Speculate when_ready() const { return tail(GivenTail{{{50, 1}, {75, 1}}, Handover::Ready}); }
  void reach(std::uint64_t first, std::uint64_t second) {
    world_.heartbeat(attempt(0), first);
    world_.heartbeat(attempt(1), second);
    world_.heartbeat(world_.cluster().node_of("c"));
  }
  std::vector<AttemptId> cut() {
    std::vector<AttemptId> attempts;
    for (const auto& asked : world_.take<action::CutAttempt>()) attempts.push_back(asked.attempt);
    return attempts;
  }
  bool stands_by(std::uint32_t number) const {
    const Attempt* standby = world_.cluster().find_live(attempt(number));
    return standby != nullptr && standby->standby;
  }
  std::vector<ByteRange> segments() const {
    std::vector<ByteRange> ranges;
    for (const Segment& segment : world_.job(job_).tasks[0].ledger.segments()) ranges.push_back(segment.range);
    return ranges;
  }

  JobId job_;
};

TEST_F(ReadyStandby, CutsTheAttemptThatHasOvertakenMeanwhile) {
  reach(40, 10);
  order(when_ready());
  EXPECT_THAT(cut(), IsEmpty());
  reach(45, 60);
  world_.make_ready(attempt(2));
  EXPECT_THAT(cut(), ElementsAre(attempt(1)));
  world_.answer_cut(attempt(1), 65, true);
  EXPECT_THAT(segments(), ElementsAre(ByteRange{0, 65}, ByteRange{65, 75}, ByteRange{75, 100}));
  EXPECT_EQ(world_.attempt(attempt(2)).held, (ByteRange{65, 75}));
  EXPECT_EQ(world_.attempt(attempt(3)).held, (ByteRange{75, 100}));
}

TEST_F(ReadyStandby, CutsForAllAndTheNextOneThatIsReadyCutsNothing) {
  reach(40, 10);
  order(when_ready());
  world_.make_ready(attempt(2));
  EXPECT_THAT(cut(), ElementsAre(attempt(0)));
  world_.make_ready(attempt(3));
  EXPECT_THAT(cut(), IsEmpty());
  EXPECT_TRUE(stands_by(2) && stands_by(3));
}

TEST_F(ReadyStandby, LeavesACutAsItIsThatIsAskedOfTheOneThatIsFarthestNow) {
  reach(10, 20);
  order(tail(GivenTail{{{30, 1}, {60, 1}}, Handover::Predicted}));
  EXPECT_THAT(cut(), ElementsAre(attempt(1)));
  reach(25, 20);
  order(when_ready());
  ASSERT_TRUE(stands_by(2) && stands_by(3)) << "of the one that is farthest now no cut is planned";
  reach(25, 40);
  world_.make_ready(attempt(2));
  EXPECT_THAT(cut(), IsEmpty());
  world_.answer_cut(attempt(1), 45, true);
  EXPECT_THAT(segments(), ElementsAre(ByteRange{0, 45}, ByteRange{45, 60}, ByteRange{60, 100}));
  EXPECT_EQ(world_.attempt(attempt(2)).held, (ByteRange{45, 60})) << "the standbys take over what was promised first";
  EXPECT_EQ(world_.attempt(attempt(3)).held, (ByteRange{60, 100}));
  EXPECT_FALSE(stands_by(2) || stands_by(3));
}

TEST_F(ReadyStandby, BeginsWithAllWhereNobodyWorks) {
  reach(40, 10);
  order(when_ready());
  world_.fail(attempt(0));
  world_.fail(attempt(1));
  world_.make_ready(attempt(2));
  EXPECT_THAT(cut(), IsEmpty());
  EXPECT_FALSE(stands_by(2));
  EXPECT_EQ(world_.attempt(attempt(2)).held, (ByteRange{0, 100}));
}

// With race=no: one attempt works on 100 bytes and no record is ever another one's too.
class WithoutRace : public test::OrderedPolicyTest {
 protected:
  void SetUp() override {
    world_.register_node("a", 1);
    JobSpec spec = test::World::quiet_spec();
    spec.policy_parameters["race"] = "no";
    job_ = world_.submit(100, 100, spec);
    world_.start_attempt(first());
    world_.register_node("b", 4);
    world_.heartbeat(first(), 20);
    world_.take_all();
  }
  AttemptId first() const { return {{job_, 0}, 0}; }
  std::size_t attempts() const { return world_.job(job_).tasks[0].attempts.size(); }
  template <class Work>
  void speculate(Work work) {
    Speculate decision;
    decision.task = {job_, 0};
    decision.work = std::move(work);
    order(decision);
  }
  ByteRange held_by(std::uint32_t attempt) const { return world_.attempt({{job_, 0}, attempt}).held; }

  JobId job_;
};

TEST_F(WithoutRace, NothingThatRunsIsCopiedOrEnded) {
  speculate(WholeSegment{2});
  order(EndAttempt{first(), Reason::Replaced});
  EXPECT_EQ(attempts(), 1u);
  EXPECT_TRUE(is_live(world_.attempt(first()).state));
  prepare(CloneTasks{job_, 2});
  pass(kCheckEvery);
  EXPECT_EQ(attempts(), 1u);
}

TEST_F(WithoutRace, ATailGoesToOneOtherAttempt) {
  speculate(SharedTail{50, 2, Handover::Predicted});
  const auto asked = world_.take<action::CutAttempt>();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(asked[0].release) << "the one that is cut stops there";
  world_.answer_cut(first(), 50, true);
  ASSERT_EQ(attempts(), 2u);
  EXPECT_EQ(held_by(0), (ByteRange{0, 50}));
  EXPECT_EQ(held_by(1), (ByteRange{50, 100}));
}

TEST_F(WithoutRace, PiecesGoToOneAttemptEach) {
  speculate(GivenTail{{{50, 2}, {75, 3}}, Handover::Predicted});
  world_.answer_cut(first(), 50, true);
  ASSERT_EQ(attempts(), 3u);
  EXPECT_EQ(held_by(1), (ByteRange{50, 75}));
  EXPECT_EQ(held_by(2), (ByteRange{75, 100}));
}

TEST_F(WithoutRace, OneThatDoesNotAnswerACutIsWaitedFor) {
  speculate(GivenTail{{{50, 1}}, Handover::Predicted});
  for (int second = 0; second < 120; ++second) {
    world_.heartbeat(first(), 20);
    world_.heartbeat(world_.cluster().node_of("b"));
    pass(1s);
  }
  EXPECT_TRUE(is_live(world_.attempt(first()).state));
  EXPECT_EQ(attempts(), 1u);
}

}  // namespace
}  // namespace ontime::scheduler
