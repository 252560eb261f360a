#include "tests/faults/etcd.h"

#include <signal.h>

#include "tests/machines/network.h"

namespace ontime::lab::faults {

Etcd::Etcd(machines::Cluster& cluster) : cluster_(cluster), server_(cluster, cluster.add_machine("etcd")) {
  server_.rules.on_change = [this] { look(); };
}

// While it was away nobody counted how long leases last.
void Etcd::supervise() {
  process_.supervise(cluster_, [this] {
    cluster_.network->switch_on(machine().address());
    server_.rules.prolong_leases(server_.now());
    return server_.start().id();
  });
}

void Etcd::set(const Fault& fault, bool begins) {
  switch (fault.kind) {
    case FaultKind::EtcdDies:
      if (!begins) return;
      process_.stay_away(cluster_.world.now() + from_seconds(fault.lasts));
      if (fault.is_silent) cluster_.network->switch_off(machine().address());
      return cluster_.send_signal(process_.id, SIGKILL);
    case FaultKind::EtcdStops:
      return cluster_.send_signal(process_.id, begins ? SIGSTOP : SIGCONT);
    case FaultKind::SlowEtcd:
      server_.trouble.slower_by += from_seconds(begins ? fault.amount : -fault.amount);
      return;
    case FaultKind::EtcdFull:
      server_.rules.is_full = begins;
      return;
    case FaultKind::EtcdRefuses:
      server_.trouble.status = 500;  // it may be done
      server_.trouble.refuses = begins ? fault.share : 0;
      return;
    case FaultKind::EtcdBreaksOff:
      server_.trouble.breaks_off = begins ? fault.share : 0;
      return;
    default:
      return machine().set_clock_rate(begins ? fault.amount : 1);
  }
}

std::string Etcd::leader() {
  server_.rules.end_leases(server_.now());
  const auto& entries = server_.rules.entries();
  const auto found = entries.find(layout_.leader());
  return found == entries.end() ? "" : found->second.value;
}

// A batch is stored once the head counts it.
void Etcd::look() {
  const auto& entries = server_.rules.entries();
  const auto head = entries.find(layout_.head());
  if (head == entries.end()) return;
  const auto chain = journal::decode_chain(head->second.value);
  if (!chain) return on_broken("the journal's head is a count of batches");
  if (*chain == chain_) return;
  std::string batch;
  const std::string end = layout_.log_from(chain->batches + 1);
  for (auto part = entries.lower_bound(layout_.log_from(chain->batches)); part != entries.end() && part->first < end;
       ++part) {
    batch += part->second.value;
  }
  if (chain_.with(batch) != *chain) return on_broken("the journal grows by one batch at a time");
  chain_ = *chain;
  on_batch(batch);
}

}  // namespace ontime::lab::faults
