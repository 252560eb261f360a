#include "lab/faults/fault_plan.h"

#include <algorithm>
#include <charconv>

namespace ontime::lab::faults {
namespace {

std::string number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr;
  return {text, end};
}

std::string about_worker(const Fault& fault) {
  const std::string worker = "worker " + std::to_string(fault.node);
  switch (fault.kind) {
    case FaultKind::WorkerLeaves:
      return worker + " gets SIGTERM and drains for up to " + number(fault.amount) + " s, and is away";
    case FaultKind::NodeDrains:
      return worker + " is taken out";
    case FaultKind::WorkerDies:
      return worker + (fault.is_silent ? "'s machine loses its power" : " dies");
    case FaultKind::LauncherDies:
      return worker + "'s launcher dies";
    case FaultKind::WorkerStops:
      return worker + " stops";
    case FaultKind::LauncherStops:
      return worker + "'s launcher stops";
    case FaultKind::NodeStops:
      return worker + " and its attempts stop";
    case FaultKind::Partition:
      return worker + " is cut off";
    case FaultKind::DeafWorker:
      return worker + " hears nothing";
    case FaultKind::MuteWorker:
      return worker + " is not heard";
    case FaultKind::ConnectionBreaks:
      return worker + "'s connection breaks";
    case FaultKind::SlowDisk:
      return worker + "'s disks take up to " + number(fault.amount) + " s more";
    case FaultKind::ClockDrifts:
      return worker + "'s clocks count " + number(fault.amount) + " s a second";
    case FaultKind::DiskFull:
      return worker + "'s disks are full";
    case FaultKind::DiskFails:
      return worker + "'s disks fail";
    case FaultKind::AttemptDies:
      return "an attempt of " + worker + " dies";
    case FaultKind::AttemptStops:
      return "an attempt of " + worker + " stops and never goes on";
    case FaultKind::NodeFailsFast:
      return "every attempt fails at once on " + worker + ", in way " + number(fault.amount) + ",";
    case FaultKind::MountHangs:
      return worker + "'s shared files hang";
    default:
      return "?";
  }
}

std::string about_store(const Fault& fault) {
  const char* const direction = fault.amount < 1 ? "" : fault.amount < 2 ? " in what it is sent" : " in what it sends";
  const std::string whom =
      fault.share <= 0 ? "everybody" : fault.share < 1 ? "worker " + std::to_string(fault.node) : "the master";
  switch (fault.kind) {
    case FaultKind::StoreDies:
      return fault.is_silent ? "the store's machine loses its power" : "the store dies";
    case FaultKind::StoreStops:
      return "the store stops";
    case FaultKind::SlowStore:
      return "the store takes up to " + number(fault.amount) + " s more";
    case FaultKind::StoreCutOff:
      return "the store is cut off from " + whom + direction;
    case FaultKind::StoreRefuses:
      return "the store answers " + number(100 * fault.share) + " % of requests with " + number(fault.amount);
    case FaultKind::RivalClaims:
      return "a job of another cluster claims the next output in the store";
    default:
      return "the store breaks off " + number(100 * fault.share) + " % of connections";
  }
}

std::string what(const Fault& fault) {
  if (is_about_store(fault.kind)) return about_store(fault);
  switch (fault.kind) {
    case FaultKind::MasterDies:
      return fault.is_silent ? "the master's machine loses its power" : "the master dies";
    case FaultKind::MasterStops:
      return "the master stops";
    case FaultKind::ClockJumps:
      return "the master's clock jumps by " + number(fault.amount) + " s";
    case FaultKind::MasterClockDrifts:
      return "the master's clocks count " + number(fault.amount) + " s a second";
    case FaultKind::JournalFull:
      return "the journal's disk is full";
    case FaultKind::SlowNetwork:
      return "bytes take up to " + number(fault.amount) + " s more";
    case FaultKind::CommitFails:
      return "the master cannot write to shared files";
    case FaultKind::OutputHangs:
      return "the master's shared files hang";
    case FaultKind::SecondMaster:
      return "a second master is started";
    case FaultKind::ClientDies:
      return "the client of submission " + std::to_string(fault.node) + " dies";
    case FaultKind::InputChanges:
      return "the input of submission " + std::to_string(fault.node) + " is " +
             (fault.amount < 1 ? "written over" : "replaced");
    default:
      return about_worker(fault);
  }
}

}  // namespace

std::string to_string(const Fault& fault) {
  std::string when = "at " + number(fault.at) + " s ";
  if (fault.trigger == Trigger::Batch) when = number(100 * fault.share) + " % through batch " + number(fault.at) + " ";
  if (fault.trigger == Trigger::CommitStep) when = "in the master's call " + number(fault.at) + " on shared files ";
  if (fault.trigger == Trigger::StoreRequest) {
    when = (fault.share < 0.5 ? "before" : "after") + (" the store's request " + number(fault.at)) + " is done ";
  }
  return when + what(fault) + (fault.lasts > 0 ? " for " + number(fault.lasts) + " s" : "");
}

bool FaultPlan::must_succeed() const {
  const bool harmless = std::none_of(faults.begin(), faults.end(), [this](const Fault& fault) {
    return fault.kind == FaultKind::DiskFull || fault.kind == FaultKind::DiskFails ||
           fault.kind == FaultKind::AttemptDies || fault.kind == FaultKind::AttemptStops ||
           fault.kind == FaultKind::CommitFails || fault.kind == FaultKind::MountHangs ||
           fault.kind == FaultKind::OutputHangs || fault.kind == FaultKind::LauncherStops ||
           fault.kind == FaultKind::InputChanges ||
           (fault.kind == FaultKind::NodeFailsFast && (is_one_machine || !has_good_node_beside(fault.node)));
  });
  // As often as one segment may fail, where no other node can show that it was the node's fault.
  const auto launchers = std::count_if(faults.begin(), faults.end(),
                                       [](const Fault& fault) { return fault.kind == FaultKind::LauncherDies; });
  return harmless && launchers < kAttemptsMax &&
         std::all_of(submissions.begin(), submissions.end(), [](const Submission& submission) {
           return submission.killed_at < 0 && !submission.kill_on_miss && submission.attempt_timeout <= 0;
         });
}

bool FaultPlan::has_store() const {
  return std::any_of(submissions.begin(), submissions.end(), [](const Submission& one) { return one.uses_store(); });
}

bool FaultPlan::may_fail_at_store() const {
  return std::any_of(faults.begin(), faults.end(), [](const Fault& fault) {
    return is_about_store(fault.kind) || fault.kind == FaultKind::SlowNetwork;
  });
}

bool FaultPlan::may_leave_output() const {
  return std::any_of(faults.begin(), faults.end(), [](const Fault& fault) {
    return fault.kind == FaultKind::CommitFails || fault.kind == FaultKind::OutputHangs ||
           fault.kind == FaultKind::DiskFails || fault.kind == FaultKind::DiskFull;
  });
}

bool FaultPlan::may_leave_claims() const {
  return may_fail_at_store() || std::any_of(faults.begin(), faults.end(), [](const Fault& fault) {
    return fault.kind == FaultKind::CommitFails || fault.kind == FaultKind::DiskFails ||
           fault.kind == FaultKind::DiskFull;
  });
}

bool FaultPlan::may_blame_a_job_for_lost_workers() const {
  const auto silencing = std::count_if(faults.begin(), faults.end(), [](const Fault& fault) {
    return fault.kind >= FaultKind::WorkerLeaves && fault.kind <= FaultKind::MuteWorker;
  });
  return silencing >= 4;
}

bool FaultPlan::may_lose_attempts() const {
  return std::any_of(faults.begin(), faults.end(), [this](const Fault& fault) {
    if (fault.kind == FaultKind::MasterDies) return is_one_machine && fault.is_silent;
    return fault.kind != FaultKind::ClockJumps && fault.kind != FaultKind::ConnectionBreaks &&
           fault.kind != FaultKind::CommitFails && fault.kind != FaultKind::OutputHangs &&
           fault.kind != FaultKind::SecondMaster && fault.kind != FaultKind::ClientDies &&
           fault.kind != FaultKind::JournalFull && !is_about_store(fault.kind);
  });
}

// One that nothing happens to.
bool FaultPlan::has_good_node_beside(std::uint32_t bad) const {
  const auto is_about_nodes = [](FaultKind kind) {
    return kind >= FaultKind::WorkerLeaves && kind < FaultKind::CommitFails && kind != FaultKind::SlowNetwork;
  };
  for (std::uint32_t node = 0; node < slots.size(); ++node) {
    const bool is_hurt = std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
      return is_about_nodes(fault.kind) && fault.node == node;
    });
    if (node != bad && !is_hurt) return true;
  }
  return false;
}

}  // namespace ontime::lab::faults
