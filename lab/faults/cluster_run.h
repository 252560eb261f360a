#pragma once
// Runs one fault schedule from its beginning until everything has come to rest.

#include <cstdint>
#include <string>

#include "lab/faults/fault_plan.h"
#include "lab/faults/world.h"

namespace ontime::lab::faults {

struct Verdict {
  std::string broken;           // what was wrong; empty: nothing
  double ended = 0;             // true time
  std::uint64_t steps = 0;      // of the scheduler
  std::uint32_t masters = 0;    // lives
  std::uint32_t batches = 0;    // written to the journal
  std::uint32_t jobs = 0;       // that ended
  std::uint32_t succeeded = 0;  // of them
  std::uint32_t attempts = 0;   // launched

  bool is_good() const { return broken.empty(); }
};

// A broken ONTIME_CHECK is a verdict too if survive_broken_checks() was called before.
Verdict run(const FaultPlan& plan, const Trace& trace = {});

// From now on a broken ONTIME_CHECK throws in this process. Call before there are threads.
void survive_broken_checks();

}  // namespace ontime::lab::faults
