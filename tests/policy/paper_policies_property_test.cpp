// What holds for clone, s-restart, s-resume, sca, sda, ese and split-resume in any history: no more copies than there
// is room for, no decision about a task that is done, the same views give the same plans, and every job ends.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>

#include "scheduler/policies/policy.h"
#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::PacedWorld;

std::optional<TaskId> task_of(const Decision& decision) {
  if (const auto* what = std::get_if<Speculate>(&decision)) return what->task;
  if (const auto* what = std::get_if<Decline>(&decision)) return what->task;
  if (const auto* what = std::get_if<EndAttempt>(&decision)) return what->attempt.task;
  return std::nullopt;
}

// Asks two policies of the same kind and looks at what they say.
class WatchedPaperPolicy final : public Policy {
 public:
  WatchedPaperPolicy(std::string_view name, const StringMap& parameters, std::uint64_t& asked)
      : is_ahead_(name == "ese" || name == "split-resume"),
        asked_(asked),
        one_(make_policy(name, parameters)),
        other_(make_policy(name, parameters)) {}
  JobOrder order() const override { return one_->order(); }
  Plan plan(const View& view) override {
    Plan plan = one_->plan(view);
    EXPECT_EQ(test::in_words(plan), test::in_words(other_->plan(view)));
    std::uint64_t room = view.free_slots() > view.waiting ? view.free_slots() - view.waiting : 0;
    if (is_ahead_) room = std::max<std::uint64_t>(room, view.slots());
    const std::uint64_t copies = copies_of(plan, view);
    EXPECT_LE(copies, room);
    asked_ += copies;
    for (const Decision& decision : plan.decisions) {
      const std::optional<TaskId> task = task_of(decision);
      EXPECT_FALSE(task && view.cluster.find_task(*task)->ledger.is_done());
    }
    return plan;
  }

 private:
  std::uint64_t copies_of(const Plan& plan, const View& view) {
    std::uint64_t copies = 0;
    for (const Decision& decision : plan.decisions) {
      if (const auto* what = std::get_if<Speculate>(&decision)) copies += scheduler::copies_of(*what);
      const auto* clone = std::get_if<CloneTasks>(&decision);
      if (clone == nullptr) continue;
      const auto tasks = view.cluster.find_job(clone->job)->tasks.all();
      const auto fresh = std::ranges::count_if(tasks, [](const Task& t) { return t.attempts.empty(); });
      const std::uint32_t before = std::exchange(granted_[clone->job], clone->copies);
      copies += (clone->copies - std::min(before, clone->copies)) * static_cast<std::uint64_t>(fresh);
    }
    return copies;
  }

  bool is_ahead_;
  std::uint64_t& asked_;
  std::unique_ptr<Policy> one_;
  std::unique_ptr<Policy> other_;
  std::map<JobId, std::uint32_t> granted_;
};

class PaperPolicies : public testing::TestWithParam<const char*> {};

TEST_P(PaperPolicies, KeepToTheirRoomAndToOpenTasksAndDecideTheSameAgain) {
  std::uint64_t asked = 0;
  const bool ok = rc::check([&asked] {
    Settings settings;
    settings.make_policy = [&asked](std::string_view name, const StringMap& parameters) {
      return std::make_unique<WatchedPaperPolicy>(name, parameters, asked);
    };
    PacedWorld world(settings);
    world.set_launch(*rc::gen::inRange(0, 500) * 1ms);
    const auto nodes = *rc::gen::inRange(1, 20);
    world.add_nodes(static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(*rc::gen::inRange(1, 3)));
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
    world.set_rate([seed](AttemptId id) {
      const std::uint64_t mixed = (seed + id.task.index * 7919 + id.number * 104729 + 17) * 2654435761u;
      const double u = static_cast<double>(mixed % 9973) / 9973;
      return u < 0.02 && id.number == 0 ? 0.0 : 500 * (1 - 0.97 * u * u);
    });
    std::vector<JobId> jobs;
    const int count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i) {
      JobSpec spec = test::World::quiet_spec();
      spec.policy = GetParam();
      spec.deadline = *rc::gen::inRange(0, 12) * 1s;
      spec.attempt_timeout = 30s;  // some never go on
      if (*rc::gen::arbitrary<bool>()) spec.policy_parameters = {{"t_min", "2s"}, {"beta", "1.4"}, {"t_avg", "100ms"}};
      const auto tasks = static_cast<std::uint64_t>(*rc::gen::inRange(1, 15));
      jobs.push_back(world.world().submit(tasks * 1000, 1000, std::move(spec)));
      world.run(*rc::gen::inRange(0, 2000) * 1ms);
      if (*rc::gen::inRange(0, 6) == 0) world.restart();
    }
    for (const JobId job : jobs) RC_ASSERT(world.run_job(job, 2000s));
  });
  EXPECT_TRUE(ok);
  EXPECT_GT(asked, 0u) << "these histories had nothing to decide";
}

INSTANTIATE_TEST_SUITE_P(Each, PaperPolicies,
                         testing::Values("clone", "s-restart", "s-resume", "sca", "sda", "ese", "split-resume"));

}  // namespace
}  // namespace ontime::scheduler
