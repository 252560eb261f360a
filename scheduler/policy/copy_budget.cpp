#include "scheduler/policy/copy_budget.h"

#include <algorithm>

#include "scheduler/pocd/allocation.h"

namespace ontime::scheduler {

CopyBudget copy_budget(const View& view, double lambda, std::uint32_t reserved, std::uint32_t ended) {
  const std::int64_t free = std::int64_t{view.free_slots()} + ended - view.waiting;
  const std::uint32_t busy = view.slots() - view.free_slots();
  const std::int64_t kappa = pocd::copies_available(lambda, view.slots(), busy - std::min(busy, ended), reserved);
  CopyBudget budget;
  budget.copies = std::max<std::int64_t>(0, std::min(free, kappa));
  budget.when_spent = free <= kappa ? Reason::NoFreeSlot : Reason::CapReached;
  return budget;
}

}  // namespace ontime::scheduler
