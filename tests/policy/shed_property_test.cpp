// What holds for shed, shed+ and auto in any history: no more copies than there is room for, no decision about a task
// that is done, at most one Decline per task (of shed and shed+), the same views give the same plans, and every job
// ends.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "scheduler/policies/policy.h"
#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::PacedWorld;

// Asks two policies of the same kind and looks at what they say.
class WatchedShed final : public Policy {
 public:
  WatchedShed(std::string_view name, const StringMap& parameters, std::uint64_t& asked)
      : is_auto_(name == "auto"),
        asked_(asked),
        one_(make_policy(name, parameters)),
        other_(make_policy(name, parameters)) {
    if (const auto lambda = parameters.find("lambda"); lambda != parameters.end()) lambda_ = std::stod(lambda->second);
  }
  JobOrder order() const override { return one_->order(); }
  Plan plan(const View& view) override {
    Plan plan = one_->plan(view);
    EXPECT_EQ(test::in_words(plan), test::in_words(other_->plan(view)));
    check_room(plan, view);
    check_tasks(plan, view);
    return plan;
  }

 private:
  void check_room(const Plan& plan, const View& view) {
    std::uint64_t speculated = 0;
    std::uint64_t ended = 0;
    for (const Decision& decision : plan.decisions) {
      if (const auto* what = std::get_if<Speculate>(&decision)) speculated += copies_of(*what);
      if (const auto* what = std::get_if<CloneTasks>(&decision)) asked_ += what->copies;
      ended += std::holds_alternative<EndAttempt>(decision);
    }
    asked_ += speculated;
    const double allowed = lambda_ * view.slots() + 1e-9;
    const double busy = static_cast<double>(view.slots() - view.free_slots());
    const double room = std::max(0.0, allowed - busy - view.waiting) + static_cast<double>(ended);
    // Of auto's policies split-resume asks ahead for slots that are about to become free.
    EXPECT_LE(static_cast<double>(speculated), is_auto_ ? std::max<double>(room, view.slots()) : room);
  }

  void check_tasks(const Plan& plan, const View& view) const {
    std::set<TaskId> declined;
    for (const Decision& decision : plan.decisions) {
      std::optional<TaskId> task;
      if (const auto* what = std::get_if<Speculate>(&decision)) task = what->task;
      if (const auto* what = std::get_if<EndAttempt>(&decision)) task = what->attempt.task;
      if (const auto* what = std::get_if<Decline>(&decision)) {
        task = what->task;
        const bool is_new = declined.insert(what->task).second;
        EXPECT_TRUE(is_new || is_auto_) << to_string(what->task);
      }
      EXPECT_FALSE(task && view.cluster.find_task(*task)->ledger.is_done());
    }
  }

  bool is_auto_;
  double lambda_ = 1;
  std::uint64_t& asked_;
  std::unique_ptr<Policy> one_;
  std::unique_ptr<Policy> other_;
};

StringMap parameters_of(const std::string& policy) {
  const auto any = [](const std::vector<std::string>& values) { return *rc::gen::elementOf(values); };
  StringMap parameters;
  if (*rc::gen::arbitrary<bool>()) parameters = {{"t_min", "2s"}, {"beta", "1.4"}, {"t_avg", "100ms"}};
  parameters["handover"] = any({"predicted", "ready"});
  if (policy == "auto") return parameters;
  parameters["lambda"] = any({"1", "0.7"});
  parameters["objective"] = any({"sum-log", "sum", "max-min"});
  parameters["release"] = any({"no", "yes"});
  if (policy == "shed+") parameters["kept"] = any({"misses", "redrawn"});
  return parameters;
}

class ShedPolicies : public testing::TestWithParam<const char*> {};

TEST_P(ShedPolicies, KeepToTheirRoomAndToOpenTasksAndDecideTheSameAgain) {
  std::uint64_t asked = 0;
  const bool ok = rc::check([&asked] {
    Settings settings;
    settings.make_policy = [&asked](std::string_view name, const StringMap& parameters) {
      return std::make_unique<WatchedShed>(name, parameters, asked);
    };
    PacedWorld world(settings);
    world.set_launch(*rc::gen::inRange(0, 400) * 1ms);
    world.add_nodes(static_cast<std::uint32_t>(*rc::gen::inRange(1, 14)),
                    static_cast<std::uint32_t>(*rc::gen::inRange(1, 3)));
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
    world.set_rate([seed](AttemptId id) {
      const std::uint64_t mixed = (seed + id.task.index * 7919 + id.number * 104729 + 17) * 2654435761u;
      const double u = static_cast<double>(mixed % 9973) / 9973;
      return u < 0.02 && id.number == 0 ? 0.0 : 500 * (1 - 0.95 * u * u * u);
    });
    const StringMap parameters = parameters_of(GetParam());
    std::vector<JobId> jobs;
    const int count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i) {
      JobSpec spec = test::World::quiet_spec();
      spec.policy = GetParam();
      spec.policy_parameters = parameters;
      spec.deadline = *rc::gen::inRange(0, 12) * 1s;
      spec.attempt_timeout = 10s;  // some never go on
      const auto tasks = static_cast<std::uint64_t>(*rc::gen::inRange(1, 8));
      jobs.push_back(world.world().submit(tasks * 1000, 1000, std::move(spec)));
      world.run(*rc::gen::inRange(0, 2000) * 1ms);
      if (*rc::gen::inRange(0, 6) == 0) world.restart();
    }
    for (const JobId job : jobs) RC_ASSERT(world.run_job(job, 1000s));
  });
  EXPECT_TRUE(ok);
  EXPECT_GT(asked, 0u) << "these histories had nothing to decide";
}

INSTANTIATE_TEST_SUITE_P(Each, ShedPolicies, testing::Values("shed", "shed+", "auto"));

}  // namespace
}  // namespace ontime::scheduler
