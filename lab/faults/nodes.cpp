#include "lab/faults/nodes.h"

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/machines/disk.h"
#include "lab/machines/network.h"
#include "lab/machines/programs.h"

namespace ontime::lab::faults {

using machines::Process;

Nodes::Nodes(const FaultPlan& plan, machines::Cluster& cluster, machines::Machine& home,
             const std::string& application_directory)
    : cluster_(cluster), home_(home), application_directory_(application_directory), spread_(plan.spread) {
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    Node node;
    node.name = "w" + std::to_string(i);
    node.machine = plan.is_one_machine ? &home : &cluster.add_machine(node.name);
    node.slots = plan.slots[i];
    node.slowness = plan.slowness[i];
    nodes_.push_back(std::move(node));
  }
}

void Nodes::start() {
  for (Node& node : nodes_) start(node);
}

void Nodes::start(Node& node) {
  machines::WorkerProgram program;
  program.master = home_.address();
  program.name = node.name;
  program.slots = node.slots;
  program.application_directories = {application_directory_};
  program.pace = [this, slowness = node.slowness] {
    return slowness * std::exp(spread_ * (2 * cluster_.world.uniform() - 1));
  };
  node.worker = machines::start_worker(cluster_, *node.machine, program).id();
}

void Nodes::supervise() {
  for (Node& node : nodes_) {
    const Process* const worker = cluster_.process(node.worker);
    if (node.is_coming || (worker != nullptr && !worker->is_over())) continue;
    node.is_coming = true;
    node.back_at = std::max(node.back_at, cluster_.world.now() + std::chrono::milliseconds(200));
    cluster_.world.at(node.back_at, [this, &node] {
      node.is_coming = false;
      start(node);
    });
  }
}

void Nodes::stay_away(TimePoint until) {
  for (Node& node : nodes_) node.back_at = std::max(node.back_at, until);
}

std::vector<Process*> Nodes::processes(const Node& node, Role role) const {
  const std::string worker = "worker " + node.name;
  const std::string wanted =
      role == Role::Worker ? worker : (role == Role::Launcher ? "launcher of " : "runner of ") + worker;
  std::vector<Process*> found;
  for (const auto& [id, process] : cluster_.processes()) {
    if (process->name() == wanted && !process->is_over()) found.push_back(process.get());
  }
  return found;
}

std::string Nodes::left_over() const {
  for (const Node& node : nodes_) {
    if (!processes(node, Role::Runner).empty()) return processes(node, Role::Runner).front()->name();
  }
  return "";
}

void Nodes::kill(Node& node, const Fault& fault) {
  node.back_at = std::max(node.back_at, cluster_.world.now() + from_seconds(fault.lasts));
  if (fault.is_silent && node.machine != &home_) return cluster_.cut_power(*node.machine);
  cluster_.send_signal(node.worker, SIGKILL);
}

void Nodes::stop(Node& node, std::initializer_list<Role> roles) {
  for (const Role role : roles) {
    for (Process* const process : processes(node, role)) {
      process->stop();
      node.stopped.push_back(process->id());
    }
  }
}

void Nodes::go_on(Node& node) {
  for (const pid_t id : std::exchange(node.stopped, {})) {
    if (Process* const process = cluster_.process(id)) process->go_on();
  }
}

void Nodes::set_way(const Node& node, bool to_worker, bool is_cut) {
  const std::uint32_t there = node.machine->address();
  const auto [from, to] = to_worker ? std::pair(home_.address(), there) : std::pair(there, home_.address());
  is_cut ? cluster_.network->cut(from, to) : cluster_.network->mend(from, to);
}

void Nodes::strike_attempt(const Node& node, const Fault& fault, int signal) {
  const auto runners = processes(node, Role::Runner);
  if (runners.empty()) return;
  const auto chosen = static_cast<std::size_t>(fault.share * static_cast<double>(runners.size()));
  cluster_.send_signal(runners[std::min(chosen, runners.size() - 1)]->id(), signal);
}

void Nodes::begin(const Fault& fault) {
  Node& node = nodes_[fault.node];
  machines::Machine& machine = *node.machine;
  switch (fault.kind) {
    case FaultKind::WorkerDies:
      return kill(node, fault);
    case FaultKind::WorkerLeaves:
      node.back_at = std::max(node.back_at, cluster_.world.now() + from_seconds(fault.lasts));
      return cluster_.send_signal(node.worker, SIGTERM);
    case FaultKind::LauncherDies:
      for (Process* const launcher : processes(node, Role::Launcher)) cluster_.send_signal(launcher->id(), SIGKILL);
      return;
    case FaultKind::WorkerStops:
      return stop(node, {Role::Worker});
    case FaultKind::LauncherStops:
      return stop(node, {Role::Launcher});
    case FaultKind::NodeStops:
      return stop(node, {Role::Worker, Role::Launcher, Role::Runner});
    case FaultKind::Partition:
      set_way(node, true, true);
      return set_way(node, false, true);
    case FaultKind::DeafWorker:
      return set_way(node, true, true);
    case FaultKind::MuteWorker:
      return set_way(node, false, true);
    case FaultKind::ConnectionBreaks:
      return cluster_.network->reset(home_.address(), machine.address());
    case FaultKind::SlowDisk:
      machine.local.slower_by += from_seconds(fault.amount);
      machine.shared.slower_by += from_seconds(fault.amount);
      return;
    case FaultKind::ClockDrifts:
      return machine.set_clock_rate(fault.amount);
    case FaultKind::DiskFull:
      machine.shared.is_full = true;
      return;
    case FaultKind::DiskFails:
      machine.shared.fails = true;
      return;
    case FaultKind::MountHangs:
      machine.shared.hangs = true;
      return;
    case FaultKind::AttemptDies:
      return strike_attempt(node, fault, SIGKILL);
    case FaultKind::AttemptStops:
      return strike_attempt(node, fault, SIGSTOP);
    case FaultKind::NodeFailsFast:
      machine.shared.is_full = machine.shared.is_full || fault.amount < 1;
      machine.has_applications = fault.amount < 1 || fault.amount >= 2;
      machine.can_fork = fault.amount < 2;
      return;
    default:
      return;
  }
}

void Nodes::end(const Fault& fault) {
  Node& node = nodes_[fault.node];
  machines::Machine& machine = *node.machine;
  switch (fault.kind) {
    case FaultKind::WorkerDies:
      return cluster_.restore_power(machine);
    case FaultKind::WorkerLeaves:
      return cluster_.send_signal(node.worker, SIGCONT);
    case FaultKind::WorkerStops:
    case FaultKind::LauncherStops:
    case FaultKind::NodeStops:
      return go_on(node);
    case FaultKind::Partition:
      set_way(node, true, false);
      return set_way(node, false, false);
    case FaultKind::DeafWorker:
      return set_way(node, true, false);
    case FaultKind::MuteWorker:
      return set_way(node, false, false);
    case FaultKind::SlowDisk:
      machine.local.slower_by -= from_seconds(fault.amount);
      machine.shared.slower_by -= from_seconds(fault.amount);
      return;
    case FaultKind::ClockDrifts:
      return machine.set_clock_rate(1);
    case FaultKind::DiskFull:
    case FaultKind::NodeFailsFast:
      machine.shared.is_full = false;
      machine.has_applications = machine.can_fork = true;
      return;
    case FaultKind::DiskFails:
      machine.shared.fails = false;
      return;
    case FaultKind::MountHangs:
      return machines::answer(machine.shared);
    default:
      return;
  }
}

}  // namespace ontime::lab::faults
