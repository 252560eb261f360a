// Runners that say what cannot be: the attempt fails with a sentence, the runner ends, and nothing of it reaches the
// master, which would close the connection for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using test::SlotsWorld;
using testing::HasSubstr;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;

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
  EXPECT_TRUE(other->was_killed());
}

}  // namespace
}  // namespace ontime::worker
