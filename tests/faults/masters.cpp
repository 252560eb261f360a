#include "tests/faults/masters.h"

#include <signal.h>

#include <algorithm>
#include <iterator>

#include "common/protocol/notice.pb.h"
#include "tests/machines/disk.h"
#include "tests/machines/network.h"

namespace ontime::lab::faults {

using machines::Process;

constexpr Duration kNoticesItsEnd = std::chrono::milliseconds(1);

Masters::Masters(const FaultPlan& plan, machines::Cluster& cluster, Etcd* etcd, Audit& audit)
    : plan_(plan), cluster_(cluster), etcd_(etcd), audit_(audit) {
  for (const auto& machine : cluster.machines()) {
    if (!machine->name().starts_with(kHome)) continue;
    masters_.push_back({.home = machine.get(), .name = net::to_string(machines::master_at(machine->address()))});
  }
}

std::vector<machines::Machine*> Masters::homes() const {
  std::vector<machines::Machine*> all;
  for (const Master& master : masters_) all.push_back(master.home);
  return all;
}

void Masters::start() {
  for (Master& master : masters_) master.process.id = start(master);
}

pid_t Masters::start(Master& master) {
  ++lives_;
  const double error = plan_.clock_error * (2 * cluster_.world.uniform() - 1);
  if (master.lives++ > 0) master.home->wall_clock_ahead = from_seconds(error);
  machines::MasterProgram program;
  program.journal = kJournal;
  if (etcd_ != nullptr) program.etcd = etcd_->address();
  program.lease = from_seconds(plan_.lease);
  if (plan_.snapshot_bytes > 0) program.snapshot_bytes = plan_.snapshot_bytes;
  program.settings.node_timeout = from_seconds(plan_.node_timeout);
  program.settings.heartbeat = from_seconds(plan_.heartbeat);
  program.settings.cut_timeout = from_seconds(plan_.cut_timeout);
  program.settings.history.jobs = plan_.jobs_kept;
  program.settings.notices.otherwise = kNotices;
  program.settings.notices.tell = [this, &master, life = lives_](const std::string& bytes, const auto& done) {
    wire::NoticeToTell notice;
    audit_.require(notice.ParseFromString(bytes), "a notice can be read");
    if (leads(master)) audit_.on_notice(notice.id(), life);
    done("");
  };
  program.wrap = [this, &master, life = lives_](std::unique_ptr<journal::Journal> real) {
    return watch(std::move(real), master, life);
  };
  program.watch = [&master](const master::Master* made) {
    master.seen = made;
    master.process.id = machines::World::here()->process().id();  // whichever has got the journal
  };
  return machines::start_master(cluster_, *master.home, program).id();
}

std::unique_ptr<journal::Journal> Masters::watch(std::unique_ptr<journal::Journal> real, Master& master,
                                                 std::uint32_t life) {
  const auto after = [this, &master] {
    if (master.seen != nullptr) audit_.on_step(master.seen->cluster());
  };
  if (etcd_ == nullptr) return watched(std::move(real), audit_, on_batch, after);
  const auto still_leads = [this, &master] { return leads(master); };
  return watched_shared(std::move(real), audit_, {life, still_leads, on_batch, after});
}

bool Masters::leads(const Master& master) { return etcd_ == nullptr || etcd_->leader() == master.name; }

Masters::Master& Masters::leader(std::uint32_t otherwise) {
  const auto found = std::ranges::find_if(masters_, [this](const Master& one) { return leads(one); });
  return found != masters_.end() ? *found : *std::next(masters_.begin(), otherwise % plan_.masters);
}

bool Masters::has_leader() {
  const Master& master = leader(0);
  return leads(master) && master.seen != nullptr && master.process.is_up(cluster_);
}

bool Masters::is_leading_process(const Process& process) const {
  return std::ranges::any_of(masters_, [&](const Master& one) {
    return one.process.id == process.id() && (etcd_ == nullptr || one.seen != nullptr);
  });
}

bool Masters::are_up() const {
  return std::ranges::all_of(masters_, [this](const Master& one) { return one.process.is_up(cluster_); });
}

net::Masters Masters::addresses() const {
  std::vector<net::Endpoint> all;
  for (const Master& master : masters_) all.push_back(machines::master_at(master.home->address()));
  return net::Masters(std::move(all));
}

void Masters::supervise() {
  for (Master& master : masters_) {
    if (!master.process.is_up(cluster_) && !master.process.is_coming) master.seen = nullptr;
    master.process.supervise(cluster_, [this, &master] { return start(master); });
  }
}

void Masters::kill_leader() {
  Master& master = leader(0);
  master.seen = nullptr;
  cluster_.send_signal(master.process.id, SIGKILL);
}

void Masters::kill(Master& master, const Fault& fault) {
  if (!master.process.is_up(cluster_)) return;
  master.seen = nullptr;
  master.process.stay_away(cluster_.world.now() + from_seconds(fault.lasts));
  if (!fault.is_silent) return cluster_.send_signal(master.process.id, SIGKILL);
  cluster_.cut_power(*master.home);
  on_power_cut(master.process.back_at);
  cluster_.world.at(master.process.back_at, [this, &master] { cluster_.restore_power(*master.home); });
}

void Masters::kill_after(Duration delay, const Fault& fault) {
  Master& master = leader(fault.node);
  cluster_.world.after(delay, [this, &master, &fault, life = master.lives] {
    if (life == master.lives) kill(master, fault);
  });
}

void Masters::cut_off(const Master& master, const Fault& fault, bool begins) {
  std::vector<machines::Machine*> others;
  if (fault.amount < 2) others.push_back(&etcd_->machine());
  if (fault.amount < 1 || fault.amount >= 2) std::ranges::copy(peers(), std::back_inserter(others));
  machines::Network& network = *cluster_.network;
  for (machines::Machine* const other : others) {
    for (const auto& [from, to] : {std::pair(master.home, other), std::pair(other, master.home)})
      begins ? network.cut(from->address(), to->address()) : network.mend(from->address(), to->address());
  }
}

// Of one that has led, and goes on after its lease.
void Masters::require_end(const Master& master, pid_t id) {
  using enum FaultKind;
  if (master.process.id != id || master.seen == nullptr || leads(master)) return;
  if (plan_.has_any({MasterClockDrifts, EtcdClockDrifts})) return;
  cluster_.world.after(kNoticesItsEnd, [this, id] {
    const Process* const process = cluster_.process(id);
    const bool has_ended = process == nullptr || process->is_over() || process->is_stopped();
    audit_.require(has_ended, "a master that stood still until its lease was over ends at once");
  });
}

void Masters::set(const Fault& fault, bool begins) {
  if (begins) {
    Master& leading = leader(fault.node);
    struck_[&fault] = {&leading, leading.process.id};
  }
  const auto& [master, process] = struck_.at(&fault);
  machines::Machine& home = *master->home;
  switch (fault.kind) {
    case FaultKind::MasterDies:
      return kill(*master, fault);
    case FaultKind::MasterStops:
      if (Process* const stopped = cluster_.process(process)) stopped->kill(begins ? SIGSTOP : SIGCONT);
      if (!begins) require_end(*master, process);
      return;
    case FaultKind::MasterCutOff:
      return cut_off(*master, fault, begins);
    case FaultKind::ClockJumps:
      home.wall_clock_ahead += from_seconds(fault.amount);
      return;
    case FaultKind::MasterClockDrifts:
      return home.set_clock_rate(begins ? fault.amount : 1);
    case FaultKind::JournalFull:
      return home.local.fill(begins);
    case FaultKind::CommitFails:
      home.shared.fails = begins;
      return;
    default:
      return home.shared.hang(begins);
  }
}

}  // namespace ontime::lab::faults
