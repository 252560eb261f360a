#pragma once
// Dividing tasks before their first launch, where even a perfect run of the whole split would be late, or its odds are
// poor and slots are free.

#include <cstdint>
#include <utility>

#include "scheduler/policy/late_piece.h"
#include "scheduler/policy/policy.h"

namespace ontime::scheduler {

struct StartRules {
  // Tasks are divided, while slots are free, until the job's PoCD would reach `pocd` or half of the attempts at a piece
  // would take no more than `share` of the time left: what is late after that is divided then.
  double pocd = 0.9;
  double share = 0.5;
  std::uint32_t max = 32;  // pieces per task
};

// Tasks from this index on have never been launched. O(log tasks): tasks are launched in order.
std::uint32_t first_unlaunched(const Job& job);

// Into how many pieces a task is divided of which a perfect attempt takes `work` seconds, when `tasks` such are to be
// launched and `slots` are free for them. 1: not at all.
std::uint32_t pieces_at_start(double work, double window, const estimate::Durations& durations, std::uint32_t tasks,
                              std::uint32_t slots, const RescueRules& rules, const StartRules& start);

// Adds the divisions for the job's tasks that wait for their first launch, at most as many as there are slots in the
// cluster. Returns by how many attempts more wait now.
std::uint32_t divide_at_start(const View& view, const JobView& job, const estimate::Durations& durations,
                              std::uint32_t slots, const RescueRules& rules, const StartRules& start, Plan& plan);

}  // namespace ontime::scheduler
