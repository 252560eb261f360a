#include "worker/agent/attempts/attempt.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;

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
  message.set_cut_sequence(sequence);
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

// So that a field that runners add needs nothing of the worker.
TEST(Attempt, PassesOnASealAndACutsAnswerWhole) {
  Attempt attempt = make_attempt();
  attempt.add_cut({150, false});
  attempt.on_cut_asked(1);
  const auto as_by_a_later_runner = [](auto* part) {
    const std::string bytes = part->SerializeAsString() + "\xfa\x3f\x03new";  // field 1023
    ASSERT_TRUE(part->ParseFromString(bytes));
  };
  wire::FromRunner answered = answer(1);
  as_by_a_later_runner(answered.mutable_cut());
  wire::FromRunner seal = sealed();
  as_by_a_later_runner(seal.mutable_sealed());
  const auto cut_report = attempt.on_message(answered);
  const auto seal_report = attempt.on_message(seal);
  ASSERT_TRUE(cut_report && *cut_report && seal_report && *seal_report);
  EXPECT_EQ((*cut_report)->cut().SerializeAsString(), answered.cut().SerializeAsString());
  EXPECT_EQ((*seal_report)->sealed().SerializeAsString(), seal.sealed().SerializeAsString());
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
  EXPECT_EQ(attempt.next_cut(), (Cut{150, false}));
  attempt.on_cut_asked(1);
  EXPECT_EQ(attempt.next_cut(), std::nullopt);
  ASSERT_TRUE(attempt.on_message(answer(1)));
  EXPECT_EQ(attempt.next_cut(), (Cut{120, true}));
}

// The cuts that are asked of the runner one after another, each answered at once.
std::vector<Cut> asked_in_order(Attempt& attempt, std::uint64_t sequence) {
  std::vector<Cut> all;
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
  EXPECT_EQ(attempt.next_cut(), (Cut{150, false}));
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
  EXPECT_EQ(asked_in_order(attempt, 1), (std::vector<Cut>{{120, true}, {160, false}}));
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
  EXPECT_EQ(asked_in_order(attempt, 1), (std::vector<Cut>{{200, true}, {130, false}}));
}

TEST(Attempt, CannotFinishWithoutHavingSealedOrReleased) {
  Attempt attempt = make_attempt();
  EXPECT_FALSE(attempt.on_finished());
  attempt.add_cut({100, true});
  attempt.on_cut_asked(1);
  ASSERT_TRUE(attempt.on_message(answer(1, true)));
  EXPECT_TRUE(attempt.on_finished());
}

wire::AttemptProgress positions(std::uint64_t offset, std::uint64_t records, std::uint64_t output_bytes) {
  wire::AttemptProgress positions;
  positions.set_offset(offset);
  positions.set_records(records);
  positions.set_output_bytes(output_bytes);
  return positions;
}

TEST(Attempt, NeverGoesBackwards) {
  Attempt attempt = make_attempt();
  EXPECT_EQ(attempt.progress().offset(), 100u);
  EXPECT_TRUE(attempt.observe(positions(150, 5, 60)));
  EXPECT_TRUE(attempt.observe(positions(120, 4, 50)));
  EXPECT_EQ(attempt.progress().offset(), 150u);
  EXPECT_EQ(attempt.progress().records(), 5u);
  EXPECT_EQ(attempt.progress().output_bytes(), 60u);
}

TEST(Attempt, StaysWhereItWasWhenItsRunnerStandsWhereItCannot) {
  Attempt attempt = make_attempt();
  EXPECT_TRUE(attempt.observe(positions(200, 5, 60)));
  EXPECT_FALSE(attempt.observe(positions(201, 6, 70)));
  EXPECT_FALSE(attempt.observe(positions(200, ~std::uint64_t{0}, 70)));
  EXPECT_EQ(attempt.progress().offset(), 200u);
  EXPECT_EQ(attempt.progress().records(), 5u);
}

SegmentMarks marks(std::uint64_t begin = 100) { return {begin, 5s, 2s, 3s, 10, 4}; }

TEST(Attempt, TellsTheTimesOfTheSegmentThatTheMasterKnows) {
  Attempt attempt = make_attempt();
  attempt.observe_segment(marks(), 9s);
  EXPECT_FALSE(attempt.progress().has_segment());  // its start is not reported
  ASSERT_TRUE(attempt.on_message(started()));
  attempt.observe_segment(marks(), 9s);
  ASSERT_TRUE(attempt.progress().has_segment());
  EXPECT_EQ(Duration(attempt.progress().segment().age_ns()), 4s);
  EXPECT_EQ(Duration(attempt.progress().segment().first_ns()), 2s);
  attempt.observe_segment(marks(150), 9s);
  EXPECT_FALSE(attempt.progress().has_segment());  // the seal before it is not reported
  ASSERT_TRUE(attempt.on_message(sealed()));
  attempt.observe_segment(marks(150), 9s);
  EXPECT_TRUE(attempt.progress().has_segment());
}

TEST(Attempt, IgnoresTimesThatCannotBe) {
  Attempt attempt = make_attempt();
  ASSERT_TRUE(attempt.on_message(started()));
  const auto is_told = [&](SegmentMarks told) {
    attempt.observe_segment(told, 9s);
    return attempt.progress().has_segment();
  };
  EXPECT_TRUE(is_told(marks()));
  EXPECT_TRUE(is_told({100, 5s, {}, {}, 0, 0}));
  EXPECT_FALSE(is_told({100, 0s, {}, {}, 0, 0}));   // none has begun
  EXPECT_FALSE(is_told({100, 10s, {}, {}, 0, 0}));  // it begins later
  EXPECT_FALSE(is_told({100, 5s, 2s, 1s, 10, 4}));  // the last bytes before the first
  EXPECT_FALSE(is_told({100, 5s, 2s, 5s, 10, 4}));  // later than now
  EXPECT_FALSE(is_told({100, 5s, -2s, 3s, 10, 4}));
  EXPECT_FALSE(is_told({100, 5s, 2s, 3s, ~std::uint64_t{0}, 4}));
  EXPECT_FALSE(is_told({100, 5s, 2s, 3s, 10, 0}));
  EXPECT_FALSE(is_told({100, Duration::min(), 2s, 3s, 10, 4}));
  wire::FromRunner message = sealed();
  message.mutable_sealed()->mutable_times()->set_first_ns(1);  // of an age of 0
  const auto report = attempt.on_message(message);
  ASSERT_TRUE(report && *report);
  EXPECT_FALSE((*report)->sealed().has_times());
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
