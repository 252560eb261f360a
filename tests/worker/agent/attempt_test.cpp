#include "worker/agent/attempt.h"

#include <gtest/gtest.h>

#include <vector>

namespace ontime::worker {
namespace {

constexpr AttemptId kId{{JobId{1}, 2}, 3};

Attempt make_attempt(std::uint64_t begin = 100, std::uint64_t end = 200) {
  wire::Order::Launch launch;
  launch.mutable_range()->set_begin(begin);
  launch.mutable_range()->set_end(end);
  return Attempt(kId, launch);
}

wire::FromRunner started() {
  wire::FromRunner message;
  message.mutable_started();
  return message;
}

wire::FromRunner sealed() {
  wire::FromRunner message;
  message.mutable_sealed()->mutable_range()->set_begin(100);
  message.mutable_sealed()->mutable_range()->set_end(150);
  message.mutable_sealed()->set_input_end(150);
  return message;
}

wire::FromRunner answer(std::uint64_t sequence, bool release = false) {
  wire::FromRunner message;
  message.mutable_cut()->set_sequence(sequence);
  message.mutable_cut()->set_at(150);
  message.mutable_cut()->set_release(release);
  return message;
}

TEST(Attempt, ReportsWhatItsRunnerSaysUnderItsOwnName) {
  Attempt attempt = make_attempt();
  const auto report = attempt.on_message(started());
  ASSERT_TRUE(report && *report);
  EXPECT_TRUE((*report)->has_started());
  EXPECT_EQ((*report)->attempt().number(), 3u);
}

TEST(Attempt, StartsOnce) {
  Attempt attempt = make_attempt();
  EXPECT_TRUE(attempt.on_message(started()));
  EXPECT_FALSE(attempt.on_message(started()));
}

TEST(Attempt, SealsOnceMoreThanItWasCut) {
  Attempt attempt = make_attempt();
  attempt.add_cut({150, false});
  attempt.on_cut_asked(1);
  ASSERT_TRUE(attempt.on_message(answer(1)));
  EXPECT_TRUE(attempt.on_message(sealed()));
  EXPECT_TRUE(attempt.on_message(sealed()));
  EXPECT_FALSE(attempt.on_message(sealed()));
}

TEST(Attempt, AnswersOnlyTheCutUnderWay) {
  Attempt attempt = make_attempt();
  EXPECT_FALSE(attempt.on_message(answer(1)));
  attempt.add_cut({150, false});
  attempt.on_cut_asked(7);
  EXPECT_FALSE(attempt.on_message(answer(6)));
  EXPECT_TRUE(attempt.on_message(answer(7)));
  EXPECT_FALSE(attempt.on_message(answer(7)));
}

TEST(Attempt, KeepsLaterCutsUntilTheFirstIsAnswered) {
  Attempt attempt = make_attempt();
  attempt.add_cut({150, false});
  attempt.add_cut({120, true});
  EXPECT_EQ(attempt.next_cut(), (CutRequest{150, false}));
  attempt.on_cut_asked(1);
  EXPECT_EQ(attempt.next_cut(), std::nullopt);
  ASSERT_TRUE(attempt.on_message(answer(1)));
  EXPECT_EQ(attempt.next_cut(), (CutRequest{120, true}));
}

// The cuts that are asked of the runner one after another, each answered at once.
std::vector<CutRequest> asked_in_order(Attempt& attempt, std::uint64_t sequence) {
  std::vector<CutRequest> all;
  while (const auto cut = attempt.next_cut()) {
    all.push_back(*cut);
    attempt.on_cut_asked(++sequence);
    EXPECT_TRUE(attempt.on_message(answer(sequence)));
  }
  return all;
}

TEST(Attempt, ACutAskedTwiceIsOneCut) {
  Attempt attempt = make_attempt();
  for (int i = 0; i < 100; ++i) attempt.add_cut({150, false});
  attempt.on_cut_asked(1);
  for (int i = 0; i < 100; ++i) attempt.add_cut({150, false});  // answered with the one under way
  ASSERT_TRUE(attempt.on_message(answer(1)));
  EXPECT_EQ(attempt.next_cut(), std::nullopt);
  attempt.add_cut({150, false});  // after the answer it is a new one
  EXPECT_EQ(attempt.next_cut(), (CutRequest{150, false}));
}

TEST(Attempt, OfTheCutsThatWaitTheLowestReleaseAndTheNewestOtherCount) {
  Attempt attempt = make_attempt();
  attempt.add_cut({110, false});
  attempt.on_cut_asked(1);
  attempt.add_cut({180, true});
  attempt.add_cut({150, false});
  attempt.add_cut({120, true});
  attempt.add_cut({200, true});
  attempt.add_cut({160, false});
  ASSERT_TRUE(attempt.on_message(answer(1)));
  EXPECT_EQ(asked_in_order(attempt, 1), (std::vector<CutRequest>{{120, true}, {160, false}}));
}

// What re-registration does: the one that was asked and "you end there", again and again.
TEST(Attempt, RepeatedCutsOfBothKindsNeverPileUp) {
  Attempt attempt = make_attempt();
  attempt.add_cut({100, true});
  attempt.on_cut_asked(1);
  for (int i = 0; i < 100; ++i) {
    attempt.add_cut({100, true});
    attempt.add_cut({200, true});
    attempt.add_cut({130, false});
  }
  ASSERT_TRUE(attempt.on_message(answer(1, true)));
  EXPECT_EQ(asked_in_order(attempt, 1), (std::vector<CutRequest>{{200, true}, {130, false}}));
}

TEST(Attempt, CannotFinishWithoutHavingSealedOrReleased) {
  Attempt attempt = make_attempt();
  EXPECT_FALSE(attempt.on_finished());
  attempt.add_cut({100, true});
  attempt.on_cut_asked(1);
  ASSERT_TRUE(attempt.on_message(answer(1, true)));
  EXPECT_TRUE(attempt.on_finished());
}

TEST(Attempt, NeverGoesBackwards) {
  Attempt attempt = make_attempt();
  EXPECT_EQ(attempt.progress().offset(), 100u);
  EXPECT_TRUE(attempt.observe(150, 5, 60));
  EXPECT_TRUE(attempt.observe(120, 4, 50));
  EXPECT_EQ(attempt.progress().offset(), 150u);
  EXPECT_EQ(attempt.progress().records(), 5u);
  EXPECT_EQ(attempt.progress().output_bytes(), 60u);
}

TEST(Attempt, StaysWhereItWasWhenItsRunnerStandsWhereItCannot) {
  Attempt attempt = make_attempt();
  EXPECT_TRUE(attempt.observe(200, 5, 60));
  EXPECT_FALSE(attempt.observe(201, 6, 70));
  EXPECT_FALSE(attempt.observe(200, ~std::uint64_t{0}, 70));
  EXPECT_EQ(attempt.progress().offset(), 200u);
  EXPECT_EQ(attempt.progress().records(), 5u);
}

// A standby maps a part of what it was launched with.
TEST(Attempt, MaySealAndAnswerWithinWhatItWasGiven) {
  wire::Order::Launch launch;
  launch.mutable_range()->set_end(200);
  launch.set_standby(true);
  Attempt attempt(kId, launch);
  EXPECT_TRUE(attempt.check(sealed()));
  EXPECT_TRUE(attempt.check(answer(1)));
  ASSERT_TRUE(attempt.begin({100, 150}));
  EXPECT_TRUE(attempt.check(sealed()));
  EXPECT_TRUE(attempt.check(answer(1)));
  wire::FromRunner before = sealed();
  before.mutable_sealed()->mutable_range()->set_begin(99);
  EXPECT_FALSE(attempt.check(before));
  wire::FromRunner behind = answer(1);
  behind.mutable_cut()->set_at(151);
  EXPECT_FALSE(attempt.check(behind));
}

TEST(Attempt, ShowsTheHeadOfItsStatus) {
  Attempt attempt = make_attempt();
  wire::FromRunner message;
  message.mutable_status()->set_text(std::string(1000, 'x'));
  const auto report = attempt.on_message(message);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->has_value());
  EXPECT_EQ(attempt.progress().status(), std::string(Attempt::kStatusBytesMax, 'x'));
}

TEST(Attempt, RefusesAMessageWithoutMeaning) { EXPECT_FALSE(make_attempt().on_message({})); }

}  // namespace
}  // namespace ontime::worker
