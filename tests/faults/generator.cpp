#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "common/base/portable_math.h"
#include "common/base/random.h"
#include "lab/scenario/purpose.h"
#include "scheduler/policies/policy.h"
#include "tests/faults/fault_plan.h"

namespace ontime::lab::faults {
namespace {

constexpr double kFaultsEnd = 30;  // seconds

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed, Purpose::Faults) { plan_.seed = seed; }

  FaultPlan make(const PlanSize& size) {
    cluster(size.nodes);
    times();
    const std::uint32_t jobs = size.jobs.value_or(1 + pick(3));
    for (std::uint32_t i = 0; i < jobs; ++i) plan_.submissions.push_back(submission());
    faults();
    random_ = Random(plan_.seed, Purpose::Store);  // its own, so that others are what they are without a store
    store(size.has_store);
    random_ = Random(plan_.seed, Purpose::Start);  // the same
    starts();
    random_ = Random(plan_.seed, Purpose::Loss);  // the same
    losses();
    late_kills();
    random_ = Random(plan_.seed, Purpose::Sharing);  // the same
    sharing(size.has_shared_journal);
    plan_.quiet_after = kFaultsEnd;
    for (const Fault& fault : plan_.faults) {
      if (fault.trigger == Trigger::Time) plan_.quiet_after = std::max(plan_.quiet_after, fault.at + fault.lasts);
    }
    round_all();
    return plan_;
  }

 private:
  std::uint32_t pick(std::uint32_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }
  bool chance(double share) { return random_.uniform() < share; }
  double between(double least, double most) { return least + (most - least) * random_.uniform(); }
  // Every order of magnitude is as likely.
  double scale(double least, double most) {
    return least > 0 ? least * exponential(natural_log(most / least) * random_.uniform()) : 0;
  }

  // To four digits, for people and files.
  static void round(double& value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 4).ptr;
    std::from_chars(text, end, value);
  }

  void round_all() {
    for (double& slowness : plan_.slowness) round(slowness);
    for (Submission& one : plan_.submissions) {
      for (double* const value : {&one.at, &one.record_time, &one.start, &one.deadline, &one.checkpoint,
                                  &one.attempt_timeout, &one.killed_at}) {
        round(*value);
      }
    }
    for (Fault& fault : plan_.faults) {
      for (double* const value : {&fault.at, &fault.lasts, &fault.amount, &fault.share}) round(*value);
    }
    for (double* const value :
         {&plan_.quiet_after, &plan_.network_delay, &plan_.disk_delay, &plan_.sync_delay, &plan_.spread,
          &plan_.heartbeat, &plan_.node_timeout, &plan_.cut_timeout, &plan_.clock_error, &plan_.lease}) {
      round(*value);
    }
  }

  void cluster(std::optional<std::uint32_t> wanted) {
    plan_.is_one_machine = chance(0.25);
    const std::uint32_t drawn = 1 + pick(chance(0.15) ? 10 : 4);
    const std::uint32_t nodes = wanted.value_or(drawn);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      plan_.slots.push_back(1 + pick(3));
      plan_.slowness.push_back(chance(0.3) ? between(1, 4) : 1);
    }
    plan_.jobs_kept = chance(0.3) ? pick(3) : 1000;
  }

  void times() {
    plan_.network_delay = scale(0.0005, 0.5);
    plan_.disk_delay = scale(0.0001, 0.05);
    plan_.sync_delay = scale(0.001, 0.5);
    plan_.heartbeat = between(0.3, 1.5);
    plan_.node_timeout = 3 * plan_.heartbeat + between(0, 4);
    plan_.cut_timeout = between(0.5, 4);
    if (chance(0.5)) plan_.spread = between(0.1, 1);
  }

  Submission submission() {
    Submission submission;
    submission.record_bytes = 8 + pick(200);
    submission.split_bytes = std::uint64_t{submission.record_bytes} * (4 + pick(40)) + pick(2) * pick(100);
    submission.tasks = 1 + pick(6);
    submission.is_compressed = chance(0.15);
    submission.output_every = chance(0.7) ? 1 : 1 + pick(6);
    submission.record_time = scale(0.02, 1);
    submission.at = chance(0.4) ? 0 : between(0, 20);
    const auto& policies = scheduler::policies();
    submission.policy = policies[pick(static_cast<std::uint32_t>(policies.size()))].name;
    if (scheduler::parameters_of(submission.policy).contains("handover")) {
      submission.policy_parameters["handover"] = chance(0.5) ? "ready" : "predicted";
    }
    submission.deadline = chance(0.15) ? 0 : between(4, 30);
    submission.kill_on_miss = chance(0.08) && submission.deadline > 0;
    if (chance(0.7)) submission.checkpoint = chance(0.3) ? 0 : between(0.5, 4);
    if (chance(0.1)) submission.attempt_timeout = between(6, 20);
    if (chance(0.15)) submission.killed_at = submission.at + between(0, 20);
    // Nothing is drawn for it: the seeds keep their schedules.
    const std::uint64_t which = plan_.seed / 3;
    if (plan_.seed % 3 == 0 && !submission.is_compressed)
      submission.files = submission.tasks * (2 + static_cast<std::uint32_t>(which % 3));
    return submission;
  }

  // Faults ----

  std::uint32_t node() { return pick(static_cast<std::uint32_t>(plan_.slots.size())); }

  void add(FaultKind kind, double lasts) {
    Fault fault;
    fault.kind = kind;
    fault.node = node();
    // Misfortunes like company.
    const bool follows = !plan_.faults.empty() && plan_.faults.back().trigger == Trigger::Time && chance(0.25);
    fault.at = follows ? plan_.faults.back().at + scale(0.001, 2) : between(0, kFaultsEnd);
    fault.lasts = lasts;
    const bool is_attempts = kind == FaultKind::AttemptDies || kind == FaultKind::AttemptStops;
    if (is_attempts || kind == FaultKind::MasterDies) {
      fault.share = chance(0.2) ? 0 : chance(0.2) ? 1 : random_.uniform();
    }
    if (kind == FaultKind::MasterDies || kind == FaultKind::WorkerDies) fault.is_silent = chance(0.3);
    plan_.faults.push_back(fault);
  }

  // Those that were added.
  std::span<Fault> some(FaultKind kind, std::uint32_t most, double shortest, double longest) {
    const std::size_t others = plan_.faults.size();
    if (!chance(0.4)) return {};
    for (std::uint32_t count = 1 + pick(most); count > 0; --count) add(kind, scale(shortest, longest));
    return faults_from(others);
  }

  // Where timing decides: in the middle of writing, between two steps of a commit.
  void strike(FaultKind kind, Trigger trigger, std::uint32_t most, double latest) {
    if (!chance(0.4)) return;
    for (std::uint32_t count = 1 + pick(most); count > 0; --count) {
      add(kind, scale(0.05, 5));
      plan_.faults.back().trigger = trigger;
      plan_.faults.back().at = std::ceil(scale(1, latest));
    }
  }

  void faults() {
    if (chance(0.03)) return;  // a healthy cluster must work too
    masters();
    // Where nothing happens to workers, no attempt may be lost (may_lose_attempts()).
    if (plan_.seed % 5 == 0) {
      some(FaultKind::ConnectionBreaks, 8, 0, 0);
      return;
    }
    some(FaultKind::MasterStops, 3, 0.1, 15);
    some(FaultKind::JournalFull, 2, 0.1, 10);
    some(FaultKind::WorkerDies, 5, 0.05, 20);
    some(FaultKind::WorkerStops, 4, 0.1, 20);
    some(FaultKind::NodeStops, 4, 0.1, 20);
    some(FaultKind::Partition, 4, 0.1, 20);
    some(FaultKind::DeafWorker, 3, 0.1, 20);
    some(FaultKind::MuteWorker, 3, 0.1, 20);
    some(FaultKind::ConnectionBreaks, 8, 0, 0);
    for (Fault& fault : some(FaultKind::SlowNetwork, 3, 0.5, 15)) fault.amount = scale(0.05, 5);
    for (Fault& fault : some(FaultKind::SlowDisk, 3, 0.5, 15)) fault.amount = scale(0.05, 2);
    some(FaultKind::LauncherDies, 4, 0, 0);
    some_that_make_jobs_fail();
    clocks();
    drift();
    drains();
    upgrade();
    bad_nodes();
  }

  void masters() {
    some(FaultKind::MasterDies, 4, 0.05, 15);
    strike(FaultKind::MasterDies, Trigger::Batch, 4, 150);
    strike(FaultKind::MasterDies, Trigger::CommitStep, 3, 60);
  }

  void some_that_make_jobs_fail() {
    if (!chance(0.5)) return;
    some(FaultKind::DiskFull, 3, 0.1, 10);
    some(FaultKind::DiskFails, 2, 0.1, 10);
    some(FaultKind::AttemptDies, 6, 0, 0);
    some(FaultKind::AttemptStops, 3, 0, 0);
    some(FaultKind::LauncherStops, 2, 0.1, 20);
    some(FaultKind::CommitFails, 2, 0.1, 10);
    some(FaultKind::MountHangs, 3, 0.1, 40);
    some(FaultKind::OutputHangs, 2, 0.1, 40);
    for (Fault& fault : some(FaultKind::InputChanges, 2, 0.01, 10)) fault.amount = pick(2);
  }

  void clocks() {
    if (chance(0.5)) plan_.clock_error = scale(0.1, 1e6);
    for (Fault& fault : some(FaultKind::ClockJumps, 3, 0, 0)) fault.amount = scale(0.1, 1000);
  }

  void drift() {
    for (Fault& fault : some(FaultKind::MasterClockDrifts, 2, 1, 40)) fault.amount = scale(0.7, 1.5);
    for (Fault& fault : some(FaultKind::ClockDrifts, 3, 1, 40)) fault.amount = scale(0.7, 1.5);
  }

  // A rolling restart: of every worker, and of the master.
  void upgrade() {
    if (!chance(0.1)) return;
    double at = between(0, 20);
    for (std::uint32_t node = 0; node <= plan_.slots.size(); ++node) {
      const bool is_master = node == plan_.slots.size();
      add(is_master ? FaultKind::MasterDies : FaultKind::WorkerLeaves, scale(0.2, 3));
      Fault& fault = plan_.faults.back();
      fault.at = at += scale(0.2, 5);
      fault.is_silent = false;
      if (is_master) continue;
      fault.node = node;
      fault.amount = scale(0.05, 30);
    }
  }

  void drains() {
    const std::size_t others = plan_.faults.size();
    some(FaultKind::WorkerLeaves, 5, 0.5, 40);
    some(FaultKind::NodeDrains, 3, 0.1, 20);
    for (Fault& fault : faults_from(others)) fault.amount = chance(0.2) ? 0 : scale(0.05, 30);
  }

  void bad_nodes() {
    for (Fault& fault : some(FaultKind::NodeFailsFast, 2, 1, 40)) fault.amount = pick(3);
    some(FaultKind::ClientDies, 2, 0, 0);
    some(FaultKind::SecondMaster, 3, 0, 0);
    for (Fault& fault : plan_.faults) {
      if (is_about_jobs(fault.kind)) fault.node = pick(static_cast<std::uint32_t>(plan_.submissions.size()));
    }
  }

  // In every fifth schedule jobs have their inputs or outputs in a store.
  void store(bool is_wanted) {
    if (!chance(0.2) && !is_wanted) return;
    for (Submission& one : plan_.submissions) {
      one.has_input_in_store = chance(0.6);
      one.has_output_in_store = chance(0.7);
    }
    if (!plan_.has_store() || chance(0.1)) return;
    const std::size_t others = plan_.faults.size();
    some(FaultKind::StoreDies, 4, 0.05, 60);
    strike(FaultKind::StoreDies, Trigger::StoreRequest, 4, 200);
    for (Fault& fault : faults_from(others)) {
      if (fault.trigger == Trigger::StoreRequest) fault.lasts = scale(0.05, 60);  // clients try for seconds, or minutes
      fault.is_silent = chance(0.3);
      fault.share = pick(2);
    }
    some(FaultKind::StoreStops, 3, 0.1, 60);
    for (Fault& fault : some(FaultKind::SlowStore, 3, 0.5, 20)) fault.amount = scale(0.05, 20);
    for (Fault& fault : some(FaultKind::StoreCutOff, 4, 0.1, 60)) {
      fault.share = 0.5 * pick(3);
      fault.amount = pick(3);
    }
    const std::size_t refusals = plan_.faults.size();
    for (Fault& fault : some(FaultKind::StoreRefuses, 3, 0.5, 40)) fault.amount = chance(0.5) ? 500 : 503;
    some(FaultKind::StoreBreaksOff, 3, 0.5, 40);
    for (Fault& fault : faults_from(refusals)) fault.share = chance(0.3) ? 1 : random_.uniform();
    for (Fault& fault : some(FaultKind::RivalClaims, 2, 0, 0)) fault.at = chance(0.7) ? 0 : fault.at;
  }

  // In every seventh schedule there are jobs whose application needs some time before the first record of a segment.
  void starts() {
    if (!chance(0.15)) return;
    for (Submission& one : plan_.submissions) {
      if (chance(0.7)) one.start = scale(0.05, 10);
    }
  }

  // In every twentieth schedule.
  void losses() {
    if (!chance(0.05)) return;
    for (std::uint32_t count = 1 + pick(3); count > 0; --count) {
      add(FaultKind::OutputLost, scale(0.1, 20));
      plan_.faults.back().node = pick(static_cast<std::uint32_t>(plan_.submissions.size()));
    }
  }

  void late_kills() {
    for (Submission& one : plan_.submissions) one.is_killed_late = chance(0.05);
  }

  // In every eighth schedule several masters share a journal in etcd.
  void sharing(bool is_wanted) {
    if (!chance(0.125) && !is_wanted) return;
    plan_.is_one_machine = false;
    plan_.masters = 2 + pick(2);
    plan_.lease = std::max(between(2, 4), 24 * plan_.network_delay);  // time to renew it on a connection that is new
    if (chance(0.5)) plan_.snapshot_bytes = static_cast<std::uint64_t>(scale(500, 50'000));
    if (chance(0.1)) return;
    const std::size_t others = plan_.faults.size();
    some(FaultKind::MasterDies, 3, 0.05, 15);
    some(FaultKind::MasterStops, 4, 0.5, 15);
    strike(FaultKind::MasterStops, Trigger::Batch, 3, 150);
    strike(FaultKind::MasterStops, Trigger::CommitStep, 3, 60);
    some(FaultKind::MasterCutOff, 4, 0.5, 20);
    strike(FaultKind::MasterCutOff, Trigger::Batch, 3, 150);
    for (Fault& fault : faults_from(others)) {
      if (fault.trigger == Trigger::CommitStep || chance(0.5)) fault.lasts = scale(1, 15);  // another one comes to lead
      if (fault.kind == FaultKind::MasterCutOff) fault.amount = pick(3);
    }
    etcd();
  }

  void etcd() {
    for (Fault& fault : some(FaultKind::EtcdDies, 3, 0.1, 10)) fault.is_silent = chance(0.3);
    some(FaultKind::EtcdStops, 3, 0.1, 10);
    for (Fault& fault : some(FaultKind::SlowEtcd, 3, 0.5, 15)) fault.amount = scale(0.05, 5);
    some(FaultKind::EtcdFull, 2, 0.1, 15);
    const std::size_t others = plan_.faults.size();
    some(FaultKind::EtcdRefuses, 3, 0.5, 15);
    some(FaultKind::EtcdBreaksOff, 3, 0.5, 15);
    for (Fault& fault : faults_from(others)) fault.share = chance(0.2) ? 1 : random_.uniform();
    for (Fault& fault : some(FaultKind::EtcdClockDrifts, 2, 1, 40)) fault.amount = scale(0.7, 1.5);
  }

  std::span<Fault> faults_from(std::size_t first) { return std::span(plan_.faults).subspan(first); }

  Random random_;
  FaultPlan plan_;
};

}  // namespace

FaultPlan make_plan(std::uint64_t seed, const PlanSize& size) { return Generator(seed).make(size); }

}  // namespace ontime::lab::faults
