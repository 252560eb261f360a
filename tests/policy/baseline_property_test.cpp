// What holds for all of them whatever happens: they are watched in random clusters while they plan.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "scheduler/policies/open_segments.h"
#include "tests/policy/baseline_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::BaselineWorld;

std::string shown(const Decision& decision) {
  std::ostringstream text;
  text << decision.index() << ' ';
  if (const auto* speculate = std::get_if<Speculate>(&decision)) {
    text << to_string(speculate->task) << ' ' << speculate->segment << ' ' << copies_of(*speculate) << ' '
         << speculate->completion << ' ' << static_cast<int>(speculate->reason);
  }
  if (const auto* clone = std::get_if<CloneTasks>(&decision)) text << to_string(clone->job) << ' ' << clone->copies;
  if (const auto* end = std::get_if<EndAttempt>(&decision)) text << to_string(end->attempt);
  if (const auto* no = std::get_if<Decline>(&decision)) text << to_string(no->task) << static_cast<int>(no->reason);
  if (const auto* note = std::get_if<Note>(&decision)) text << to_string(note->job) << note->text;
  return text.str();
}

std::string shown(const Plan& plan) {
  std::string text;
  for (const Decision& decision : plan.decisions) text += shown(decision) + '\n';
  return text + (plan.next_check ? std::to_string(to_unix_ns(*plan.next_check)) : "never");
}

bool is_done(const View& view, TaskId task) { return view.cluster.find_task(task)->ledger.is_done(); }

std::uint32_t copies_asked(const Plan& plan) {
  std::uint32_t copies = 0;
  for (const Decision& decision : plan.decisions) {
    if (const auto* speculate = std::get_if<Speculate>(&decision)) copies += copies_of(*speculate);
  }
  return copies;
}

// The policy twice over, with its plans looked at.
class Watched final : public Policy {
 public:
  Watched(std::string_view name, const StringMap& parameters)
      : reserves_(parameters.contains("reserve") && parameters.at("reserve") == "yes"),
        policy_(make_policy(name, parameters)),
        twin_(make_policy(name, parameters)) {}

  JobOrder order() const override { return policy_->order(); }
  bool has_shares() const override { return policy_->has_shares(); }
  std::uint32_t share(JobId job) const override { return policy_->share(job); }

  Plan plan(const View& view) override {
    Plan plan = policy_->plan(view);
    RC_ASSERT(shown(twin_->plan(view)) == shown(plan));
    const Plan again = policy_->plan(view);  // it is not due
    twin_->plan(view);
    RC_ASSERT(again.decisions.empty());
    RC_ASSERT(again.next_check == plan.next_check);
    RC_ASSERT(copies_asked(plan) <= (reserves_ ? view.slots() : view.spare_slots()));
    look_at(plan, view);
    return plan;
  }

 private:
  static void look_at(const Plan& plan, const View& view) {
    std::set<TaskId> raced;
    std::set<TaskId> declined;
    for (const Decision& decision : plan.decisions) {
      if (const auto* speculate = std::get_if<Speculate>(&decision)) {
        RC_ASSERT(!is_done(view, speculate->task));
        RC_ASSERT(std::holds_alternative<WholeSegment>(speculate->work));
        RC_ASSERT(raced.insert(speculate->task).second);
      } else if (const auto* end = std::get_if<EndAttempt>(&decision)) {
        RC_ASSERT(view.cluster.find_live(end->attempt) != nullptr);
        RC_ASSERT(!raced.contains(end->attempt.task));
      } else if (const auto* no = std::get_if<Decline>(&decision)) {
        RC_ASSERT(!is_done(view, no->task));
        RC_ASSERT(declined.insert(no->task).second);
      }
    }
    for (const TaskId task : declined) RC_ASSERT(!raced.contains(task));
  }

  bool reserves_;  // its copies may wait for slots within a job's share
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<Policy> twin_;
};

StringMap quick(const std::string& policy) {
  if (policy == "hadoop") return {{"retry_after_no_speculate", "100ms"}, {"retry_after_speculate", "200ms"}};
  if (policy == "late" || policy == "hopper") {
    StringMap parameters{
        {"min_age", "200ms"}, {"check", "100ms"}, {"form", *rc::gen::element<std::string>("paper", "mrv1")}};
    if (policy == "hopper") parameters["reserve"] = *rc::gen::element<std::string>("yes", "no");
    return parameters;
  }
  if (policy == "mantri") {
    return {{"check", "100ms"},
            {"margin", "500ms"},
            {"report", "200ms"},
            {"form", *rc::gen::element<std::string>("full", "p1", "p3")}};
  }
  if (policy == "grass") return {{"check", "100ms"}, {"ahead", "no"}};
  if (policy == "spark") return {{"quantile", "0.5"}, {"multiplier", "1.2"}};
  if (policy == "flink") return {{"check_interval", "100ms"}, {"ratio", "0.4"}, {"lower_bound", "500ms"}};
  return {{"budget", "1"}, {"utilisation", "1"}, {"p", *rc::gen::element<std::string>("0.05", "0.3")}};
}

// Reproducible, and some ten times slower than others: between 10 and 100 % per second.
double rate_of(AttemptId id, std::uint32_t seed) {
  std::uint64_t mixed = seed + id.task.index * 7919u + id.number * 104'729u + id.task.job.value * 1'299'709u;
  mixed = (mixed ^ (mixed >> 13)) * 0x9E3779B97F4A7C15u;
  return mixed % 5 == 0 ? 10 : 40 + static_cast<double>(mixed >> 32) / 4294967296.0 * 60;
}

void disturb(BaselineWorld& world, std::uint32_t step) {
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      world.world().register_node("late-" + std::to_string(step), 2);
      break;
    case 1:
      for (const auto& [id, node] : world.cluster().nodes()) {
        if (node.live.empty() || node.state != NodeState::Live) continue;
        world.world().fail(*node.live.begin());
        return;
      }
      break;
    default:
      break;
  }
}

bool all_ended(const BaselineWorld& world) {
  return std::none_of(world.cluster().jobs().begin(), world.cluster().jobs().end(),
                      [](const auto& job) { return job.second.state == JobState::Running; });
}

TEST(Baselines, PlanWithinTheBudgetAboutUnfinishedTasksAndAlwaysAlike) {
  for (const std::string policy : {"hadoop", "late", "mantri", "dolly", "hopper", "grass", "spark", "flink"}) {
    EXPECT_TRUE(rc::check(policy, [&] {
      Settings settings;
      settings.make_policy = [](std::string_view name, const StringMap& parameters) -> std::unique_ptr<Policy> {
        return std::make_unique<Watched>(name, parameters);
      };
      BaselineWorld world(*rc::gen::inRange(1u, 12u), settings);
      const auto seed = *rc::gen::arbitrary<std::uint32_t>();
      world.set_percent([seed](AttemptId id) { return rate_of(id, seed); });
      const StringMap parameters = quick(policy);
      for (std::uint32_t step = 0; step < 20; ++step) {
        if (step < 4 && *rc::gen::arbitrary<bool>()) {
          world.submit_tasks(*rc::gen::inRange(1u, 12u), policy, parameters, 3s);
        }
        disturb(world, step);
        world.advance(0.3);
      }
      for (int step = 0; step < 400 && !all_ended(world); ++step) world.advance(0.5);
      RC_ASSERT(all_ended(world));
    }));
  }
}

TEST(Baselines, AllAreKnownByNameAndRestart) {
  for (const std::string_view name : {"hadoop", "late", "mantri", "dolly", "hopper", "grass", "spark", "flink"}) {
    ASSERT_NE(find_policy(name), nullptr) << name;
    EXPECT_TRUE(find_policy(name)->restarts);
    EXPECT_NE(make_policy(name, {}), nullptr);
    EXPECT_THROW(make_policy(name, {{"no_such", "1"}}), std::invalid_argument);
  }
}

}  // namespace
}  // namespace ontime::scheduler
