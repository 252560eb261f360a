// What a second costs under overload, whatever the policy: with thousands of tasks that wait for slots it is asked no
// more often than with few, and each time it may look at every task, but not copy or choose something for each. Counted
// by plans and allocations, which are the same on every machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/policies/policy.h"
#include "tests/policy/paced_world.h"

namespace {
std::size_t allocations = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const place = std::malloc(size)) return place;
  throw std::bad_alloc();
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kSlots = 20;
constexpr std::size_t kPlansMost = 20;       // within a second
constexpr std::size_t kAllocationsMost = 3;  // in a plan, for each task

struct Seen {
  std::size_t plans = 0;
  std::size_t allocations = 0;  // in the plan with the most
};

struct Shape {
  const char* name;
  std::uint32_t jobs;
  std::uint32_t tasks;  // of each
};

class Counted final : public Policy {
 public:
  Counted(std::unique_ptr<Policy> policy, Seen& seen) : policy_(std::move(policy)), seen_(seen) {}
  JobOrder order() const override { return policy_->order(); }
  bool plans_at_submission() const override { return policy_->plans_at_submission(); }
  Plan plan(const View& view) override {
    ++seen_.plans;
    const std::size_t before = allocations;
    Plan plan = policy_->plan(view);
    seen_.allocations = std::max(seen_.allocations, allocations - before);
    return plan;
  }

 private:
  const std::unique_ptr<Policy> policy_;
  Seen& seen_;
};

class Overload : public testing::TestWithParam<std::tuple<std::string, Shape>> {};

TEST_P(Overload, IsNotAskedMoreOftenAndLooksAtEachTaskOnce) {
  const auto& [policy, shape] = GetParam();
  Seen seen;
  Settings settings;
  settings.make_policy = [&](std::string_view name, const StringMap& parameters) {
    return std::make_unique<Counted>(make_policy(name, parameters), seen);
  };
  test::PacedWorld paced(settings);
  paced.add_nodes(kSlots);
  JobSpec spec;
  spec.policy = policy;
  spec.checkpoint_interval = default_checkpoint_interval(policy);
  spec.deadline = 30s;  // which a task keeps that has a slot by now, and hardly any other
  for (std::uint32_t i = 0; i < shape.jobs; ++i) paced.submit(shape.tasks, spec);
  paced.run(2s);
  seen = {};
  paced.run(1s);
  EXPECT_LE(seen.plans, kPlansMost);
  EXPECT_LE(seen.allocations, kAllocationsMost * shape.jobs * shape.tasks);
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const PolicyDescription& policy : policies()) names.emplace_back(policy.name);
  return names;
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, Shape>>& of) {
  std::string name = std::get<0>(of.param);
  std::replace(name.begin(), name.end(), '+', 'P');
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name + std::get<1>(of.param).name;
}

INSTANTIATE_TEST_SUITE_P(Registered, Overload,
                         testing::Combine(testing::ValuesIn(names()),
                                          testing::Values(Shape{"ManyJobs", 500, 1}, Shape{"LargeJobs", 10, 1000})),
                         name_of);

}  // namespace
}  // namespace ontime::scheduler
