#include "cli/show/progress_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "cli/show/table.h"

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

ProgressState half_way() {
  ProgressState state;
  state.done_bytes = 256u << 20;
  state.total_bytes = 512u << 20;
  state.tasks_done = 2;
  state.tasks = 5;
  state.bytes_per_second = 64u << 20;
  state.deadline_left = 85s;
  return state;
}

TEST(SteadyEnd, CountsDownWhileTheForecastDoes) {
  const SteadyEnd::Clock::time_point start{};
  SteadyEnd end;
  EXPECT_EQ(end.update(10s, start), 10s);
  EXPECT_EQ(end.update(8s, start + 2s), 8s);
  EXPECT_EQ(end.update(0s, start + 10s), 0s);
}

TEST(SteadyEnd, FollowsAForecastThatJumpsWithinSeconds) {
  const SteadyEnd::Clock::time_point start{};
  SteadyEnd end;
  end.update(10s, start);
  const Duration at_once = end.update(20s, start + 100ms);
  EXPECT_GT(at_once, 9900ms);
  EXPECT_LT(at_once, 10500ms);
  EXPECT_GT(end.update(20s, start + 12s), 19s);
}

// As one does of a job whose attempts stand still: the end is always as far away as it was.
TEST(SteadyEnd, IsNeverNearOfAForecastThatGoesAway) {
  const SteadyEnd::Clock::time_point start{};
  SteadyEnd end;
  for (int i = 0; i < 600; ++i) EXPECT_GE(end.update(2s, start + i * 100ms), 1s);
}

TEST(SteadyProgress, TheTimeLeftIsTheForecastsFromTheFirstOnAndDoesNotJumpWhenItGoes) {
  const RateMeter::Clock::time_point start{};
  SteadyProgress steady;
  ProgressState state;
  state.total_bytes = 100'000'000;
  const auto left_at = [&](std::chrono::milliseconds at, std::optional<Duration> forecast) {
    state.done_bytes = static_cast<std::uint64_t>(at.count()) * 10'000;  // 10 MB/s: done in 10 s
    state.expected_left = forecast;
    return time_left(steady.of(state, start + at)).value_or(0s);
  };
  EXPECT_FALSE(time_left(steady.of(state, start)).has_value());
  EXPECT_EQ(left_at(1000ms, {}), 9s);
  EXPECT_EQ(left_at(2000ms, {}), 8s);
  const Duration when_it_comes = left_at(2100ms, 3500ms);
  EXPECT_EQ(when_it_comes, 3500ms);
  const Duration when_it_goes = left_at(2200ms, {});
  EXPECT_GT(when_it_goes, when_it_comes - 200ms);
  EXPECT_LT(when_it_goes, 4000ms) << "the rate has it at 7.8 s";
}

TEST(ProgressBar, FitsEightyColumnsWithEverythingThatMatters) {
  EXPECT_EQ(progress_bar(half_way(), 80),
            "[====>   ]   50%  256.0/512.0 MiB  64.0 MiB/s  tasks 2/5  ETA 4.0 s  left 1m 25s");
}

TEST(ProgressBar, LeavesOutTheLeastImportantFirst) {
  EXPECT_THAT(progress_bar(half_way(), 60), Not(HasSubstr("MiB/s")));
  EXPECT_THAT(progress_bar(half_way(), 60), HasSubstr("tasks 2/5"));
  EXPECT_EQ(progress_bar(half_way(), 8), " 50%");
  EXPECT_EQ(progress_bar(half_way(), 3), "");
}

TEST(ProgressBar, IsNeverWiderThanTheTerminal) {
  rc::check([] {
    ProgressState state;
    state.total_bytes = *rc::gen::arbitrary<std::uint64_t>();
    state.done_bytes = *rc::gen::arbitrary<std::uint64_t>();
    state.tasks = *rc::gen::arbitrary<std::uint32_t>();
    state.tasks_done = *rc::gen::arbitrary<std::uint32_t>();
    state.bytes_per_second = *rc::gen::map(rc::gen::inRange(0, 1'000'000'000), [](int n) { return n * 1000.0; });
    state.attempts_failed = *rc::gen::inRange(0u, 5u);
    state.note = *rc::gen::arbitrary<std::string>();
    const auto width = *rc::gen::inRange<std::size_t>(0, 300);
    RC_ASSERT(display_width(progress_bar(state, width)) <= width);
  });
}

TEST(ProgressBar, IsFullOnlyWhenEveryTaskIsDone) {
  auto state = half_way();
  state.done_bytes = 2 * state.total_bytes;  // compressed input gives more than it is known to have
  EXPECT_DOUBLE_EQ(fraction_done(state), 0.99);
  EXPECT_FALSE(time_left(state).has_value());
  state.tasks_done = state.tasks;
  EXPECT_DOUBLE_EQ(fraction_done(state), 1);
  EXPECT_THAT(progress_bar(state, 80), HasSubstr("100%"));
}

TEST(ProgressBar, WithNothingKnownShowsNoNonsense) {
  const auto line = progress_bar({}, 80);
  EXPECT_THAT(line, HasSubstr("0%"));
  EXPECT_THAT(line, Not(HasSubstr("ETA")));
  EXPECT_THAT(line, Not(HasSubstr("tasks")));
  EXPECT_EQ(progress_text({}), "  0%");
}

// A forecast that has passed, or passes now.
TEST(ProgressBar, SaysOfNoJobThatRunsThatItHasEnded) {
  auto state = half_way();
  state.pocd = 0;
  for (const Duration left : {Duration(0), Duration(40ms)}) {
    state.expected_left = left;
    EXPECT_THAT(progress_text(state), Not(HasSubstr("ETA")));
  }
  state.expected_left = 50ms;
  EXPECT_THAT(progress_text(state), HasSubstr("ETA 0.1 s"));
}

TEST(ProgressBar, TellsTheTimeLeftAsItIsForecastAndNotByTheRate) {
  auto state = half_way();
  state.expected_left = 90s;  // one task is slow
  EXPECT_THAT(progress_text(state), HasSubstr("ETA 1m 30s"));
}

TEST(ProgressBar, IsRedWhereTheJobWillBeLateAndYellowWhereThatIsLikely) {
  auto state = half_way();
  state.pocd = 0.9;
  state.expected_left = 80s;
  EXPECT_EQ(progress_bar(state, 200, Colours::Yes), progress_bar(state, 200));
  state.pocd = 0.4;
  EXPECT_THAT(progress_bar(state, 200, Colours::Yes), HasSubstr("\033[33mPoCD 0.400\033[0m"));
  state.expected_left = 86s;
  const std::string red = progress_bar(state, 200, Colours::Yes);
  EXPECT_THAT(red, HasSubstr("\033[31mETA 1m 26s\033[0m  \033[31mleft 1m 25s\033[0m  \033[31mPoCD 0.400\033[0m"));
  EXPECT_THAT(progress_bar(state, 200), Not(HasSubstr("\033")));
}

TEST(ProgressBar, TellsThatTheDeadlineHasPassed) {
  auto state = half_way();
  state.deadline_left = -3s;
  EXPECT_THAT(progress_text(state), HasSubstr("late 3.0 s"));
}

TEST(ShortDuration, KeepsTwoFigures) {
  EXPECT_EQ(short_duration(400ms), "0.4 s");
  EXPECT_EQ(short_duration(59s), "59 s");
  EXPECT_EQ(short_duration(200s), "3m 20s");
  EXPECT_EQ(short_duration(2h + 5min), "2h 5m");
}

TEST(RateMeter, MeasuresTheLastSecondsOnly) {
  RateMeter meter;
  const RateMeter::Clock::time_point start{};
  EXPECT_EQ(meter.update(0, start), 0);
  EXPECT_DOUBLE_EQ(meter.update(1000, start + 1s), 1000);
  for (int i = 2; i <= 20; ++i) meter.update(1000, start + i * 1s);
  EXPECT_DOUBLE_EQ(meter.update(1000, start + 21s), 0);
}

TEST(RateMeter, StartsAnewWhenProgressGoesBack) {
  RateMeter meter;
  const RateMeter::Clock::time_point start{};
  meter.update(1000, start);
  EXPECT_EQ(meter.update(100, start + 1s), 0);
  EXPECT_DOUBLE_EQ(meter.update(600, start + 2s), 500);
}

}  // namespace
}  // namespace ontime::cli
