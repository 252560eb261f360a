// Tasks of a job by their state, of which there may be millions.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "master/clients/views.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::master {
namespace {

TEST(TaskViews, TasksAreShownByTheirState) {
  scheduler::test::World world;
  world.register_node("a", 3);
  const JobId job = world.submit(2 * TaskViews::kLookedAt, 1);
  world.seal_all({{job, 0}, 0});
  const AttemptMessages failures;
  const auto shown = [&](const TaskViews::Wanted& wanted) {
    wire::Reply::Job reply;
    TaskViews(world.cluster(), failures).append_to(reply, job, world.job(job), wanted);
    std::vector<std::uint32_t> tasks;
    for (const auto& task : reply.tasks()) tasks.push_back(task.index());
    tasks.push_back(reply.next_task());
    return tasks;
  };
  using Tasks = std::vector<std::uint32_t>;
  EXPECT_EQ(shown({.max = 2, .state = "open"}), (Tasks{1, 2, 3}));
  EXPECT_EQ(shown({.state = "running"}), (Tasks{1, 2, 3, 0})) << "of the others none is looked at";
  EXPECT_EQ(shown({.first = 3, .state = "running"}), (Tasks{3, 0}));
  EXPECT_EQ(shown({.state = "done"}), (Tasks{0, TaskViews::kLookedAt}));
  EXPECT_EQ(shown({.first = TaskViews::kLookedAt, .state = "done"}), (Tasks{0})) << "that was the rest";
}

}  // namespace
}  // namespace ontime::master
