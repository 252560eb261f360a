#include "scheduler/forecast/slots_wanted.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::World;

class SlotsWantedTest : public testing::Test {
 protected:
  static Settings with_any_parameters() {
    Settings settings;
    settings.make_policy = [](std::string_view, const StringMap&) { return make_policy("none", {}); };
    return settings;
  }
  // So many tasks of ten seconds each, give or take, as the user would say it.
  JobId submit(std::uint64_t tasks, Duration deadline) {
    JobSpec spec = World::quiet_spec();
    spec.deadline = deadline;
    spec.policy_parameters = {{"t_min", "10s"}, {"beta", "20"}, {"t_avg", "1s"}};
    return world_.submit(100 * tasks, 100, spec);
  }
  JobId submit_unknown(std::uint64_t tasks, Duration deadline) {
    JobSpec spec = World::quiet_spec();
    spec.deadline = deadline;
    return world_.submit(100 * tasks, 100, spec);
  }
  std::optional<std::uint32_t> wanted(JobId job) {
    const auto needed = needed_slots(*remaining_job(world_.scheduler(), job, world_.now()), rule_);
    return needed ? std::optional(needed->count) : std::nullopt;
  }
  std::uint32_t looked(SlotsWanted& all) {
    all.look(world_.scheduler(), world_.now());
    return all.count();
  }
  // Nodes go on reporting meanwhile.
  void pass(Duration duration) {
    for (; duration > 0s; duration -= 1s) {
      for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
      world_.pass(1s);
    }
  }

  const SlotsRule rule_;
  World world_{with_any_parameters()};
};

TEST_F(SlotsWantedTest, IsWhatGetsTheTasksDoneInTurnsBeforeTheDeadline) {
  const JobId one_turn = submit(12, 15s);
  EXPECT_EQ(wanted(one_turn), 12u) << "without any node";
  world_.kill(one_turn);
  world_.register_node("a");
  EXPECT_EQ(wanted(submit(12, 15s)), 12u) << "with too few slots";
}

TEST_F(SlotsWantedTest, IsLessWithMoreTime) { EXPECT_EQ(wanted(submit(12, 30s)), 6u); }

TEST_F(SlotsWantedTest, IsLessThanThereIs) {
  world_.register_node("a", 5);
  EXPECT_EQ(wanted(submit(5, 100s)), 5u) << "all run: none may be taken away";
  const JobId waiting = submit(12, 100s);
  world_.register_node("b", 4);
  world_.register_node("c", 40);
  EXPECT_EQ(wanted(waiting), 12u);
  SlotsWanted all(rule_);
  EXPECT_EQ(looked(all), 17u) << "what runs of both";
}

TEST_F(SlotsWantedTest, AFreeSlotIsNotWanted) {
  world_.register_node("a", 2);
  const JobId job = submit(12, 45s);
  EXPECT_EQ(wanted(job), 4u);
  world_.register_node("b", 2);
  world_.register_node("c", 1);
  EXPECT_EQ(wanted(job), 5u) << "where they came";
}

TEST_F(SlotsWantedTest, CountsTheSlotsThatComeBeforeInTheQueue) {
  submit(12, 60s);
  EXPECT_EQ(wanted(submit(12, 15s)), 24u);
}

TEST_F(SlotsWantedTest, AHopelessJobWantsOne) {
  world_.register_node("a");
  const JobId job = submit(12, 5s);
  EXPECT_EQ(wanted(job), 1u) << "no number is enough";
  pass(6s);
  EXPECT_EQ(wanted(job), 1u) << "it is too late";
}

TEST_F(SlotsWantedTest, SlotsThatComeLateAreMoreOrNone) {
  world_.register_node("a");
  const JobId job = submit(12, 35s);
  const auto wanted_if_later = [&](double start) {
    const auto rest = remaining_job(world_.scheduler(), job, world_.now());
    return needed_slots(*rest, rule_, {.called = {}, .later = start})->count;
  };
  EXPECT_LE(wanted_if_later(0), 6u) << "two turns or three";
  EXPECT_GE(wanted_if_later(15), 10u) << "one turn is left when they come";
  EXPECT_EQ(wanted_if_later(90), 1u) << "they would be too late";
}

TEST_F(SlotsWantedTest, SlotsThatWereCalledAreNotWantedTwice) {
  const auto rest = remaining_job(world_.scheduler(), submit(12, 35s), world_.now());
  EXPECT_LE(needed_slots(*rest, rule_, {.called = {{.at = 1, .count = 6}}, .later = 20})->count, 6u);
  EXPECT_GE(needed_slots(*rest, rule_, {.called = {{.at = 1, .count = 3}}, .later = 20})->count, 7u);
}

TEST_F(SlotsWantedTest, KnowsFromThoseThatCameHowLateOthersWould) {
  SlotsWanted all(rule_);
  world_.register_node("a");
  looked(all);
  pass(60s);  // then it is sure that nobody comes back
  submit(12, 25s);
  EXPECT_GE(looked(all), 6u);
  pass(90s);
  world_.register_node("b", 12);
  looked(all);
  pass(61s);
  const JobId urgent = submit(400, 25s);
  EXPECT_LE(looked(all), 13u) << "what runs: no more could help";
  SlotsWanted fresh(rule_);
  EXPECT_GE(looked(fresh), 200u) << "who has not seen them come expects them at once";
  world_.kill(urgent);
}

TEST_F(SlotsWantedTest, IsBounded) {
  SlotsRule rule;
  rule.most = 7;
  const auto rest = remaining_job(world_.scheduler(), submit(12, 30s), world_.now());
  EXPECT_EQ(needed_slots(*rest, rule)->count, 6u);
  const auto more = remaining_job(world_.scheduler(), submit(1000, 30s), world_.now());
  EXPECT_LE(needed_slots(*more, rule)->count, 7u);
}

TEST_F(SlotsWantedTest, NothingIsSaidOfWhatIsNotKnown) {
  EXPECT_EQ(wanted(submit_unknown(12, 30s)), std::nullopt);
  SlotsWanted all(rule_);
  EXPECT_EQ(looked(all), 1u) << "a node that shows how long tasks take";
  world_.register_node("a", 5);
  pass(1s);
  EXPECT_EQ(looked(all), 5u) << "what there is";
}

TEST_F(SlotsWantedTest, WithoutADeadlineOneIsEnough) {
  SlotsWanted all(rule_);
  EXPECT_EQ(looked(all), 0u) << "no job";
  EXPECT_EQ(wanted(submit(12, 0s)), 1u);
  EXPECT_EQ(looked(all), 1u);
}

TEST_F(SlotsWantedTest, RisesAtOnceAndFallsWhenLessWasEnoughForTheHold) {
  SlotsWanted all(rule_);
  const JobId small = submit(4, 1000s);
  EXPECT_EQ(looked(all), 1u);
  const JobId urgent = submit(12, 15s);
  pass(1s);
  EXPECT_GE(looked(all), 12u);
  world_.kill(urgent);
  pass(60s);
  EXPECT_GE(looked(all), 12u);
  pass(1s);
  EXPECT_EQ(looked(all), 1u);
  world_.kill(small);
  looked(all);
  pass(61s);
  EXPECT_EQ(looked(all), 0u);
}

TEST(HeldSlots, TellTheMostOfTheHold) {
  HeldSlots held(10s);
  const TimePoint start{};
  EXPECT_EQ(held.update(start, 5), 5u);
  EXPECT_EQ(held.update(start + 1s, 9), 9u);
  EXPECT_EQ(held.update(start + 2s, 3), 9u);
  EXPECT_EQ(held.update(start + 8s, 4), 9u);
  EXPECT_EQ(held.update(start + 11s, 1), 9u);
  EXPECT_EQ(held.update(start + 12s, 1), 4u);
  EXPECT_EQ(held.update(start + 19s, 1), 1u);
}

TEST(AwaitedSlots, TellHowLongOthersTook) {
  AwaitedSlots slots;
  const TimePoint start{};
  slots.update(start, 2, 10);
  EXPECT_EQ(slots.start(), 0s) << "none came yet";
  slots.update(start + 60s, 10, 10);
  EXPECT_EQ(slots.start(), 60s);
  slots.update(start + 100s, 12, 10);
  EXPECT_EQ(slots.start(), 60s) << "nobody wanted those";
  slots.update(start + 200s, 12, 20);
  slots.update(start + 210s, 12, 30);
  slots.update(start + 240s, 16, 30);
  slots.update(start + 250s, 30, 30);
  EXPECT_EQ(slots.start(), 50s) << "60, 40 and 50";
  slots.update(start + 1h + 245s, 30, 30);
  EXPECT_EQ(slots.start(), 50s) << "the last one";
  slots.update(start + 2h, 30, 30);
  EXPECT_EQ(slots.start(), 0s);
}

TEST(AwaitedSlots, ThatComeBackHaveNotStarted) {
  AwaitedSlots slots;
  const TimePoint start{};
  slots.update(start, 2, 20);
  slots.update(start + 50s, 10, 20);
  EXPECT_EQ(slots.start(), 50s);
  slots.update(start + 8min, 8, 20);  // there is no room for more than ten
  slots.update(start + 9min, 10, 20);
  EXPECT_EQ(slots.start(), 50s);
  slots.update(start + 40min, 12, 20);
  EXPECT_EQ(slots.start(), 50s) << "that says nothing of starts";
  slots.update(start + 41min, 20, 20);
  slots.update(start + 42min, 18, 18);
  slots.update(start + 43min, 18, 22);
  slots.update(start + 43min + 70s, 20, 22);
  EXPECT_EQ(slots.start(), 70s) << "the greater of two";
}

TEST(AwaitedSlots, ComeSoLongAfterTheyWereWanted) {
  AwaitedSlots slots;
  const TimePoint start{};
  slots.update(start, 2, 4);
  slots.update(start + 60s, 4, 10);
  slots.update(start + 70s, 4, 12);
  slots.update(start + 80s, 4, 8);
  slots.update(start + 90s, 4, 9);
  const SlotsToCome to_come = slots.to_come(start + 100s, start + 50s);
  ASSERT_EQ(to_come.called.size(), 2u);
  EXPECT_DOUBLE_EQ(to_come.called[0].count, 4);
  EXPECT_DOUBLE_EQ(to_come.called[0].at, 60 + 60 - 50);
  EXPECT_DOUBLE_EQ(to_come.called[1].count, 1);
  EXPECT_DOUBLE_EQ(to_come.called[1].at, 90 + 60 - 50);
  EXPECT_DOUBLE_EQ(to_come.later, 100 + 60 - 50);
}

}  // namespace
}  // namespace ontime::scheduler
