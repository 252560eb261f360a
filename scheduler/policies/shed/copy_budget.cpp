#include "scheduler/policies/shed/copy_budget.h"

#include <algorithm>

namespace ontime::scheduler {
namespace {

math::Objective objective_of(const std::string& name) {
  if (name == "sum") return math::Objective::SumPocd;
  return name == "max-min" ? math::Objective::MaxMin : math::Objective::SumLog;
}

}  // namespace

Sharing sharing(Parameters& parameters) {
  Sharing sharing;
  sharing.lambda = parameters.number("lambda", sharing.lambda, 0.01, 1);
  sharing.max = parameters.count("max", sharing.max, 1, 1000);
  sharing.reserve_am = parameters.flag("reserve_am", sharing.reserve_am);
  sharing.objective = objective_of(parameters.choice("objective", "sum-log", {"sum-log", "sum", "max-min"}));
  return sharing;
}

CopyBudget copy_budget(const View& view, const Sharing& sharing, std::uint32_t ended) {
  const std::uint32_t busy = view.slots() - view.free_slots();
  const std::uint64_t wanted = std::uint64_t{busy - std::min(busy, ended)} + view.waiting;
  const std::uint64_t reserved = sharing.reserve_am ? view.jobs.size() : 0;
  const std::int64_t free = std::int64_t{view.slots()} - static_cast<std::int64_t>(wanted);
  const std::int64_t kappa = math::copies_available(sharing.lambda, view.slots(), wanted, reserved);
  return {std::max<std::int64_t>(0, kappa),
          free <= std::max<std::int64_t>(0, kappa) ? Reason::NoFreeSlot : Reason::CapReached};
}

OtherNodes::OtherNodes(const View& view, const std::vector<AttemptId>& ended) {
  while (count_ < 2) {
    const auto node = view.resources.choose({nodes_, nodes_ + count_});
    if (!node) break;
    nodes_[count_++] = *node;
  }
  for (const AttemptId id : ended) {
    const NodeId node = view.cluster.find_attempt(id)->node;
    if (!view.resources.is_usable(node) || view.resources.is_held(node)) continue;
    ++slots_freed_;
    if (count_ < 2 && (count_ == 0 || nodes_[0] != node)) nodes_[count_++] = node;
  }
}

}  // namespace ontime::scheduler
