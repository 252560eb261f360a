#include <algorithm>

#include "lab/faults/apart.h"
#include "lab/faults/fault_plan.h"

namespace ontime::lab::faults {
namespace {

// The sentence without its numbers: times and names differ from run to run.
std::string kind_of(const Verdict& verdict) {
  std::string kind = verdict.broken;
  std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
  return kind;
}

// Drops items from the end while the schedule still fails.
template <class Item>
bool shrink(FaultPlan& plan, std::vector<Item> FaultPlan::*items, std::size_t least, const std::string& kind) {
  bool has_shrunk = false;
  for (std::size_t i = (plan.*items).size(); i-- > 0 && (plan.*items).size() > least;) {
    FaultPlan smaller = plan;
    (smaller.*items).erase((smaller.*items).begin() + static_cast<std::ptrdiff_t>(i));
    if (kind_of(run_apart(smaller)) != kind) continue;
    plan = std::move(smaller);
    has_shrunk = true;
  }
  return has_shrunk;
}

std::string text(double value) {
  std::string digits = std::to_string(value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

std::string describe(const Submission& submission) {
  std::string line = "job at " + text(submission.at) + " s: " + std::to_string(submission.tasks) +
                     (submission.is_compressed ? " (compressed: 1)" : "") + " tasks of " +
                     std::to_string(submission.split_bytes) + " bytes" +
                     (submission.files > 1 ? " in " + std::to_string(submission.files) + " files" : "") +
                     ", records of " +
                     std::to_string(submission.record_bytes) + " that take " + text(submission.record_time) +
                     " s, policy " + submission.policy;
  if (submission.deadline > 0) line += ", deadline " + text(submission.deadline) + " s";
  if (submission.kill_on_miss) line += " or it is killed";
  if (submission.checkpoint >= 0) line += ", checkpoint " + text(submission.checkpoint) + " s";
  if (submission.attempt_timeout > 0) line += ", attempt timeout " + text(submission.attempt_timeout) + " s";
  if (submission.killed_at >= 0) line += ", killed at " + text(submission.killed_at) + " s";
  if (submission.has_input_in_store) line += ", input in a store";
  if (submission.has_output_in_store) line += ", output in a store";
  return line + "\n";
}

}  // namespace

FaultPlan minimise(FaultPlan plan) {
  const std::string kind = kind_of(run_apart(plan));
  if (kind.empty()) return plan;
  bool goes_on = true;
  while (goes_on) {
    goes_on = shrink(plan, &FaultPlan::faults, 0, kind);
    goes_on = shrink(plan, &FaultPlan::submissions, 1, kind) || goes_on;
  }
  return plan;
}

std::string describe(const FaultPlan& plan) {
  std::string all = "seed " + std::to_string(plan.seed) + "\n";
  for (std::size_t node = 0; node < plan.slots.size(); ++node) {
    all += "worker " + std::to_string(node) + ": " + std::to_string(plan.slots[node]) + " slots, slowness " +
           text(plan.slowness[node]) + "\n";
  }
  all += std::string(plan.is_one_machine ? "on one machine\n" : "on a machine each\n") + "heartbeat " +
         text(plan.heartbeat) + " s, node timeout " + text(plan.node_timeout) + " s, cut timeout " +
         text(plan.cut_timeout) + " s\nup to: network " + text(plan.network_delay) + " s, disk " +
         text(plan.disk_delay) + " s, sync " + text(plan.sync_delay) + " s, wall clock wrong by " +
         text(plan.clock_error) + " s\nspread of paces " + text(plan.spread) + ", ended jobs kept " +
         std::to_string(plan.jobs_kept) + "\n";
  for (const Submission& submission : plan.submissions) all += describe(submission);
  for (const Fault& fault : plan.faults) all += to_string(fault) + "\n";
  return all;
}

}  // namespace ontime::lab::faults
