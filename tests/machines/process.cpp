#include "tests/machines/process.h"

#include <signal.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/base/check.h"
#include "tests/machines/disk.h"
#include "tests/machines/network.h"

namespace ontime::lab::machines {

Process::Process(Machine& machine, pid_t id, pid_t parent_id, std::string name)
    : parent(parent_id), group(id), machine_(machine), id_(id), name_(std::move(name)) {}

Process::~Process() = default;

World& Process::world() const { return machine_.world(); }

Thread& Process::start_thread(std::function<void()> body) {
  const std::uint64_t number = ++last_thread_;
  const auto thread = std::make_shared<Thread>(world(), *this, number, std::move(body));
  threads_.emplace(number, thread);
  Cluster& cluster = machine_.cluster();
  if (is_limited && threads_.size() > cluster.threads_max && cluster.broken.empty())
    cluster.broken = name_ + " has too many threads";
  thread->wake();
  return *thread;
}

void Process::start(Main main) {
  main_thread_ = start_thread([this, main = std::move(main)] { exit(main()); }).number();
}

void Process::on_thread_ended(Thread& thread) {
  threads_.erase(thread.number());  // `thread` lives on with what runs it
  thread.ended().wake_all();
}

void Process::kill(int signal) {
  if (signal == SIGSTOP) return stop();
  if (signal == SIGCONT) return go_on();
  if (signal != SIGTERM || signal_files.empty()) return end(signal);
  is_told_to_end = true;
  for (const auto& weak : signal_files) {
    if (const auto file = weak.lock()) file->change();
  }
}

void Process::stop() { is_stopped_ = true; }

void Process::go_on() {
  if (!std::exchange(is_stopped_, false)) return;
  for (const auto& [number, thread] : threads_) thread->go_on();
}

void Process::end(int wait_status) {
  if (is_over_) return;
  is_over_ = true;
  Thread* const here = World::here();
  const bool is_own = here != nullptr && &here->process() == this;
  for (const auto& [number, thread] : std::exchange(threads_, {})) thread->cancel();
  {
    const auto slots = std::exchange(slots_, {});
    machine_.cluster().on_ended(*this, wait_status);
  }
  if (is_own) Fiber::give_way();  // never comes back
}

int Process::add(FilePointer file, bool closes_on_exec, int from) {
  int descriptor = from;
  for (auto at = slots_.lower_bound(from); at != slots_.end() && at->first == descriptor; ++at) ++descriptor;
  slots_.emplace(descriptor, Slot{Held(std::move(file)), closes_on_exec});
  Cluster& cluster = machine_.cluster();
  if (is_limited && slots_.size() > cluster.descriptors_max && cluster.broken.empty())
    cluster.broken = name_ + " leaks descriptors";
  return descriptor;
}

FilePointer Process::at(int descriptor) const {
  const auto found = slots_.find(descriptor);
  return found == slots_.end() ? nullptr : found->second.file.get();
}

Slot* Process::slot(int descriptor) {
  const auto found = slots_.find(descriptor);
  return found == slots_.end() ? nullptr : &found->second;
}

int Process::close(int descriptor) {
  const auto found = slots_.extract(descriptor);
  return found.empty() ? -EBADF : 0;
}

Machine::Machine(Cluster& cluster, std::string name, std::uint32_t address)
    : disk(std::make_unique<Disk>(cluster.world, Disk::Kind::Local, true)),
      cluster_(cluster),
      name_(std::move(name)),
      address_(address) {}

Machine::~Machine() = default;

World& Machine::world() const { return cluster_.world; }
TimePoint Machine::steady_time() const {
  const Duration passed = world().now() - rate_since_;
  return steady_then_ + (clock_rate_ == 1 ? passed : from_seconds(seconds(passed) * clock_rate_));
}

TimePoint Machine::in(Duration by_its_clocks) const {
  if (clock_rate_ == 1) return world().now() + by_its_clocks;
  return world().now() + from_seconds(seconds(by_its_clocks) / clock_rate_) + std::chrono::nanoseconds(1);
}

void Machine::set_clock_rate(double rate) {
  steady_then_ = steady_time();
  rate_since_ = world().now();
  clock_rate_ = rate;
}

Cluster::Cluster(std::uint64_t seed, TimePoint begin)
    : world(seed, begin),
      network(std::make_unique<Network>(world)),
      shared(std::make_unique<Disk>(world, Disk::Kind::Shared, true)) {}

// Open files first: they know the network and the disks.
Cluster::~Cluster() { processes_.clear(); }

Machine& Cluster::add_machine(std::string name) {
  const auto address = 0x0a000000u + static_cast<std::uint32_t>(machines_.size()) + 1;
  return *machines_.emplace_back(std::make_unique<Machine>(*this, std::move(name), address));
}

Process& Cluster::start(Machine& machine, std::string name, Process::Main main, pid_t parent,
                        std::map<int, Slot> slots) {
  bury();
  const pid_t id = ++last_id_;
  auto& process =
      *processes_.emplace(id, std::make_unique<Process>(machine, id, parent, std::move(name))).first->second;
  process.slots_ = std::move(slots);
  process.start(std::move(main));
  return process;
}

Process* Cluster::process(pid_t id) {
  const auto found = processes_.find(id);
  return found == processes_.end() ? nullptr : found->second.get();
}

void Cluster::on_ended(Process& process, int wait_status) {
  ++processes_ended_;
  const pid_t id = process.id();
  if (Process* const parent = this->process(process.parent); parent != nullptr && !parent->is_over()) {
    parent->ended_children.emplace(id, wait_status);
    ++parent->pending_children;
    parent->children_changed.wake_all();
    for (const auto& weak : parent->signal_files) {
      if (const auto file = weak.lock()) file->change();
    }
  }
  std::vector<pid_t> orphans;
  for (const auto& [other, child] : processes_) {
    if (child->parent == id && !child->is_over()) orphans.push_back(other);
  }
  for (const pid_t orphan : orphans) {
    Process* const child = this->process(orphan);
    if (child == nullptr || child->is_over()) continue;
    child->parent = 1;
    if (child->dies_with_parent) child->kill(SIGKILL);
  }
}

// Of those that ended: nothing runs on their stacks any more once this is called from outside or from another one.
void Cluster::bury() {
  Thread* const here = World::here();
  std::erase_if(processes_, [&](const auto& entry) {
    const Process& process = *entry.second;
    return process.is_over() && (here == nullptr || &here->process() != &process);
  });
}

void Cluster::cut_power(Machine& machine) {
  network->switch_off(machine.address());
  std::vector<pid_t> there;
  for (const auto& [id, process] : processes_) {
    if (&process->machine() == &machine && !process->is_over()) there.push_back(id);
  }
  for (const pid_t id : there) processes_.at(id)->kill(SIGKILL);
  machine.disk->cut_power(machine.address());
  shared->cut_power(machine.address());
}

void Cluster::restore_power(Machine& machine) { network->switch_on(machine.address()); }

void Cluster::send_signal(pid_t id, int signal) {
  std::vector<pid_t> meant;
  for (const auto& [other, process] : processes_) {
    if (!process->is_over() && (id > 0 ? other == id : process->group == -id)) meant.push_back(other);
  }
  for (const pid_t one : meant) {
    if (Process* const process = this->process(one); process != nullptr && !process->is_over()) process->kill(signal);
  }
}

void end_at_broken_check(const char* sentence) {
  Thread* const here = World::here();
  if (here == nullptr) throw std::logic_error(sentence);
  std::string& broken = here->process().machine().cluster().broken;
  if (broken.empty()) broken = here->process().name() + ": " + sentence;
  here->process().kill(SIGABRT);
}

}  // namespace ontime::lab::machines
