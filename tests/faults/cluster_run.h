#pragma once
// Runs fault schedules from their beginning until everything has come to rest: the master, workers, launchers, runners
// and clients that ship, on simulated machines (tests/machines).

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tests/faults/fault_plan.h"

namespace ontime::lab::faults {

// How a schedule ended.
struct Verdict {
  std::string broken;               // the promise that was broken; empty if none was
  double ended = 0;                 // seconds of virtual time until the cluster was at rest
  std::uint64_t steps = 0;          // steps that the simulated machines took
  std::uint32_t masters = 0;        // masters that were started
  std::uint32_t led = 0;            // masters that came to lead, one after another
  std::uint32_t batches = 0;        // batches of records written to the journal
  std::uint32_t jobs = 0;           // jobs that ended
  std::uint32_t succeeded = 0;      // jobs that succeeded
  std::uint32_t newly_reached = 0;  // places in the programs that no earlier schedule had reached, see below

  bool is_good() const { return broken.empty(); }
};

// Is given a line for each event. May be empty.
using Trace = std::function<void(std::string_view)>;

// Where the application `copy` lies.
void set_application_directory(std::string directory);

// Runs a schedule in this process. Only one can run in a process: the log is global, and memory of simulated processes
// that were killed is never freed.
Verdict run(const FaultPlan& plan, const Trace& trace = {});

// The following run each schedule in a real process of its own. That frees the memory, keeps one schedule from changing
// the next through global variables of libraries, and survives a crash of the programs.

struct SeedRange {
  std::uint64_t from = 1;
  std::uint64_t to = 1000;
  PlanSize size{};  // of the schedule of each
};

// Called for each seed, in any order; a crash is a verdict too. Returning false skips the seeds that have not started.
using OnVerdict = std::function<bool(std::uint64_t seed, const Verdict& verdict)>;
void run_apart(SeedRange seeds, unsigned processes, const OnVerdict& on_verdict);

Verdict run_apart(const FaultPlan& plan);

// Makes a failing schedule small enough to read. Removes one fault or job after another, as long as `run` still fails
// in the same way without it. The faults that stay name the same jobs as before.
FaultPlan minimise(
    FaultPlan plan,
    const std::function<Verdict(const FaultPlan&)>& run = [](const FaultPlan& one) { return run_apart(one); });

// Coverage, counted as fuzzers do, to choose schedules that reach new places in the programs. Only a build with
// ONTIME_COUNT_PLACES (CMake) counts; in others newly_reached() is 0.
bool are_places_counted();

// Call share_reached() once, before processes are forked. In the process of a schedule, begin_to_count() starts the
// count. newly_reached() is the number of places that this process reached more often than any earlier one; once, 8
// times and 64 times make a difference.
void share_reached();
void begin_to_count();
std::uint32_t newly_reached();

}  // namespace ontime::lab::faults
