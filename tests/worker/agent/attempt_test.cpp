#include "worker/agent/attempt.h"

#include <gtest/gtest.h>

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
  ASSERT_TRUE(attempt.add_cut({150, false}));
  attempt.on_cut_asked(1);
  ASSERT_TRUE(attempt.on_message(answer(1)));
  EXPECT_TRUE(attempt.on_message(sealed()));
  EXPECT_TRUE(attempt.on_message(sealed()));
  EXPECT_FALSE(attempt.on_message(sealed()));
}

TEST(Attempt, AnswersOnlyTheCutUnderWay) {
  Attempt attempt = make_attempt();
  EXPECT_FALSE(attempt.on_message(answer(1)));
  ASSERT_TRUE(attempt.add_cut({150, false}));
  attempt.on_cut_asked(7);
  EXPECT_FALSE(attempt.on_message(answer(6)));
  EXPECT_TRUE(attempt.on_message(answer(7)));
  EXPECT_FALSE(attempt.on_message(answer(7)));
}

TEST(Attempt, KeepsLaterCutsUntilTheFirstIsAnswered) {
  Attempt attempt = make_attempt();
  ASSERT_TRUE(attempt.add_cut({150, false}));
  ASSERT_TRUE(attempt.add_cut({120, true}));
  EXPECT_EQ(attempt.next_cut(), (CutRequest{150, false}));
  attempt.on_cut_asked(1);
  EXPECT_EQ(attempt.next_cut(), std::nullopt);
  ASSERT_TRUE(attempt.on_message(answer(1)));
  EXPECT_EQ(attempt.next_cut(), (CutRequest{120, true}));
}

TEST(Attempt, BoundsTheCutsThatWait) {
  Attempt attempt = make_attempt();
  for (std::size_t i = 0; i < Attempt::kCutsMax; ++i) ASSERT_TRUE(attempt.add_cut({150, false}));
  EXPECT_FALSE(attempt.add_cut({150, false}));
}

TEST(Attempt, CannotFinishWithoutHavingSealedOrReleased) {
  Attempt attempt = make_attempt();
  EXPECT_FALSE(attempt.on_finished());
  ASSERT_TRUE(attempt.add_cut({100, true}));
  attempt.on_cut_asked(1);
  ASSERT_TRUE(attempt.on_message(answer(1, true)));
  EXPECT_TRUE(attempt.on_finished());
}

TEST(Attempt, NeverGoesBackwards) {
  Attempt attempt = make_attempt();
  EXPECT_EQ(attempt.progress().offset(), 100u);
  attempt.observe(150, 5, 60);
  attempt.observe(120, 4, 50);
  EXPECT_EQ(attempt.progress().offset(), 150u);
  EXPECT_EQ(attempt.progress().records(), 5u);
  EXPECT_EQ(attempt.progress().output_bytes(), 60u);
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
