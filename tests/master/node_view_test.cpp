// What clients are shown of nodes that are held back, by a scheduler that has come to it in simulation.
#include <gmock/gmock.h>

#include <functional>

#include "lab/simulator/simulator.h"
#include "master/clients/views.h"

namespace ontime::master {
namespace {

using testing::HasSubstr;

// One node in ten is five times as slow; `look` sees the scheduler when the job has ended.
void simulate(const std::function<void(JobId, const scheduler::Scheduler&)>& look) {
  lab::Scenario scenario;
  scenario.nodes = {{.count = 9, .slots = 1, .slowness = Distribution::constant(1), .name = "worker"},
                    {.count = 1, .slots = 1, .slowness = Distribution::constant(5), .name = "slow"}};
  scenario.jobs[0].size.tasks = Distribution::constant(300);
  scenario.jobs[0].times.duration = Distribution::uniform(9, 11);
  lab::Observer observer;
  int looks = 0;
  observer.ended = [&](JobId job, const scheduler::Scheduler& scheduler) {
    ++looks;
    look(job, scheduler);
  };
  lab::run(scenario, 1, observer);
  EXPECT_EQ(looks, 1);
}

TEST(NodeView, ANodeThatIsHeldBackSaysWhyAndForHowLong) {
  simulate([](JobId id, const scheduler::Scheduler& scheduler) {
    const TimePoint now = scheduler.cluster().find_job(id)->ended_at;
    int held = 0;
    for (const auto& [node, facts] : scheduler.cluster().nodes()) {
      const wire::NodeSummary summary = summary_of(node, scheduler, now);
      EXPECT_EQ(summary.state(), "live");
      EXPECT_EQ(summary.has_hold(), summary.name() == "slow-1") << summary.name();
      if (!summary.has_hold()) continue;
      ++held;
      EXPECT_EQ(summary.hold().cause(), "slow");
      EXPECT_GT(summary.hold().so_far_ns(), 0);
      EXPECT_GT(summary.hold().left_ns(), 0);
      EXPECT_THAT(summary.hold().reason(), HasSubstr("times as long as is usual"));
    }
    EXPECT_EQ(held, 1);
  });
}

TEST(NodeView, AnExplanationNamesTheNodesThatWereHeldBackMeanwhile) {
  simulate([](JobId id, const scheduler::Scheduler& scheduler) {
    const scheduler::Job& job = *scheduler.cluster().find_job(id);
    wire::Reply::Explained reply;
    append_held_nodes(reply, job, scheduler, job.ended_at);
    ASSERT_GE(reply.held_nodes_size(), 1);
    for (const wire::HeldNode& held : reply.held_nodes()) {
      EXPECT_EQ(held.node_name(), "slow-1");
      EXPECT_EQ(held.cause(), "slow");
      EXPECT_GT(held.since_ns(), 0);
      EXPECT_GT(held.until_ns(), held.since_ns());
    }
  });
}

}  // namespace
}  // namespace ontime::master
