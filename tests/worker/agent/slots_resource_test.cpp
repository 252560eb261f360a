// Descriptors and processes are given back, and stay within their bounds.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>

#include "tests/support/temporary_directory.h"
#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using test::SlotsWorld;

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

// The launcher never says that the runner has ended.
void launch_and_kill(SlotsWorld& world, AttemptId id) {
  ASSERT_TRUE(world.launch(id));
  world.settle();
  ASSERT_TRUE(world.kill(id));
}

TEST(SlotsResources, EveryEndOfAnAttemptGivesItsDescriptorsBack) {
  SlotsWorld world;
  ASSERT_TRUE(world.set_up());
  const auto before = open_descriptors();
  for (std::uint32_t i = 0; i < 20; ++i) {
    const AttemptId id = world.attempt(i);
    auto runner = world.launch_and_start(id);
    if (i % 4 == 0) {
      ASSERT_TRUE(world.kill(id));
    }
    if (i % 4 == 1) runner->fails(wire::THREW, "no");
    if (i % 4 == 2) world.begin_session({id});
    world.end(*runner, SIGSEGV);
    runner.reset();
    ASSERT_TRUE(world.set_up());
    ASSERT_EQ(world.slots.runner_count(), 0u);
    ASSERT_EQ(open_descriptors(), before) << "after attempt " << i;
  }
}

TEST(SlotsResources, TheWholeGivesItsDescriptorsBack) {
  const auto before = open_descriptors();
  {
    SlotsWorld world;
    ASSERT_TRUE(world.set_up());
    const auto busy = world.launch_and_start(world.attempt(0));
    const auto idle = world.launch_and_start(world.attempt(1));
    world.finish(*idle);
    world.slots.stop();
    EXPECT_TRUE(busy->was_killed());
    EXPECT_TRUE(idle->was_killed());
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(SlotsResources, KilledRunnersWhoseEndIsNotSeenAreBounded) {
  SlotsWorld world(1);
  for (std::uint32_t job = 1; job <= 20; ++job) {
    ASSERT_TRUE(world.set_up(job));
    for (std::uint32_t i = 0; i < 20; ++i) launch_and_kill(world, world.attempt(i, job));
  }
  EXPECT_EQ(world.slots.runner_count(), Slots::kDyingFactor + Slots::kDyingExtra);
  EXPECT_EQ(world.new_reports().back().ended().failure(), wire::LAUNCH);
}

TEST(SlotsResources, AJobWhoseRunnersHangLeavesRoomForOthers) {
  SlotsWorld world(1);
  ASSERT_TRUE(world.set_up(1));
  ASSERT_TRUE(world.set_up(2));
  for (std::uint32_t i = 0; i < 100; ++i) launch_and_kill(world, world.attempt(i, 1));
  EXPECT_EQ(world.slots.runner_count(), Slots::kDyingOfJobFactor + Slots::kDyingOfJobExtra);
  EXPECT_EQ(world.new_reports().back().ended().failure(), wire::INPUT);  // the node is not held back for it
  ASSERT_TRUE(world.launch(world.attempt(0, 2)));
  EXPECT_EQ(world.slots.attempt_count(), 1u);
  EXPECT_TRUE(world.new_reports().empty());
}

TEST(SlotsResources, OrdersForManyLaunchesReachASlowLauncherInOrder) {
  SlotsWorld world(Slots::kSlotsMax);
  ASSERT_TRUE(world.set_up());
  constexpr std::uint32_t kLaunches = 300;  // more than the socket holds at once
  std::uint64_t last = 0;
  std::uint32_t taken = 0;
  for (std::uint32_t i = 0; i < kLaunches / 3; ++i) ASSERT_TRUE(world.launch(world.attempt(i)));
  for (bool has_more = true; has_more;) {
    world.settle();
    const auto runner = world.launcher.next_spawn();
    has_more = runner != nullptr;
    if (!has_more) break;
    EXPECT_GT(runner->number(), last);
    last = runner->number();
    ++taken;
  }
  EXPECT_EQ(taken, kLaunches / 3);
}

// How many copies of files that came with jobs lie below a directory.
std::size_t copies_below(const std::string& directory) {
  std::size_t copies = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    copies += entry.is_regular_file() && !entry.is_symlink() && entry.path().filename() != "lock" ? 1 : 0;
  return copies;
}

// Of jobs that bring files.
class SlotsFiles : public testing::Test {
 protected:
  SlotsFiles() { ::setenv("TMPDIR", (directory_ / ".").c_str(), 1); }
  ~SlotsFiles() override { ::unsetenv("TMPDIR"); }

  static void set_up(SlotsWorld& world, std::uint32_t job) {
    wire::Order order;
    order.mutable_setup()->set_job(job);
    order.mutable_setup()->mutable_spec()->set_application("wordcount");
    order.mutable_setup()->set_output("/out/_attempts/claim");
    order.mutable_setup()->set_tasks(10);
    wire::ShippedFile& file = *order.mutable_setup()->mutable_spec()->add_files();
    file.set_name("helper.py");
    file.set_content("of job " + std::to_string(job));
    ASSERT_TRUE(world.slots.obey(order));
  }
  std::size_t copies() const { return copies_below(directory_ / "."); }

  const ontime::test::TemporaryDirectory directory_;
};

TEST_F(SlotsFiles, AreRemovedWithTheirRunner) {
  SlotsWorld world;
  set_up(world, 1);
  set_up(world, 2);
  ASSERT_TRUE(world.launch(world.attempt(0, 1)));
  ASSERT_TRUE(world.launch(world.attempt(0, 2)));
  std::vector<std::unique_ptr<test::FakeRunner>> runners;
  world.poll_until([&] {
    if (auto runner = world.launcher.next_spawn()) runners.push_back(std::move(runner));
    return runners.size() == 2;
  });
  EXPECT_EQ(copies(), 2u);
  world.launcher.reports_spawned(*runners[1]);
  world.settle();
  ASSERT_TRUE(world.kill(world.attempt(0, 2)));
  world.end(*runners[1], SIGKILL);
  world.poll_until([&] { return copies() == 1; });
}

TEST_F(SlotsFiles, AreWaitedForByTheirAttemptAndByNothingElse) {
  std::mutex gate;  // held: the disk does not answer
  std::unique_lock slow(gate);
  SlotsWorld world(2, {}, std::chrono::hours(1), [&] { const std::lock_guard wait(gate); });
  set_up(world, 1);
  ASSERT_TRUE(world.set_up(2));
  ASSERT_TRUE(world.launch(world.attempt(0, 1)));
  const auto other = world.launch_and_start(world.attempt(0, 2));  // the only one that the launcher was asked for
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(world.progress().size(), 2u) << "a heartbeat tells of both";
  world.finish(*other);
  world.new_reports();
  slow.unlock();
  std::unique_ptr<test::FakeRunner> runner;
  world.poll_until([&] { return (runner = world.launcher.next_spawn()) != nullptr; });
  ASSERT_NE(runner, nullptr);
  world.launcher.reports_spawned(*runner);
  EXPECT_TRUE(runner->next()->has_setup());
  EXPECT_TRUE(runner->takes_run());
}

TEST_F(SlotsFiles, OfAnAttemptThatIsKilledMeanwhileStartNothing) {
  std::mutex gate;
  std::unique_lock slow(gate);
  SlotsWorld world(2, {}, std::chrono::hours(1), [&] { const std::lock_guard wait(gate); });
  set_up(world, 1);
  ASSERT_TRUE(world.launch(world.attempt(0, 1)));
  ASSERT_TRUE(world.kill(world.attempt(0, 1)));
  EXPECT_EQ(world.slots.runner_count(), 1u);
  slow.unlock();
  world.poll_until([&] { return world.slots.runner_count() == 0; });
  EXPECT_EQ(world.launcher.next_spawn(), nullptr);
}

TEST_F(SlotsFiles, ThatCannotBeMadeFailTheLaunch) {
  SlotsWorld world;
  ::setenv("TMPDIR", (directory_ / "nowhere").c_str(), 1);
  set_up(world, 1);
  ASSERT_TRUE(world.launch(world.attempt(0, 1)));
  EXPECT_EQ(world.only_end().failure(), wire::LAUNCH);
  EXPECT_EQ(world.slots.runner_count(), 0u);
}

}  // namespace
}  // namespace ontime::worker
