#pragma once
// How long fault schedules take to find a planted error.

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/faults/cluster_run.h"
#include "tests/faults/planted/planted.h"

namespace ontime::lab::faults {

// How many schedules it takes from this seed on, and what they found; one more than `most`: it is not found.
inline std::uint64_t schedules_to_find(std::string_view error, std::uint64_t from, std::uint64_t most,
                                       std::string& how) {
  plant(error);
  std::uint64_t tried = 0;
  run_apart({from, from + most - 1}, 1, [&](std::uint64_t, const Verdict& verdict) {
    ++tried;
    how = verdict.broken;
    return verdict.is_good();
  });
  plant("");
  return how.empty() ? most + 1 : tried;
}

}  // namespace ontime::lab::faults
