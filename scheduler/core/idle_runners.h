#pragma once
// The processes of a worker that have loaded a job and have nothing to do, as far as one can tell from outside: a
// runner whose attempt has sealed all stays, the job's next attempt there takes it, and the oldest goes when there are
// too many (worker/agent/attempts/slots.cpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/ids.h"

namespace ontime::scheduler {

// The most that a worker keeps, busy ones too.
inline constexpr std::size_t kRunnersPerSlot = 2;

using IdleRunners = std::vector<JobId>;  // what each has loaded, the oldest first

// Whether an attempt of the job finds one, which is busy then. Otherwise a new one joins the `busy` ones, for which the
// oldest may have to go.
inline bool take_idle_runner(IdleRunners& idle, JobId job, std::size_t busy, std::uint32_t slots) {
  const auto own = std::find(idle.begin(), idle.end(), job);
  const bool is_there = own != idle.end();
  if (is_there)
    idle.erase(own);
  else if (!idle.empty() && busy + idle.size() >= kRunnersPerSlot * slots)
    idle.erase(idle.begin());
  return is_there;
}

}  // namespace ontime::scheduler
