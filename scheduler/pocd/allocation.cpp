#include "scheduler/pocd/allocation.h"

#include <cmath>

#include "scheduler/pocd/accurate.h"

namespace ontime::scheduler::pocd {

bool may_grow(std::uint32_t copies, CopyLimit limit) { return !limit || copies < *limit; }

std::int64_t copies_available(double lambda, double machines, std::uint64_t tasks, std::uint64_t jobs) {
  const double usable = std::floor(lambda * machines + 1e-9);  // lambda is a decimal fraction, not a binary one
  return static_cast<std::int64_t>(usable) - static_cast<std::int64_t>(tasks) - static_cast<std::int64_t>(jobs);
}

double TaskOdds::ln_pocd(double copies) const { return ln_one_minus_exp(ln_kept + times(copies, ln_copy)); }

}  // namespace ontime::scheduler::pocd
