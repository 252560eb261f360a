#pragma once
// What a forecast of a job is made of, as it was when it was collected: the same job can be asked about more than once,
// with other numbers of slots.

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/core/scheduler.h"
#include "scheduler/forecast/forecast.h"
#include "scheduler/forecast/remainder.h"
#include "scheduler/math/fitted_tail.h"

namespace ontime::scheduler {

// When slots come that the cluster does not have yet, in seconds after the job's submission.
struct SlotsToCome {
  std::vector<SlotsOfOthers> called;  // in order; by default at once
  double later = 0;                   // all beyond those
};

struct RemainingJob {
  Remainder remainder;
  math::FittedTail tail = math::FittedTail::pareto(1, 2);
  Forecast counted{};            // what needs no scenarios: counts and durations
  std::uint32_t slots = 0;       // of the cluster, busy or not
  bool stands_for_ever = false;  // an attempt stands still and will not be ended for it
  double soonest = 0;            // that the job can be done, of which nothing else is known

  bool has_deadline() const { return remainder.deadline > 0; }
  bool is_mapped() const { return remainder.held.empty() && remainder.waiting.empty() && counted.unknown == 0; }
  Forecast forecast() const;
  // With so many slots in the cluster instead: those that are added are as fast as usual. Those that are taken away are
  // what is free, and then what becomes free first.
  RemainingJob with_slots(std::uint32_t count, const SlotsToCome& to_come = {}) const;

 private:
  void add_slots(double count, double at);
  bool has_a_slot() const;
};

// Of any job of the scheduler; nothing once it has ended.
std::optional<RemainingJob> remaining_job(const Scheduler& scheduler, JobId job, TimePoint now);

}  // namespace ontime::scheduler
