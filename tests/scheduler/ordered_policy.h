#pragma once
// A test in the place of the policy: what it orders is the plan of the next check, one second later, or of the job's
// submission if that comes first.

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler::test {

class OrderedPolicyTest : public testing::Test {
 protected:
  OrderedPolicyTest() : world_(settings()) {}

  template <class What>
  void prepare(const What& decision) {
    orders_.emplace_back(decision);
  }
  template <class What>
  void order(const What& decision) {
    prepare(decision);
    pass(kCheckEvery);
  }
  // Nodes say nothing meanwhile unless the test lets them.
  virtual void pass(Duration duration) { world_.pass(duration); }

  static constexpr Duration kCheckEvery = std::chrono::seconds(1);

 private:
  class Puppet final : public Policy {
   public:
    explicit Puppet(std::vector<Decision>& orders) : orders_(orders) {}
    Plan plan(const View& view) override { return {std::exchange(orders_, {}), view.now + kCheckEvery}; }

   private:
    std::vector<Decision>& orders_;
  };

  Settings settings() {
    Settings settings;
    settings.make_policy = [this](std::string_view, const StringMap&) { return std::make_unique<Puppet>(orders_); };
    return settings;
  }

  std::vector<Decision> orders_;

 protected:
  World world_;
};

}  // namespace ontime::scheduler::test
