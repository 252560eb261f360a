#pragma once
// Runs fault schedules from their beginning until everything has come to rest: the master, workers, launchers, runners
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
  std::uint32_t newly_reached = 0;  // places in the programs, see below

  bool is_good() const { return broken.empty(); }
};

// Gets a line for everything that happens; empty: nobody does.
using Trace = std::function<void(std::string_view)>;

// Where the application `copy` lies.
void set_application_directory(std::string directory);

// In this process, which it spoils for another: there is one log for the whole program, and what killed processes held
// stays.
Verdict run(const FaultPlan& plan, const Trace& trace = {});

// Many schedules, each in a real process of its own: what simulated processes held when they were killed is given back
// with it, what libraries remember of one does not change the next, and a program that crashes ends its schedule only.

struct SeedRange {
  std::uint64_t from = 1;
  std::uint64_t to = 1000;
  PlanSize size{};  // of the schedule of each
};

// In any order. False ends the rest. A crash is a verdict too.
using OnVerdict = std::function<bool(std::uint64_t seed, const Verdict& verdict)>;
void run_apart(SeedRange seeds, unsigned processes, const OnVerdict& on_verdict);

// A single one, in a process of its own.
Verdict run_apart(const FaultPlan& plan);

// Makes a schedule that fails smaller, for people to read: leaves out, one at a time, every fault and every job that it
// fails without in the same way. Faults go on naming the jobs that they named. `run` tells how a schedule ends.
FaultPlan minimise(
    FaultPlan plan,
    const std::function<Verdict(const FaultPlan&)>& run = [](const FaultPlan& one) { return run_apart(one); });

// Which places in the programs schedules have reached, and how often, as fuzzers count it. Only in a build that counts
// (ONTIME_COUNT_PLACES in CMake); others reach nothing.
bool are_places_counted();

// In the real process of a schedule: counts from here on, and how many places were reached that no process which was
// forked from the same one has reached so often: once, 8 times, 64 times. REQUIRES: share_reached() before any was
// forked.
void share_reached();
void begin_to_count();
std::uint32_t newly_reached();

}  // namespace ontime::lab::faults
