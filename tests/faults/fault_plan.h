#pragma once
// One fault schedule: a small cluster, a few jobs, and everything that goes wrong, drawn from one seed. A value, so
// that it can be printed and made smaller fault by fault. Times are seconds of true time since the beginning.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace ontime::lab::faults {

enum class FaultKind : std::uint8_t {
  MasterDies,         // kill -9, or its machine's power if `is_silent`; `lasts` until the next master
  MasterStops,        // SIGSTOP: nothing is read or decided for so long, its clock goes on
  ClockJumps,         // the master's wall clock, `amount` seconds ahead
  MasterClockDrifts,  // the clocks of the master's machine count `amount` seconds in each true one
  JournalFull,        // the journal's disk has no room
  WorkerLeaves,      // SIGTERM: it drains for `amount` seconds at most, ends, and comes back as a new one after so long
  NodeDrains,        // an operator takes it out, for so long
  WorkerDies,        // kill -9, or its machine's power if `is_silent`; comes back as a new one
  LauncherDies,      // kill -9 of its launcher only
  WorkerStops,       // SIGSTOP: its attempts run on, it hears and says nothing
  LauncherStops,     // the same of its launcher
  NodeStops,         // SIGSTOP of everything on it
  Partition,         // nothing gets through, and nobody learns of it
  DeafWorker,        // the same, only towards the worker
  MuteWorker,        // the same, only towards the master
  ConnectionBreaks,  // at once, for both sides
  SlowNetwork,       // bytes take up to `amount` seconds more
  SlowDisk,          // calls on the node's disks take up to `amount` seconds more
  ClockDrifts,       // the clocks of the node's machine count `amount` seconds in each true one
  DiskFull,          // what the node writes finds no room
  DiskFails,         // what the node reads or writes fails with EIO
  AttemptDies,       // one attempt's process on that node
  AttemptStops,      // the same, SIGSTOP: it never goes on
  NodeFailsFast,  // every attempt fails there as soon as it is launched; `amount` 0: the output, 1: the application is
                  // missing, 2: no process can be started
  MountHangs,     // every call on the shared files waits on that node
  CommitFails,    // the master's machine cannot write to the shared files
  OutputHangs,    // every call on the shared files waits on the master's machine
  SecondMaster,   // somebody starts another one on the same journal
  ClientDies,     // of submission `node`: kill -9, and another one is started at once
  InputChanges,   // of submission `node`: half of it is written over, and after so long the rest; `amount` 0: in place,
                  // 1: in a file that takes its name then; an object is always replaced
  OutputLost,     // of submission `node`: what its attempts have written is removed, and again after so long
  StoreDies,      // kill -9, or its machine's power if `is_silent`; its objects stay
  StoreStops,     // SIGSTOP
  SlowStore,      // requests take up to `amount` seconds more
  StoreCutOff,    // nothing gets through between it and: everybody if `share` is 0, the node's machine below 1, else
                  // the master's; `amount` 1: only nothing that it is sent, 2: only nothing that it sends
  StoreRefuses,   // answers a `share` of requests with status `amount`; with 500 they may have been done
  StoreBreaksOff,  // resets a `share` of connections in the middle of an answer, or before
  RivalClaims,     // a job of another cluster gets the next output there, between a look at its claim and the claim
  // The rest where several masters share a journal in etcd.
  MasterCutOff,   // the master that leads; `amount` 0: from etcd, workers and clients, 1: from etcd, 2: from the others
  EtcdDies,       // has no quorum, and another leader then; or its machine's power if `is_silent`
  EtcdStops,      // SIGSTOP: hangs
  SlowEtcd,       // requests take up to `amount` seconds more
  EtcdFull,       // has no space
  EtcdRefuses,    // a `share` of requests, which may have been done
  EtcdBreaksOff,  // resets a `share` of connections in the middle of an answer, or before
  EtcdClockDrifts,  // counts `amount` seconds in each true one
};
inline constexpr int kFaultKinds = 46;
inline constexpr std::string_view kRivalsClaim = "another cluster's";
constexpr bool is_about_store(FaultKind kind) { return kind >= FaultKind::StoreDies && kind <= FaultKind::RivalClaims; }
constexpr bool is_about_etcd(FaultKind kind) { return kind >= FaultKind::EtcdDies; }
constexpr bool is_about_sharing(FaultKind kind) { return kind >= FaultKind::MasterCutOff; }
constexpr bool is_about_jobs(FaultKind kind) { return kind >= FaultKind::ClientDies && kind <= FaultKind::OutputLost; }

// When a fault begins: at a time, or in the middle of the n-th of something. Of masters that share a journal those of
// the one that leads count.
enum class Trigger : std::uint8_t { Time, Batch, CommitStep, StoreRequest };

struct Fault {
  FaultKind kind = FaultKind::MasterDies;
  Trigger trigger = Trigger::Time;
  double at = 0;           // seconds; otherwise the number of the batch, of the master's call on shared files or
                           // request to the store, or of the store's request, from 1
  double lasts = 0;        // seconds
  std::uint32_t node = 0;  // of those about nodes; of those about jobs the submission
  double amount = 0;       // see FaultKind
  double share = 0;        // MasterDies: how far a batch is written; AttemptDies, AttemptStops: which; StoreDies:
                           // whether the request was done, from 0.5 on; others of the store: see FaultKind
  bool is_silent = false;  // MasterDies, WorkerDies: its machine
};
std::string to_string(const Fault& fault);  // "at 12.5 s worker 2 dies for 3 s"

inline constexpr std::int32_t kAttemptsMax = 4;  // of a segment that fails, in every job

// A client submits a job, and again if nobody answers.
struct Submission {
  double at = 0;
  std::uint32_t tasks = 1;
  std::uint64_t split_bytes = 4000;
  std::uint32_t record_bytes = 100;
  double record_time = 0.1;        // seconds, on a node of slowness 1
  double start = 0;                // the same, before the first record of each segment
  bool is_compressed = false;      // one split, whose end is not known before it was read
  std::uint32_t files = 1;         // that the input is divided into; small ones share a task
  std::uint32_t output_every = 1;  // only each n-th record has output
  std::string policy = "none";
  std::map<std::string, std::string> policy_parameters;
  double deadline = 0;  // 0: none
  bool kill_on_miss = false;
  double checkpoint = -1;       // 0: off; negative: as the product has it
  double attempt_timeout = 0;   // 0: by what the job's attempts show
  double killed_at = -1;        // asked for by the client; negative: never
  bool is_killed_late = false;  // asked for when the client sees that the job is being committed, which is too late
  bool has_input_in_store = false;
  bool has_output_in_store = false;

  bool uses_store() const { return has_input_in_store || has_output_in_store; }
};

struct FaultPlan {
  std::uint64_t seed = 0;
  bool is_one_machine = false;       // all processes, on one local disk; else one for each worker and shared files
  std::vector<std::uint32_t> slots;  // per node
  std::vector<double> slowness;      // per node
  std::vector<Submission> submissions;
  std::vector<Fault> faults;
  double quiet_after = 0;  // no fault begins or lasts beyond

  double network_delay = 0.01;  // longest, one way
  double disk_delay = 0.001;    // longest of a call that reaches a disk
  double sync_delay = 0.01;     // longest of a sync
  double spread = 0;            // of the logarithm of attempts' paces
  double heartbeat = 0.5;
  double node_timeout = 4;
  double cut_timeout = 2;
  double clock_error = 0;  // each later master's wall clock is off by up to so much
  std::uint32_t jobs_kept = 1000;

  std::uint32_t masters = 1;         // of which one leads; several share a journal in etcd
  double lease = 2;                  // the leader's
  std::uint64_t snapshot_bytes = 0;  // that the log takes before there is a snapshot; 0: as the product has it
  bool is_shared() const { return masters > 1; }

  bool has_any(std::initializer_list<FaultKind> kinds) const;  // faults
  // Nothing in it makes an attempt or a commit fail, so no job may; but for one that uses the store, see below.
  bool must_succeed() const;
  // What attempts have sealed may be gone before it is committed.
  bool may_lose_output() const { return has_any({FaultKind::OutputLost}); }
  // A store is there.
  bool has_store() const;
  // It is out of reach for so long, or so slow, that jobs which use it may fail.
  bool may_fail_at_store() const;
  // A worker that was cut off may store a segment of a job that is over (master/outputs/store_output.h).
  bool may_leave_segments() const { return may_lose_attempts(); }
  // A master that leads no more may do one thing to files before it knows: it stood still, or clocks differ by more
  // than a tenth, which is what the lease has to spare (master/journal/etcd_lease.h).
  bool may_act_late() const;
  // The master may find no way to remove what a job has left.
  bool may_leave_output() const;
  // The master may find no way to remove the claim of a submission that it refuses.
  bool may_leave_claims() const;
  // So many workers fall silent that a job may be on each of them by chance.
  bool may_blame_a_job_for_lost_workers() const;
  // Something ends attempts, or keeps a worker from being there for long.
  bool may_lose_attempts() const;
  // Another node than this one has no fault of its own.
  bool has_good_node_beside(std::uint32_t bad) const;
};

// Fault schedules from seeds, in swarms: each seed allows a random part of the kinds of faults, each with an intensity
// of its own, so that some clusters suffer from one thing only and others from everything at once.
// What `size` leaves open is drawn too.
struct PlanSize {
  std::optional<std::uint32_t> nodes{};
  std::optional<std::uint32_t> jobs{};
  bool has_store = false;           // in every schedule, not in some
  bool has_shared_journal = false;  // likewise
};
FaultPlan make_plan(std::uint64_t seed, const PlanSize& size = {});

// A schedule as a file: JSON, what is as ever left out. BadInput says what is wrong with the text.
std::string to_file(const FaultPlan& plan);
Result<FaultPlan> from_file(const std::string& text);

// The schedule, a line for each node, job and fault.
std::string describe(const FaultPlan& plan);

}  // namespace ontime::lab::faults
