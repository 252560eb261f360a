#pragma once
// One fault schedule: a small cluster, a few jobs, and everything that goes wrong, drawn from one seed. A value, so
// that it can be printed and made smaller fault by fault. Times are seconds of true time since the beginning.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "lab/scenario/scenario.h"

namespace ontime::lab::faults {

enum class FaultKind : std::uint8_t {
  MasterDies,        // `share` of the batch that is being written has reached the disk; `lasts` until the next master
  MasterStops,       // SIGSTOP: nothing is read or decided for so long, its clock goes on
  ClockJumps,        // the master's clock, `amount` seconds ahead
  JournalFull,       // the journal's disk: writes fail, so the master ends until there is room
  WorkerLeaves,      // SIGTERM: it drains for `amount` seconds at most, ends, and comes back as a new one after so long
  NodeDrains,        // an operator takes it out, for so long
  WorkerDies,        // process and attempts; what was not synced is lost; comes back as a new one
  WorkerStops,       // SIGSTOP: its attempts run on, it hears and says nothing
  NodeStops,         // SIGSTOP: its attempts too
  Partition,         // what is sent arrives when it is over, if the connection still stands by then
  DeafWorker,        // the same, only towards the worker
  MuteWorker,        // the same, only towards the master
  ConnectionBreaks,  // at once for the worker, soon for the master
  SlowNetwork,       // messages take up to `amount` seconds more
  DiskFull,          // attempts on that node fail when they write
  AttemptDies,       // one attempt's process on that node
  AttemptStops,      // the same, SIGSTOP: it never answers again
  NodeFailsFast,  // every attempt fails there as soon as it is launched; `amount` 0: the output, 1: the application is
                  // missing, 2: no process can be started
  MountHangs,     // attempts there cannot begin before it is over
  CommitFails,    // every commit that takes a step meanwhile
  OutputHangs,    // the master's own work on the output of submission `node` gets no further before it is over
};
inline constexpr int kFaultKinds = 21;

// When a fault begins: at a time, or in the middle of the n-th of something.
enum class Trigger : std::uint8_t { Time, Batch, CommitStep };

struct Fault {
  FaultKind kind = FaultKind::MasterDies;
  Trigger trigger = Trigger::Time;
  double at = 0;           // seconds; otherwise the number of the batch or step, from 1
  double lasts = 0;        // seconds
  std::uint32_t node = 0;  // of those about nodes; OutputHangs: the submission
  double amount = 0;       // see FaultKind
  double share = 0;        // see MasterDies and JournalFull; AttemptDies, AttemptStops: which
  bool is_silent = false;  // MasterDies: its machine, so that nobody notices. AttemptDies: any other would, too
};
std::string to_string(const Fault& fault);  // "at 12.5 s worker 2 dies for 3 s"

// A client submits a job, and again if nobody answers.
struct Submission {
  JobGroup job;  // of one job
  std::uint32_t tasks = 1;
  bool is_compressed = false;      // one split, whose end is not known before it was read
  std::uint32_t output_every = 1;  // only each n-th record has output
  double at = 0;
  double killed_at = std::numeric_limits<double>::infinity();  // asked for by the client
};

struct FaultPlan {
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> slots;  // per node
  std::vector<double> slowness;      // per node
  std::vector<Submission> submissions;
  std::vector<Fault> faults;
  double quiet_after = 0;  // no fault begins or lasts beyond

  double launch = 0.5;          // longest; least a tenth
  double runner_delay = 0;      // longest from an order to cut until the attempt looks
  double network_delay = 0.01;  // longest, one way
  double journal_delay = 0.01;  // longest of a write
  double commit_delay = 0.05;   // longest of a step
  double heartbeat = 0.5;
  double node_timeout = 4;
  double cut_timeout = 2;
  double reply_timeout = 5;      // a worker's patience with a new connection, and with one that is dead
  double wall_clock = 0;         // what the wall clock of the first master shows at the beginning
  double clock_error = 0;        // each later master's wall clock is off by up to so much
  double clock_rate = 1;         // of the master's steady clock
  double crash_probability = 0;  // of an attempt
  double speed_changes_every = 0;
  std::uint32_t jobs_kept = 1000;

  // Nothing in it makes an attempt or a commit fail, so no job may.
  bool must_succeed() const;
  // So many workers fall silent that a job may be on each of them by chance.
  bool may_blame_a_job_for_lost_workers() const;
  // Another node than this one has no fault of its own.
  bool has_good_node_beside(std::uint32_t bad) const;
};

// Fault schedules from seeds, in swarms: each seed allows a random part of the kinds of faults, each with an intensity
// of its own, so that some clusters suffer from one thing only and others from everything at once.
FaultPlan make_plan(std::uint64_t seed);

// Makes a schedule that fails smaller, for people to read.

// Leaves out, one at a time, every fault and every job that it fails without in the same way.
FaultPlan minimise(FaultPlan plan);

// The schedule, a line for each node, job and fault.
std::string describe(const FaultPlan& plan);

}  // namespace ontime::lab::faults
