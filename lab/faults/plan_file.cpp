#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "lab/faults/fault_plan.h"

namespace ontime::lab::faults {
namespace {

using Json = nlohmann::json;

template <class Kind, std::size_t count>
Kind kind_of(const Json& name, const std::array<std::string_view, count>& names) {
  const auto found = std::find(names.begin(), names.end(), name.get<std::string>());
  if (found == names.end()) throw std::invalid_argument("there is no '" + name.get<std::string>() + "'");
  return static_cast<Kind>(found - names.begin());
}

// In the order of FaultKind.
constexpr std::array<std::string_view, kFaultKinds> kFaults{
    "master-dies",  "master-stops", "clock-jumps",   "master-clock-drifts", "journal-full",   "worker-leaves",
    "node-drains",  "worker-dies",  "launcher-dies", "worker-stops",        "launcher-stops", "node-stops",
    "partition",    "deaf-worker",  "mute-worker",   "connection-breaks",   "slow-network",   "slow-disk",
    "clock-drifts", "disk-full",    "disk-fails",    "attempt-dies",        "attempt-stops",  "node-fails-fast",
    "mount-hangs",  "commit-fails", "output-hangs",  "second-master",       "client-dies",    "input-changes",
    "store-dies",   "store-stops",  "slow-store",    "store-cut-off",       "store-refuses",  "store-breaks-off",
    "rival-claims"};
constexpr std::array<std::string_view, 4> kTriggers{"time", "batch", "commit-step", "store-request"};

}  // namespace

// Found by nlohmann::json by their names.
void to_json(Json& json, FaultKind kind) { json = kFaults[static_cast<std::size_t>(kind)]; }
void from_json(const Json& json, FaultKind& kind) { kind = kind_of<FaultKind>(json, kFaults); }
void to_json(Json& json, Trigger trigger) { json = kTriggers[static_cast<std::size_t>(trigger)]; }
void from_json(const Json& json, Trigger& trigger) { trigger = kind_of<Trigger>(json, kTriggers); }
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Fault, kind, trigger, at, lasts, node, amount, share, is_silent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Submission, at, tasks, split_bytes, record_bytes, record_time,
                                                is_compressed, files, output_every, policy, policy_parameters, deadline,
                                                kill_on_miss, checkpoint, attempt_timeout, killed_at,
                                                has_input_in_store, has_output_in_store)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FaultPlan, seed, is_one_machine, slots, slowness, submissions, faults,
                                                quiet_after, network_delay, disk_delay, sync_delay, spread, heartbeat,
                                                node_timeout, cut_timeout, clock_error, jobs_kept)

namespace {

// What of `json` is not as in `usual`.
template <class T>
Json without_usual(const T& value) {
  Json json = value;
  const Json usual = T();
  for (const auto& [key, ordinary] : usual.items()) {
    if (json[key] == ordinary) json.erase(key);
  }
  return json;
}

}  // namespace

std::string to_file(const FaultPlan& plan) {
  Json json = without_usual(plan);
  const auto shorten = [&](const char* key, const auto& items) {
    json[key] = Json::array();
    for (const auto& item : items) json[key].push_back(without_usual(item));
  };
  shorten("submissions", plan.submissions);
  shorten("faults", plan.faults);
  return json.dump() + "\n";
}

Result<FaultPlan> from_file(const std::string& text) {
  try {
    FaultPlan plan = Json::parse(text).get<FaultPlan>();
    if (plan.slots.empty() || plan.slots.size() != plan.slowness.size() || plan.submissions.empty()) {
      return bad_input("a schedule has workers, with slots and a slowness each, and a job");
    }
    for (const Fault& fault : plan.faults) {
      const bool is_about_jobs = fault.kind == FaultKind::ClientDies || fault.kind == FaultKind::InputChanges;
      const std::size_t count = is_about_jobs ? plan.submissions.size() : plan.slots.size();
      const bool has_whom = fault.node < count && (!is_about_store(fault.kind) || plan.has_store());
      if (!has_whom) return bad_input("'" + to_string(fault) + "' names one that there is not");
    }
    return plan;
  } catch (const std::exception& error) {
    return bad_input(std::string("this is no schedule: ") + error.what());
  }
}

}  // namespace ontime::lab::faults
