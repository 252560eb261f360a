#pragma once
// How many copies a policy may ask for in one plan.

#include <cstdint>

#include "scheduler/policy/view.h"
#include "scheduler/reason.h"

namespace ontime::scheduler {

struct CopyBudget {
  std::int64_t copies = 0;                 // never negative
  Reason when_spent = Reason::NoFreeSlot;  // what keeps further ones back
};

// kappa = lambda m - (slots in use) - reserved (Shed+ Algorithm 1, line 9; every running task holds one slot when the
// slower attempts of raced tasks are ended), and no more than what is free and not waited for. `ended`: slots that the
// plan itself sets free.
CopyBudget copy_budget(const View& view, double lambda, std::uint32_t reserved, std::uint32_t ended);

}  // namespace ontime::scheduler
