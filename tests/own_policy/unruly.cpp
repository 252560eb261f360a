// A policy that misbehaves in the way its parameter says, from the second look on.
#include <stdexcept>
#include <thread>

#include "scheduler/policies/own_policy.h"

namespace {
using namespace ontime::scheduler;
using namespace std::chrono_literals;

class Unruly final : public Policy {
 public:
  explicit Unruly(Parameters& parameters)
      : how_(parameters.choice("how", "not",
                               {"not", "throws", "throws-int", "names", "many", "slow", "hangs", "at-once"})) {
    if (how_ == "at-once") throw std::runtime_error("out of temper");
  }

  Plan plan(const View& view) override {
    Plan plan{{}, view.now + 100ms};
    if (++looks_ < 2) return plan;
    if (how_ == "throws") throw std::runtime_error("out of temper");
    if (how_ == "throws-int") throw 7;
    if (how_ == "names") plan.add(EndAttempt{{{ontime::JobId{99}, 0}, 0}});
    if (how_ == "many") plan.decisions.resize(100'001, Decline{{view.jobs.front().id, 0}});
    while (how_ == "hangs") std::this_thread::sleep_for(1h);
    if (how_ == "slow") std::this_thread::sleep_for(5ms);
    return plan;
  }

 private:
  const std::string how_;
  int looks_ = 0;
};

}  // namespace

ONTIME_POLICY(Unruly)
