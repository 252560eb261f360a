#include "tests/faults/fault_plan.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lab/results/writing.h"

namespace ontime::lab::faults {
namespace {

using Json = nlohmann::json;

// What each kind is called in files, and what happens then, for people; in the order of FaultKind. In the sentences %n
// is the node's or submission's number, %a the amount, %s the share, %w whom the store is cut off from, %o what
// the master is cut off from, %c how the input changes.
struct Words {
  std::string_view name;
  std::string_view sentence;
  std::string_view silent{};  // if it is the machine; empty: no other
};
constexpr std::array<Words, kFaultKinds> kWords{{
    {"master-dies", "the master dies", "the master's machine loses its power"},
    {"master-stops", "the master stops"},
    {"clock-jumps", "the master's clock jumps by %a s"},
    {"master-clock-drifts", "the master's clocks count %a s a second"},
    {"journal-full", "the journal's disk is full"},
    {"worker-leaves", "worker %n gets SIGTERM and drains for up to %a s, and is away"},
    {"node-drains", "worker %n is taken out"},
    {"worker-dies", "worker %n dies", "worker %n's machine loses its power"},
    {"launcher-dies", "worker %n's launcher dies"},
    {"worker-stops", "worker %n stops"},
    {"launcher-stops", "worker %n's launcher stops"},
    {"node-stops", "worker %n and its attempts stop"},
    {"partition", "worker %n is cut off"},
    {"deaf-worker", "worker %n hears nothing"},
    {"mute-worker", "worker %n is not heard"},
    {"connection-breaks", "worker %n's connection breaks"},
    {"slow-network", "bytes take up to %a s more"},
    {"slow-disk", "worker %n's disks take up to %a s more"},
    {"clock-drifts", "worker %n's clocks count %a s a second"},
    {"disk-full", "worker %n's disks are full"},
    {"disk-fails", "worker %n's disks fail"},
    {"attempt-dies", "an attempt of worker %n dies"},
    {"attempt-stops", "an attempt of worker %n stops and never goes on"},
    {"node-fails-fast", "every attempt fails at once on worker %n, in way %a,"},
    {"mount-hangs", "worker %n's shared files hang"},
    {"commit-fails", "the master cannot write to shared files"},
    {"output-hangs", "the master's shared files hang"},
    {"second-master", "a second master is started"},
    {"client-dies", "the client of submission %n dies"},
    {"input-changes", "the input of submission %n is %c"},
    {"output-lost", "what attempts of submission %n have written is removed"},
    {"store-dies", "the store dies", "the store's machine loses its power"},
    {"store-stops", "the store stops"},
    {"slow-store", "the store takes up to %a s more"},
    {"store-cut-off", "the store is cut off from %w"},
    {"store-refuses", "the store answers %s of requests with %a"},
    {"store-breaks-off", "the store breaks off %s of connections"},
    {"rival-claims", "a job of another cluster claims the next output in the store"},
    {"master-cut-off", "the master is cut off from %o"},
    {"etcd-dies", "etcd dies", "etcd's machine loses its power"},
    {"etcd-stops", "etcd stops"},
    {"slow-etcd", "etcd takes up to %a s more"},
    {"etcd-full", "etcd has no space"},
    {"etcd-refuses", "etcd refuses %s of requests"},
    {"etcd-breaks-off", "etcd breaks off %s of connections"},
    {"etcd-clock-drifts", "etcd's clock counts %a s a second"},
}};
constexpr std::array<std::string_view, 4> kTriggers{"time", "batch", "commit-step", "store-request"};

const Words& words_of(FaultKind kind) { return kWords[static_cast<std::size_t>(kind)]; }

// Whom the store is cut off from, and in which direction.
std::string ways_of(const Fault& fault) {
  const std::string whom = fault.share <= 0  ? "everybody"
                           : fault.share < 1 ? "worker " + std::to_string(fault.node)
                                             : "the master";
  return whom + (fault.amount < 1 ? "" : fault.amount < 2 ? " in what it is sent" : " in what it sends");
}

// What stands for a mark of a sentence.
std::string meaning(char mark, const Fault& fault) {
  switch (mark) {
    case 'n':
      return std::to_string(fault.node);
    case 'a':
      return number(fault.amount);
    case 's':
      return number(100 * fault.share) + " %";
    case 'c':
      return fault.amount < 1 ? "written over" : "replaced";
    case 'o':
      return fault.amount < 1 ? "everybody" : fault.amount < 2 ? "etcd" : "workers and clients";
    default:
      return ways_of(fault);
  }
}

std::string what(const Fault& fault) {
  const Words& words = words_of(fault.kind);
  const std::string_view sentence = fault.is_silent && !words.silent.empty() ? words.silent : words.sentence;
  std::string text;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    text += sentence[i] == '%' ? meaning(sentence[++i], fault) : std::string(1, sentence[i]);
  }
  return text;
}

template <class Kind>
Kind kind_of(const Json& json, const auto& all, auto name) {
  const auto found = std::ranges::find(all, json.get<std::string>(), name);
  if (found == all.end()) throw std::invalid_argument("there is no '" + json.get<std::string>() + "'");
  return static_cast<Kind>(found - all.begin());
}

std::string describe(const Submission& submission) {
  std::string line = "job at " + number(submission.at) + " s: " + std::to_string(submission.tasks) +
                     (submission.is_compressed ? " (compressed: 1)" : "") + " tasks of " +
                     std::to_string(submission.split_bytes) + " bytes" +
                     (submission.files > 1 ? " in " + std::to_string(submission.files) + " files" : "") +
                     ", records of " + std::to_string(submission.record_bytes) + " that take " +
                     number(submission.record_time) + " s, policy " + submission.policy;
  if (submission.start > 0) line += ", segments start for " + number(submission.start) + " s";
  if (submission.deadline > 0) line += ", deadline " + number(submission.deadline) + " s";
  if (submission.kill_on_miss) line += " or it is killed";
  if (submission.checkpoint >= 0) line += ", checkpoint " + number(submission.checkpoint) + " s";
  if (submission.attempt_timeout > 0) line += ", attempt timeout " + number(submission.attempt_timeout) + " s";
  if (submission.killed_at >= 0) line += ", killed at " + number(submission.killed_at) + " s";
  if (submission.is_killed_late) line += ", killed while it is committed";
  if (submission.has_input_in_store) line += ", input in a store";
  if (submission.has_output_in_store) line += ", output in a store";
  return line + "\n";
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

std::string describe(const FaultPlan& plan) {
  std::string all = "seed " + std::to_string(plan.seed) + "\n";
  for (std::size_t node = 0; node < plan.slots.size(); ++node) {
    all += "worker " + std::to_string(node) + ": " + std::to_string(plan.slots[node]) + " slots, slowness " +
           number(plan.slowness[node]) + "\n";
  }
  all += std::string(plan.is_one_machine ? "on one machine\n" : "on a machine each\n") + "heartbeat " +
         number(plan.heartbeat) + " s, node timeout " + number(plan.node_timeout) + " s, cut timeout " +
         number(plan.cut_timeout) + " s\nup to: network " + number(plan.network_delay) + " s, disk " +
         number(plan.disk_delay) + " s, sync " + number(plan.sync_delay) + " s, wall clock wrong by " +
         number(plan.clock_error) + " s\nspread of paces " + number(plan.spread) + ", ended jobs kept " +
         std::to_string(plan.jobs_kept) + "\n";
  if (plan.is_shared()) {
    all += std::to_string(plan.masters) + " masters, a lease of " + number(plan.lease) + " s, snapshots after " +
           std::to_string(plan.snapshot_bytes) + " bytes (0: as ever)\n";
  }
  for (const Submission& submission : plan.submissions) all += describe(submission);
  for (const Fault& fault : plan.faults) all += to_string(fault) + "\n";
  return all;
}

bool FaultPlan::has_any(std::initializer_list<FaultKind> kinds) const {
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
    return std::find(kinds.begin(), kinds.end(), fault.kind) != kinds.end();
  });
}

bool FaultPlan::must_succeed() const {
  using enum FaultKind;
  const bool fails_everywhere = std::any_of(faults.begin(), faults.end(), [this](const Fault& fault) {
    return fault.kind == NodeFailsFast && (is_one_machine || !has_good_node_beside(fault.node));
  });
  // As often as one segment may fail, where no other node can show that it was the node's fault.
  const auto launchers =
      std::count_if(faults.begin(), faults.end(), [](const Fault& fault) { return fault.kind == LauncherDies; });
  const bool is_harmless = !has_any({DiskFull, DiskFails, AttemptDies, AttemptStops, CommitFails, MountHangs,
                                     OutputHangs, LauncherStops, InputChanges, OutputLost});
  return is_harmless && !fails_everywhere && launchers < kAttemptsMax &&
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

bool FaultPlan::may_act_late() const {
  using enum FaultKind;
  return is_shared() && has_any({MasterStops, MasterClockDrifts, EtcdClockDrifts});
}

bool FaultPlan::may_leave_output() const {
  using enum FaultKind;
  return may_act_late() || has_any({CommitFails, OutputHangs, DiskFails, DiskFull});
}

bool FaultPlan::may_leave_claims() const {
  using enum FaultKind;
  return may_fail_at_store() || has_any({CommitFails, DiskFails, DiskFull});
}

bool FaultPlan::may_blame_a_job_for_lost_workers() const {
  const auto silencing = std::count_if(faults.begin(), faults.end(), [](const Fault& fault) {
    return fault.kind >= FaultKind::WorkerLeaves && fault.kind <= FaultKind::MuteWorker;
  });
  return silencing >= 4 || (is_shared() && !faults.empty());
}

// Until workers have found the master that leads now, it may take them for lost.
bool FaultPlan::may_lose_attempts() const {
  using enum FaultKind;
  if (is_shared() && !faults.empty()) return true;
  constexpr std::array kHarmless{ClockJumps,   ConnectionBreaks, CommitFails, OutputHangs,
                                 SecondMaster, ClientDies,       JournalFull};
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
    if (fault.kind == MasterDies) return is_one_machine && fault.is_silent;
    return std::find(kHarmless.begin(), kHarmless.end(), fault.kind) == kHarmless.end() && !is_about_store(fault.kind);
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

// Found by nlohmann::json by their names.
void to_json(Json& json, FaultKind kind) { json = words_of(kind).name; }
void from_json(const Json& json, FaultKind& kind) { kind = kind_of<FaultKind>(json, kWords, &Words::name); }
void to_json(Json& json, Trigger trigger) { json = kTriggers[static_cast<std::size_t>(trigger)]; }
void from_json(const Json& json, Trigger& trigger) { trigger = kind_of<Trigger>(json, kTriggers, std::identity()); }
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Fault, kind, trigger, at, lasts, node, amount, share, is_silent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Submission, at, tasks, split_bytes, record_bytes, record_time, start,
                                                is_compressed, files, output_every, policy, policy_parameters, deadline,
                                                kill_on_miss, checkpoint, attempt_timeout, killed_at, is_killed_late,
                                                has_input_in_store, has_output_in_store)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FaultPlan, seed, is_one_machine, slots, slowness, submissions, faults,
                                                quiet_after, network_delay, disk_delay, sync_delay, spread, heartbeat,
                                                node_timeout, cut_timeout, clock_error, jobs_kept, masters, lease,
                                                snapshot_bytes)

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
      return bad_input("a fault schedule needs 'slots' and 'slowness' with a number for each worker, and a job");
    }
    for (const Fault& fault : plan.faults) {
      const std::size_t count = is_about_jobs(fault.kind) ? plan.submissions.size() : plan.slots.size();
      const bool has_whom = fault.node < count && (!is_about_store(fault.kind) || plan.has_store()) &&
                            (!is_about_sharing(fault.kind) || plan.is_shared());
      if (!has_whom)
        return bad_input("'" + to_string(fault) + "' names a worker, job, store or etcd that is not there");
    }
    return plan;
  } catch (const std::exception& error) {
    return bad_input(std::string("not a fault schedule: ") + error.what());
  }
}

}  // namespace ontime::lab::faults
