#include "tests/faults/nodes.h"

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/machines/disk.h"
#include "tests/machines/network.h"
#include "tests/machines/programs.h"

namespace ontime::lab::faults {

using machines::Process;

Nodes::Nodes(const FaultPlan& plan, machines::Cluster& cluster, Homes homes, const std::string& application_directory)
    : cluster_(cluster), homes_(std::move(homes)), application_directory_(application_directory), spread_(plan.spread) {
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    Node node;
    node.name = "w" + std::to_string(i);
    node.machine = plan.is_one_machine ? homes_.front() : &cluster.add_machine(node.name);
    node.slots = plan.slots[i];
    node.slowness = plan.slowness[i];
    nodes_.push_back(std::move(node));
  }
}

bool Supervised::is_up(machines::Cluster& cluster) const {
  const Process* const process = cluster.process(id);
  return process != nullptr && !process->is_over();
}

void Supervised::supervise(machines::Cluster& cluster, std::function<pid_t()> start) {
  if (is_coming || is_up(cluster)) return;
  is_coming = true;
  stay_away(cluster.world.now() + std::chrono::milliseconds(200));
  cluster.world.at(back_at, [this, &cluster, start = std::move(start)] {
    is_coming = false;
    if (!is_up(cluster)) id = start();
  });
}

void Nodes::start() {
  for (Node& node : nodes_) node.worker.id = start(node);
}

pid_t Nodes::start(const Node& node) {
  machines::WorkerProgram program;
  std::vector<net::Endpoint> masters;
  for (const machines::Machine* const home : homes_) masters.push_back(machines::master_at(home->address()));
  program.masters = net::Masters(std::move(masters));
  program.name = node.name;
  program.slots = node.slots;
  program.application_directories = {application_directory_};
  program.pace = [this, slowness = node.slowness] {
    return slowness * std::exp(spread_ * (2 * cluster_.world.uniform() - 1));
  };
  return machines::start_worker(cluster_, *node.machine, program).id();
}

void Nodes::supervise() {
  for (Node& node : nodes_) node.worker.supervise(cluster_, [this, &node] { return start(node); });
}

void Nodes::stay_away(TimePoint until) {
  for (Node& node : nodes_) node.worker.stay_away(until);
}

std::vector<machines::Machine*> Nodes::machines() const {
  std::vector<machines::Machine*> all;
  for (const Node& node : nodes_) all.push_back(node.machine);
  return all;
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
  node.worker.stay_away(cluster_.world.now() + from_seconds(fault.lasts));
  if (fault.is_silent && node.machine != homes_.front()) return cluster_.cut_power(*node.machine);
  cluster_.send_signal(node.worker.id, SIGKILL);
}

void Nodes::set_stopped(Node& node, std::initializer_list<Role> roles, bool is_stopped) {
  if (!is_stopped) {
    for (const pid_t id : std::exchange(node.stopped, {})) {
      if (Process* const process = cluster_.process(id)) process->go_on();
    }
    return;
  }
  for (const Role role : roles) {
    for (Process* const process : processes(node, role)) {
      process->stop();
      node.stopped.push_back(process->id());
    }
  }
}

void Nodes::set_way(const Node& node, bool to_worker, bool is_cut) {
  const std::uint32_t there = node.machine->address();
  for (const machines::Machine* const home : homes_) {
    const auto [from, to] = to_worker ? std::pair(home->address(), there) : std::pair(there, home->address());
    is_cut ? cluster_.network->cut(from, to) : cluster_.network->mend(from, to);
  }
}

void Nodes::strike_attempt(const Node& node, const Fault& fault, int signal) {
  const auto runners = processes(node, Role::Runner);
  if (runners.empty()) return;
  const auto chosen = static_cast<std::size_t>(fault.share * static_cast<double>(runners.size()));
  cluster_.send_signal(runners[std::min(chosen, runners.size() - 1)]->id(), signal);
}

void Nodes::set(const Fault& fault, bool begins) {
  Node& node = nodes_[fault.node];
  machines::Machine& machine = *node.machine;
  switch (fault.kind) {
    case FaultKind::WorkerDies:
      return begins ? kill(node, fault) : cluster_.restore_power(machine);
    case FaultKind::WorkerLeaves:
      if (begins) node.worker.stay_away(cluster_.world.now() + from_seconds(fault.lasts));
      return cluster_.send_signal(node.worker.id, begins ? SIGTERM : SIGCONT);
    case FaultKind::WorkerStops:
      return set_stopped(node, {Role::Worker}, begins);
    case FaultKind::LauncherStops:
      return set_stopped(node, {Role::Launcher}, begins);
    case FaultKind::NodeStops:
      return set_stopped(node, {Role::Worker, Role::Launcher, Role::Runner}, begins);
    case FaultKind::Partition:
      set_way(node, true, begins);
      return set_way(node, false, begins);
    case FaultKind::DeafWorker:
      return set_way(node, true, begins);
    case FaultKind::MuteWorker:
      return set_way(node, false, begins);
    case FaultKind::SlowDisk:
      for (machines::Mount* const mount : {&machine.local, &machine.shared})
        mount->slower_by += from_seconds(begins ? fault.amount : -fault.amount);
      return;
    case FaultKind::ClockDrifts:
      return machine.set_clock_rate(begins ? fault.amount : 1);
    case FaultKind::DiskFull:
      machine.shared.fill(begins);
      if (!begins) machine.has_applications = machine.can_fork = true;
      return;
    case FaultKind::NodeFailsFast:
      machine.shared.fill(begins && (machine.shared.is_full || fault.amount < 1));
      machine.has_applications = !begins || fault.amount < 1 || fault.amount >= 2;
      machine.can_fork = !begins || fault.amount < 2;
      return;
    case FaultKind::DiskFails:
      machine.shared.fails = begins;
      return;
    case FaultKind::MountHangs:
      return machine.shared.hang(begins);
    default:
      if (begins) strike(node, fault);
  }
}

// What is over at once.
void Nodes::strike(const Node& node, const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::LauncherDies:
      for (Process* const launcher : processes(node, Role::Launcher)) cluster_.send_signal(launcher->id(), SIGKILL);
      return;
    case FaultKind::ConnectionBreaks:
      for (const machines::Machine* const home : homes_)
        cluster_.network->reset(home->address(), node.machine->address());
      return;
    case FaultKind::AttemptDies:
      return strike_attempt(node, fault, SIGKILL);
    case FaultKind::AttemptStops:
      return strike_attempt(node, fault, SIGSTOP);
    default:
      return;
  }
}

}  // namespace ontime::lab::faults
