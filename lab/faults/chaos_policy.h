#pragma once
// A policy without reason: now and then it asks for anything that can be asked for, at random places. What the real
// policies never ask for at the wrong moment, this one does.

#include <cstdint>

#include "scheduler/policies/policy.h"
#include "lab/scenario/random.h"

namespace ontime::lab::faults {

inline constexpr const char* kChaosPolicy = "chaos";

class ChaosPolicy : public scheduler::Policy {
 public:
  // `life` of the master: a new one has new ideas.
  ChaosPolicy(std::uint64_t seed, std::uint32_t life) : random_(seed, Purpose::Faults, 4, life) {}
  scheduler::Plan plan(const scheduler::View& view) override;

 private:
  void plan(scheduler::Plan& plan, const scheduler::JobView& job, std::uint32_t task);
  void speculate(scheduler::Plan& plan, TaskId task, const scheduler::Segment& segment);
  void divide(scheduler::Plan& plan, TaskId task, const scheduler::Segment& segment);
  std::vector<std::uint64_t> borders(ByteRange range);
  bool chance(double share) { return random_.uniform() < share; }

  Random random_;
  int decisions_left_ = 40;  // so that the job ends
};

}  // namespace ontime::lab::faults
