#include <signal.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/faults/nodes.h"
#include "tests/machines/disk.h"
#include "tests/machines/network.h"

namespace ontime::lab::faults {

Store::Store(const FaultPlan& plan, machines::Cluster& cluster, std::vector<machines::Machine*> homes)
    : plan_(plan), cluster_(cluster), homes_(std::move(homes)), objects_(cluster, cluster.add_machine("store")) {
  objects_.name_in_environment();
  objects_.on_request = [this](const machines::HttpRequest& request, std::uint32_t from, Moment moment) {
    on_request(request, from, moment);
  };
}

// Workers keep there what their attempts write.
void Store::start() {
  for (const auto& machine : cluster_.machines()) machine->disk->put("/tmp/", "");
  process_.id = objects_.start().id();
}

void Store::supervise() {
  process_.supervise(cluster_, [this] {
    cluster_.network->switch_on(objects_.machine().address());
    return objects_.start().id();
  });
}

void Store::kill(const Fault& fault) {
  process_.stay_away(cluster_.world.now() + from_seconds(fault.lasts));
  // Its disk is nobody else's: the shared files of a cluster on one machine stay as they are.
  if (fault.is_silent) cluster_.network->switch_off(objects_.machine().address());
  cluster_.send_signal(process_.id, SIGKILL);
}

// By the store's process itself, which does not come back from its end.
void Store::on_request(const machines::HttpRequest& request, std::uint32_t from, Moment moment) {
  const bool is_output = request.path.find("/out/") != std::string::npos || request.query.contains("prefix");
  const bool is_segment = request.method == "PUT" && request.path.find("/_attempts/") != std::string::npos;
  if (moment == Moment::Come) {
    ++requests_;
    const bool is_master = std::ranges::any_of(homes_, [from](const auto* home) { return home->address() == from; });
    if (is_master && is_output && !is_segment) on_master_request();
  }
  if (rivals_ > 0 && moment == Moment::Done && request.method == "GET" && request.path.ends_with("/_claim")) {
    const std::string key = request.path.substr(request.path.find("/out/") + 1);
    const std::string prefix = key.substr(0, key.rfind('/') + 1);
    const auto first = objects_.objects().lower_bound(prefix);
    const bool is_empty = first == objects_.objects().end() || !first->first.starts_with(prefix);
    if (is_empty) {
      objects_.put(key, std::string(kRivalsClaim));
      --rivals_;
    }
  }
  for (const Fault& fault : plan_.faults) {
    const bool is_now = fault.trigger == Trigger::StoreRequest && std::lround(fault.at) == requests_ &&
                        (fault.share < 0.5 ? Moment::Come : Moment::Done) == moment;
    if (!is_now) continue;
    on_strike(fault);
    kill(fault);
  }
}

void Store::set_ways(const Fault& fault, machines::Machine& node, bool is_cut) {
  std::vector<machines::Machine*> cut_off;
  for (const auto& machine : cluster_.machines()) {
    const bool is_home = std::ranges::find(homes_, machine.get()) != homes_.end();
    const bool is_meant = fault.share <= 0 || (fault.share < 1 ? machine.get() == &node : is_home);
    if (is_meant && machine.get() != &objects_.machine()) cut_off.push_back(machine.get());
  }
  const std::uint32_t here = objects_.machine().address();
  const auto set = [&](std::uint32_t from, std::uint32_t to) {
    is_cut ? cluster_.network->cut(from, to) : cluster_.network->mend(from, to);
  };
  for (machines::Machine* const machine : cut_off) {
    if (fault.amount < 2) set(machine->address(), here);
    if (fault.amount < 1 || fault.amount >= 2) set(here, machine->address());
  }
}

void Store::set(const Fault& fault, machines::Machine& node, bool begins) {
  switch (fault.kind) {
    case FaultKind::StoreDies:
      if (begins) kill(fault);
      return;
    case FaultKind::StoreStops:
      return cluster_.send_signal(process_.id, begins ? SIGSTOP : SIGCONT);
    case FaultKind::SlowStore:
      objects_.trouble.slower_by += from_seconds(begins ? fault.amount : -fault.amount);
      return;
    case FaultKind::StoreCutOff:
      return set_ways(fault, node, begins);
    case FaultKind::StoreRefuses:
      if (begins) objects_.trouble.status = static_cast<int>(fault.amount);
      objects_.trouble.refuses = begins ? fault.share : 0;
      return;
    case FaultKind::StoreBreaksOff:
      objects_.trouble.breaks_off = begins ? fault.share : 0;
      return;
    case FaultKind::RivalClaims:
      if (begins) ++rivals_;
      return;
    default:
      return;
  }
}

}  // namespace ontime::lab::faults
