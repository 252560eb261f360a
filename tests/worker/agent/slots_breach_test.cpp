// Runners that say what cannot be: the attempt fails with a sentence, the runner ends, and nothing of it reaches the
// master, which would close the connection for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using test::SlotsWorld;
using testing::HasSubstr;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;

struct Breach {
  const char* name;
  std::function<void(wire::FromRunner&)> fill;
  const char* sentence;
};

class SlotsProgressBreach : public testing::Test {
 protected:
  // It was given bytes 100 to 1000.
  SlotsProgressBreach() {
    EXPECT_TRUE(world.set_up());
    EXPECT_TRUE(world.launch(world.attempt(0), 100, 1000));
    runner = world.next_runner();
    runner->starts();
    world.settle();
    world.new_reports();
  }
  void expect_failure(const char* sentence) {
    const auto end = world.only_end();
    EXPECT_EQ(end.failure(), wire::CRASHED);
    EXPECT_THAT(end.message(), HasSubstr("broke the protocol"));
    EXPECT_THAT(end.message(), HasSubstr(sentence));
    EXPECT_TRUE(runner->was_killed());
    EXPECT_TRUE(world.progress().empty());
  }
  SlotsWorld world;
  std::unique_ptr<test::FakeRunner> runner;
};

class SlotsBreach : public SlotsProgressBreach, public testing::WithParamInterface<Breach> {};

TEST_P(SlotsBreach, FailsTheAttempt) {
  ASSERT_TRUE(world.cut(world.attempt(0), 400));
  wire::FromRunner message;
  message.set_cut_sequence(runner->block().cut_sequence.load());
  GetParam().fill(message);
  runner->says(message);
  world.settle();
  expect_failure(GetParam().sentence);
}

wire::SealedOutput& seal(wire::FromRunner& message, std::uint64_t begin, std::uint64_t end, std::uint64_t input_end) {
  message.mutable_sealed()->mutable_range()->set_begin(begin);
  message.mutable_sealed()->mutable_range()->set_end(end);
  message.mutable_sealed()->set_input_end(input_end);
  return *message.mutable_sealed()->mutable_output();
}

const Breach kBreaches[] = {
    {"EmptySeal", [](wire::FromRunner& m) { seal(m, 107, 107, 107); }, "a sealed range is empty"},
    {"SealBackwards", [](wire::FromRunner& m) { seal(m, 900, 800, 800); }, "a sealed range is empty"},
    {"SealWithAnotherEnd", [](wire::FromRunner& m) { seal(m, 100, 900, 901); }, "no possible end"},
    {"SealBeforeItsBegin", [](wire::FromRunner& m) { seal(m, 99, 900, 900); }, "was given bytes 100 to 1000"},
    {"SealBehindItsEnd", [](wire::FromRunner& m) { seal(m, 100, 1001, 1001); }, "was given bytes 100 to 1000"},
    {"SealToAnUnknownEnd", [](wire::FromRunner& m) { seal(m, 100, kUnknownEnd, 1000); },
     "it sealed bytes 100 to the end"},
    {"SealOfTooMuchOutput", [](wire::FromRunner& m) { seal(m, 100, 1000, 1000).set_length(kHuge); }, "out of range"},
    {"SealOfTooMuchContent",
     [](wire::FromRunner& m) { seal(m, 100, 1000, 1000).set_content_length(std::uint64_t{1} << 54); }, "out of range"},
    {"SealOfTooManyRecords", [](wire::FromRunner& m) { seal(m, 100, 1000, 1000).set_records(kHuge); }, "out of range"},
    {"TooManyCounters",
     [](wire::FromRunner& m) {
       wire::SealedOutput& output = seal(m, 100, 1000, 1000);
       for (int i = 0; i < 257; ++i) output.add_counters();
     },
     "too many counters"},
    {"LongCounter",
     [](wire::FromRunner& m) { seal(m, 100, 1000, 1000).add_counters()->set_name(std::string(257, 'x')); },
     "a counter's name is too long"},
    {"CutBeyondAnyFile", [](wire::FromRunner& m) { m.mutable_cut()->set_at(kHuge); }, "a cut is out of range"},
    {"CutBeforeItsBegin", [](wire::FromRunner& m) { m.mutable_cut()->set_at(99); }, "was given bytes 100 to 1000"},
    {"CutBehindItsEnd", [](wire::FromRunner& m) { m.mutable_cut()->set_at(1001); }, "was given bytes 100 to 1000"},
};

INSTANTIATE_TEST_SUITE_P(Messages, SlotsBreach, testing::ValuesIn(kBreaches),
                         [](const auto& param) { return param.param.name; });

TEST_F(SlotsProgressBreach, FailsTheAttemptThatStandsBehindItsEnd) {
  runner->block().offset.store(1001);
  EXPECT_TRUE(world.progress().empty());
  expect_failure("it stands at byte 1001, and was given bytes 100 to 1000");
}

TEST_F(SlotsProgressBreach, FailsTheAttemptThatCountsTooMuch) {
  runner->block().output_bytes.store(kHuge);
  EXPECT_TRUE(world.progress().empty());
  expect_failure("it counts more than any attempt can do");
}

TEST_F(SlotsProgressBreach, HidesNoOtherAttempt) {
  const auto honest = world.launch_and_start(world.attempt(1));
  runner->block().offset.store(kHuge);
  const auto progress = world.progress();
  ASSERT_EQ(progress.size(), 1u);
  EXPECT_EQ(progress[0].attempt().task(), 1u);
  EXPECT_TRUE(honest->is_alive());
}

TEST_F(SlotsProgressBreach, IsFoundInAStreamWithoutAKnownEnd) {
  ASSERT_TRUE(world.launch(world.attempt(1), 0, kUnknownEnd));
  const auto other = world.next_runner();
  other->block().offset.store(kHuge);
  EXPECT_EQ(world.progress().size(), 1u);
  world.settle();
  EXPECT_TRUE(other->was_killed());
}

}  // namespace
}  // namespace ontime::worker
