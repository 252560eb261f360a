#pragma once
// The masters of a schedule: one with a journal of its own, or several that share one in etcd, each on a machine. What
// is said of "the master" means the one that leads.

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/faults/audit.h"
#include "tests/faults/etcd.h"
#include "tests/faults/fault_plan.h"
#include "tests/faults/nodes.h"
#include "tests/machines/process.h"
#include "tests/machines/programs.h"

namespace ontime::lab::faults {

class Masters {
 public:
  // All outlive it. `etcd` is null if the journal is not shared.
  Masters(const FaultPlan& plan, machines::Cluster& cluster, Etcd* etcd, Audit& audit);

  void start();
  // Starts again what has ended and is not to stay away.
  void supervise();
  // The fault begins, or is over.
  void set(const Fault& fault, bool begins);
  // After this time, unless another master has come by then. With `kill` alone.
  void kill_after(Duration delay, const Fault& fault);
  // Another process on the same machine. Of several masters each is that already.
  void start_second() {
    if (etcd_ == nullptr) static_cast<void>(start(masters_.front()));
  }
  void kill_leader();

  // The first is everybody's if there is only one machine.
  machines::Machine& home() const { return *masters_.front().home; }
  std::vector<machines::Machine*> homes() const;
  net::Masters addresses() const;
  // Not one that follows.
  bool is_leading_process(const machines::Process& process) const;
  bool are_up() const;
  bool has_leader();
  std::uint32_t lives() const { return lives_; }

  // A master that leads is about to write its next batch.
  std::function<void()> on_batch;
  // The power of its machine has failed, until then.
  std::function<void(TimePoint until)> on_power_cut;
  // What a master's machine has to reach, when it is cut off: not etcd, and not other masters.
  std::function<std::vector<machines::Machine*>()> peers;

 private:
  struct Master {
    machines::Machine* home = nullptr;
    std::string name{};
    Supervised process{};
    std::uint32_t lives = 0;
    const master::Master* seen = nullptr;  // from when it leads until it ends
  };
  pid_t start(Master& master);
  std::unique_ptr<journal::Journal> watch(std::unique_ptr<journal::Journal> real, Master& master, std::uint32_t life);
  Master& leader(std::uint32_t otherwise);
  bool leads(const Master& master);
  void kill(Master& master, const Fault& fault);
  void require_end(const Master& master, pid_t id);
  void cut_off(const Master& master, const Fault& fault, bool begins);

  const FaultPlan& plan_;
  machines::Cluster& cluster_;
  Etcd* const etcd_;
  Audit& audit_;
  std::list<Master> masters_;  // stay where they are
  std::map<const Fault*, std::pair<Master*, pid_t>> struck_;
  std::uint32_t lives_ = 0;  // of all
};

}  // namespace ontime::lab::faults
