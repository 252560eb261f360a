// split-resume on a real scheduler: what it cuts, divides, keeps and leaves alone.
#include "scheduler/policies/split_resume/split_resume.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "tests/policy/split_resume_world.h"

namespace ontime::scheduler {
namespace {

using namespace test;

TEST(SplitResume, LeavesWhatIsOnScheduleAlone) {
  OneTask one(split_resume_spec(240s));
  auto& [world, job, original] = one;
  EXPECT_TRUE(run(world, {original}, 100'000, 60).empty());
  EXPECT_TRUE(launched(world).empty());
}

TEST(SplitResume, DividesTheRestOfAStragglerAndLeavesItWhatItCanDoInTime) {
  OneTask one(split_resume_spec(240s, {{"replace", "no"}}));
  auto& [world, job, original] = one;
  const auto cuts = run(world, {original}, 40'000, 30);  // would take 300 s
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_TRUE(cuts[0].release);
  EXPECT_GT(cuts[0].at, 40'000u * 180);  // its own pace to the deadline, less a margin
  EXPECT_LT(cuts[0].at, 40'000u * 240);
  const std::vector<AttemptId> fresh = launched(world);
  ASSERT_GE(fresh.size(), 2u);
  EXPECT_EQ(world.attempt(fresh.front()).held.begin, cuts[0].at);
  EXPECT_EQ(world.attempt(fresh.back()).held.end, kSplit);
  EXPECT_EQ(world.attempt(original).held.end, cuts[0].at);
  const DecisionNote& decision = world.job(job).decisions.back().decision;
  EXPECT_EQ(decision.reason, "late");
  EXPECT_NEAR(decision.completion, 300, 5);
  EXPECT_LT(decision.pocd_before, 0.1);
  EXPECT_GT(decision.pocd_after, 0.9);
}

TEST(SplitResume, WhatIsFarSlowerThanUsualKeepsNothing) {
  OneTask one(split_resume_spec(240s));
  auto& [world, job, original] = one;
  const auto cuts = run(world, {original}, 20'000, 30);  // 600 s; the median is 190 s
  ASSERT_FALSE(cuts.empty());
  EXPECT_LT(cuts[0].at, 20'000u * 16);  // where it is when fresh attempts are ready
}

TEST(SplitResume, NoticesThatAnAttemptHasSlowedDown) {
  OneTask one(split_resume_spec(240s));
  auto& [world, job, original] = one;
  EXPECT_TRUE(run(world, {original}, 100'000, 60).empty());
  const auto cuts = run(world, {original}, 10'000, 26);  // by its mean speed it would still be in time
  ASSERT_FALSE(cuts.empty());
  EXPECT_FALSE(launched(world).empty());
}

TEST(SplitResume, LatePiecesOvertakeTasksThatWaitForTheirFirstLaunch) {
  World world;
  world.register_node("a", 2);
  world.submit(2 * kSplit, kSplit, split_resume_spec(240s, {{"ahead", "2"}}));
  const std::vector<AttemptId> first = launched(world);
  ASSERT_EQ(first.size(), 2u);
  for (const AttemptId id : first) world.start_attempt(id);
  world.submit(2 * kSplit, kSplit, split_resume_spec(1000s, {{"ahead", "2"}}));
  for (int second = 0; second < 110; ++second) {
    world.heartbeat(first[0], world.attempt(first[0]).offset + 105'000);  // done after 114 s
    run(world, {first[1]}, 45'000, 1);                                    // 267 s
  }
  world.seal_all(first[0]);
  const AttemptId next = world.take_launch();
  EXPECT_EQ(next.task, first[1].task);
}

TEST(SplitResume, DividesALatePieceAgain) {
  OneTask one(split_resume_spec(240s, {{"max", "2"}, {"copies", "1"}}));
  auto& [world, job, original] = one;
  run(world, {original}, 20'000, 30);
  const std::vector<AttemptId> fresh = launched(world);
  ASSERT_EQ(fresh.size(), 2u);
  for (const AttemptId id : fresh) world.start_attempt(id);
  std::vector<action::CutAttempt> cuts;
  for (int second = 0; second < 15; ++second) {
    world.heartbeat(original, world.attempt(original).offset + 20'000);
    world.heartbeat(fresh[0], world.attempt(fresh[0]).offset + 100'000);
    for (const auto& cut : run(world, {fresh[1]}, 5'000, 1)) cuts.push_back(cut);
  }
  ASSERT_FALSE(cuts.empty());
  EXPECT_EQ(cuts[0].attempt, fresh[1]);
  EXPECT_EQ(world.job(job).decisions.back().decision.reason, "piece-late");
}

TEST(SplitResume, NeverAsksForMoreThanTheFreeSlots) {
  World world;
  world.register_node("a", 7);
  const std::vector<AttemptId> originals = start_all(world, 4, split_resume_spec(240s));
  run(world, originals, 10'000, 30);
  EXPECT_EQ(launched(world).size(), 3u);
  EXPECT_TRUE(run(world, originals, 10'000, 20).empty());
}

TEST(SplitResume, SaysWhyItDoesNothing) {
  OneTask one(split_resume_spec(240s, {{"replace", "no"}}), 1);
  auto& [world, job, original] = one;
  run(world, {original}, 20'000, 30);
  ASSERT_TRUE(world.job(job).declined.contains(0));
  EXPECT_EQ(world.job(job).declined.at(0).reason, Reason::NoFreeSlot);
  run(world, {original}, 1, 203);
  EXPECT_EQ(world.job(job).declined.at(0).reason, Reason::Hopeless);
}

TEST(SplitResume, AFreshAttemptTakesTheSlotOfAFarSlowerOneWhereNoneIsFree) {
  OneTask one(split_resume_spec(240s), 1);
  auto& [world, job, original] = one;
  const auto cuts = run(world, {original}, 20'000, 30);  // 600 s; a fresh one takes 360 s in the mean
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_TRUE(cuts[0].release);
  EXPECT_EQ(world.job(job).decisions.back().decision.reason, "slow");
  EXPECT_TRUE(launched(world).empty());                                         // the slot is not free yet
  EXPECT_EQ(world.attempt(original).held.end, world.attempt(original).offset);  // it stops where it stands
  world.seal_all(original);
  const AttemptId fresh = world.take_launch();
  EXPECT_EQ(world.attempt(fresh).held, (ByteRange{world.attempt(original).offset, kSplit}));
}

TEST(SplitResume, ReplacesAFarSlowerAttemptOfAJobWithoutADeadlineInItsSlotWhereNoneIsFree) {
  OneTask one(split_resume_spec(0s), 1);
  auto& [world, job, original] = one;
  const auto cuts = run(world, {original}, 20'000, 30);
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(world.job(job).decisions.back().decision.reason, "slow");
  world.seal_all(original);
  EXPECT_EQ(world.attempt(world.take_launch()).held, (ByteRange{world.attempt(original).held.end, kSplit}));
}

// Six attempts on three nodes of two slots, all of which they take, map at 100,000 bytes a second, and the slow ones at
// a fifth of that. Returns how many are cut.
std::size_t cuts_where_slow(const std::vector<std::size_t>& slow) {
  World world;
  for (const char* name : {"a", "b", "c"}) world.register_node(name, 2);
  std::vector<AttemptId> attempts = start_all(world, 6, split_resume_spec(0s));
  std::ranges::sort(attempts, {}, [&](AttemptId id) { return world.attempt(id).node; });
  std::size_t cuts = 0;
  for (int second = 0; second < 30; ++second) {
    world.pass(1s);
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const bool is_slow = std::ranges::find(slow, i) != slow.end();
      world.heartbeat(attempts[i], world.attempt(attempts[i]).offset + (is_slow ? 20'000 : 100'000));
    }
    cuts += world.take<action::CutAttempt>().size();
  }
  return cuts;
}

TEST(SplitResume, DoesNotReplaceInItsSlotWhatIsSlowByItsNode) {
  EXPECT_EQ(cuts_where_slow({0, 2}), 2u) << "on nodes where others are quick";
  EXPECT_EQ(cuts_where_slow({4, 5}), 0u) << "on one node";
}

// As if the deadline was when all that is left could be done by the job's own slots and those that are free.
TEST(SplitResume, DividesWhatAJobWithoutADeadlineHasLeftAmongTheFreeSlots) {
  World world;
  world.register_node("a", 4);
  const JobId job = world.submit(2 * kSplit, kSplit, split_resume_spec(0s, {{"start", "0.9"}, {"replace", "no"}}));
  ASSERT_FALSE(world.job(job).decisions.empty());
  EXPECT_EQ(world.job(job).decisions.back().decision.reason, "divide-at-start");
  const std::vector<AttemptId> first = launched(world);
  ASSERT_EQ(first.size(), 4u);
  for (const AttemptId id : first) world.start_attempt(id);
  for (int second = 0; second < 70; ++second) {
    run(world, {first[3]}, 70'000, 1);  // 86 s
    for (const AttemptId id : {first[0], first[1], first[2]}) {
      if (!is_live(world.attempt(id).state)) continue;
      world.heartbeat(id, std::min(world.attempt(id).offset + 100'000, world.attempt(id).held.end));
      if (world.attempt(id).offset == world.attempt(id).held.end) world.seal_all(id);
    }
  }
  const std::vector<AttemptId> fresh = launched(world);
  EXPECT_GE(fresh.size(), 2u);
  std::set<std::uint64_t> begins;
  for (const AttemptId id : fresh) begins.insert(world.attempt(id).held.begin);
  EXPECT_EQ(begins.size(), fresh.size());  // no copies
  EXPECT_EQ(world.job(job).decisions.back().decision.reason, "piece-late");
}

TEST(SplitResume, DividesWhatHasMissedItsDeadlineOnlyWhereNoOtherJobRuns) {
  for (const bool is_alone : {true, false}) {
    OneTask one(split_resume_spec(130s, {{"replace", "no"}}), 1);
    auto& [world, job, original] = one;
    run(world, {original}, 60'000, 140);
    world.register_node("b", 9);
    if (!is_alone) world.submit(1, 1, split_resume_spec(1000s, {{"replace", "no"}}));
    launched(world);
    EXPECT_EQ(run(world, {original}, 60'000, 30).empty(), !is_alone);
    EXPECT_EQ(launched(world).size() > 1, is_alone);
  }
}

TEST(SplitResume, LeavesAnAttemptAloneThatAFreshOneWouldHardlyBeSoonerThan) {
  OneTask one(split_resume_spec(0s), 1);
  auto& [world, job, original] = one;
  EXPECT_TRUE(run(world, {original}, 90'000, 60).empty());  // 133 s
}

// It would be in time, and a fresh one that has bad luck could not be helped any more.
TEST(SplitResume, DoesNotReplaceWhatWouldBeInTimeWhenLittleTimeIsLeft) {
  OneTask one(split_resume_spec(290s), 1);
  auto& [world, job, original] = one;
  EXPECT_TRUE(run(world, {original}, 45'000, 60).empty());  // 267 s
}

TEST(SplitResume, ReplacesNothingWhileAJobWaitsThatWouldGetTheSlot) {
  OneTask one(split_resume_spec(2000s), 1);
  auto& [world, job, original] = one;
  world.submit(kSplit, kSplit, split_resume_spec(900s));
  EXPECT_TRUE(run(world, {original}, 20'000, 30).empty());
  world.submit(kSplit, kSplit, split_resume_spec(3000s));
  world.kill(JobId{2});
  EXPECT_EQ(run(world, {original}, 20'000, 30).size(), 1u);
}

TEST(SplitResume, ReplacesWhileAJobWaitsThatComesLaterInTheOrderOfTheMaster) {
  OneTask one(split_resume_spec(2000s), 1, {.job_order = JobOrder::Fifo});
  one.world.submit(kSplit, kSplit, split_resume_spec(900s));
  EXPECT_EQ(run(one.world, {one.original}, 20'000, 30).size(), 1u);
}

// The slot that it gives back would go to a job of another policy, or of the same one with other parameters.
TEST(SplitResume, ReplacesNothingWhileAJobWaitsThatIsPlannedForByOthers) {
  OneTask one(split_resume_spec(0s), 1);
  auto& [world, job, original] = one;
  world.submit(kSplit, kSplit, World::quiet_spec());
  EXPECT_TRUE(run(world, {original}, 20'000, 30).empty());
}

TEST(SplitResume, ReplacesWhileAnEarlierJobOfAnotherOwnerWaits) {
  Settings settings;
  settings.owner_share = 0.5;
  World world(settings);
  world.register_node("a", 4);
  const auto owned_by = [](const std::string& owner) {
    JobSpec spec = split_resume_spec(0s, {{"start", "0"}});
    spec.owner = owner;
    return spec;
  };
  world.submit(4 * kSplit, kSplit, owned_by("x"));  // has its half and waits for more
  world.submit(2 * kSplit, kSplit, owned_by("y"));
  const std::vector<AttemptId> attempts = launched(world);
  ASSERT_EQ(attempts.size(), 4u);
  for (const AttemptId id : attempts) world.start_attempt(id);
  for (int second = 0; second < 30; ++second) {
    for (const AttemptId id : attempts) {
      if (id.task.job == JobId{1}) world.heartbeat(id, world.attempt(id).offset + 100'000);
    }
    run(world, {attempts[2], attempts[3]}, 20'000, 1);
  }
  ASSERT_FALSE(world.job(JobId{2}).decisions.empty());
  EXPECT_EQ(world.job(JobId{2}).decisions.back().decision.reason, "slow");
}

// It loads something: a fresh one would do so again.
TEST(SplitResume, LeavesAnAttemptAloneThatHasMappedNoRecordOfAJobWithoutADeadline) {
  OneTask one(split_resume_spec(0s), 1);
  auto& [world, job, original] = one;
  world.register_node("b", 9);
  EXPECT_TRUE(run(world, {original}, 0, 100).empty());
  EXPECT_TRUE(launched(world).empty());
}

TEST(SplitResume, DoesNotTakeTheTimeToLoadForASlowPace) {
  OneTask one(split_resume_spec(0s), 1);
  auto& [world, job, original] = one;
  EXPECT_TRUE(run(world, {original}, 0, 100).empty());
  EXPECT_TRUE(run(world, {original}, 90'000, 100).empty());
}

// However long one record takes, an attempt gets beyond it.
TEST(SplitResume, EachAttemptThatTakesOverTheSameBytesIsGivenTwiceTheTime) {
  JobSpec patient = split_resume_spec(0s);
  patient.attempt_timeout = kNoTimeout;
  OneTask one(patient, 1);
  auto& [world, job, original] = one;
  std::vector<int> lasted;
  for (AttemptId id = original; lasted.size() < 5;) {
    int second = 5;
    ASSERT_TRUE(run(world, {id}, 20'000, second).empty());
    while (run(world, {id}, 0, 1).empty() && ++second < 1000)
      ;
    ASSERT_LT(second, 1000);
    lasted.push_back(second);
    world.seal_all(id);
    id = world.take_launch();
    world.start_attempt(id);
  }
  for (std::size_t i = 2; i < lasted.size(); ++i) EXPECT_GE(lasted[i] + 15, 2 * lasted[i - 1]) << i;
}

TEST(SplitResume, SavesByReplacingWhatFreshAttemptsAreFasterInTheMean) {
  math::Durations durations;
  durations.t_min = 120;
  durations.beta = 1.5;
  std::mt19937_64 random(7);
  for (const double pace : {100.0, 130.0, 300.0, 2000.0}) {
    double sum = 0;
    constexpr int kDraws = 1'000'000;
    for (int i = 0; i < kDraws; ++i) {
      const double u = 1 - std::generate_canonical<double, 53>(random);
      sum += std::max(0.0, pace - 120 * std::pow(u, -1 / 1.5));
    }
    EXPECT_NEAR(saved_by_replacing(2, pace, durations), 2 * sum / kDraws, 0.005 * pace) << pace;
  }
  EXPECT_FALSE(pays_to_replace(1, 140, 0, durations));  // a twelfth of the time left is saved in the mean
  EXPECT_TRUE(pays_to_replace(1, 300, 0, durations));
}

TEST(SplitResume, AnIdleRunnerOfTheJobTakesOverWhatALaunchWouldComeTooLateFor) {
  World world;
  for (const char* node : {"a", "b"}) world.register_node(node);
  world.submit(2 * kSplit, kSplit, split_resume_spec(240s, {{"t_avg", "110s"}, {"replace", "no"}}));
  const std::vector<AttemptId> first = launched(world);
  for (const AttemptId id : first) world.start_attempt(id);
  EXPECT_TRUE(run(world, first, 50'000, 120).empty());
  world.seal_all(first.front());
  const auto cuts = run(world, {first.back()}, 50'000, 10);
  ASSERT_EQ(cuts.size(), 1u);
  const AttemptId fresh = world.take_launch();
  EXPECT_TRUE(world.attempt(fresh).is_warm);
  EXPECT_EQ(world.attempt(fresh).node, world.attempt(first.front()).node);
  EXPECT_EQ(world.attempt(fresh).held, (ByteRange{cuts[0].at, 2 * kSplit}));
}

TEST(SplitResume, WhatStandsStillGivesAllAway) {
  OneTask one(split_resume_spec(240s));
  auto& [world, job, original] = one;
  const auto cuts = run(world, {original}, 0, 30);
  ASSERT_EQ(cuts.size(), 1u);
  EXPECT_EQ(cuts[0].at, 0u);
  EXPECT_FALSE(is_live(world.attempt(original).state));
  EXPECT_GE(launched(world).size(), 4u);
}

}  // namespace
}  // namespace ontime::scheduler
