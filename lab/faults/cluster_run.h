#pragma once
// Runs one fault schedule from its beginning until everything has come to rest: the master, workers, launchers, runners
// and clients that ship, on simulated machines (lab/machines).

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lab/faults/fault_plan.h"

namespace ontime::lab::faults {

struct Verdict {
  std::string broken;               // what was wrong; empty: nothing
  double ended = 0;                 // true time
  std::uint64_t steps = 0;          // of the world
  std::uint32_t masters = 0;        // lives
  std::uint32_t batches = 0;        // written to the journal
  std::uint32_t jobs = 0;           // that ended
  std::uint32_t succeeded = 0;      // of them
  std::uint32_t newly_reached = 0;  // places in the programs, see reached.h

  bool is_good() const { return broken.empty(); }
};

// Gets a line for everything that happens; empty: nobody does.
using Trace = std::function<void(std::string_view)>;

// Where the application `copy` lies.
void set_application_directory(std::string directory);

// One at a time: there is one log for the whole program.
Verdict run(const FaultPlan& plan, const Trace& trace = {});

}  // namespace ontime::lab::faults
