#pragma once
// The store of a schedule: its machine and its process, what restarts it, and what goes wrong with it.

#include <functional>

#include "lab/faults/fault_plan.h"
#include "lab/machines/object_store.h"
#include "lab/machines/process.h"

namespace ontime::lab::faults {

class Store {
 public:
  // `home`: the master's machine.
  Store(const FaultPlan& plan, machines::Cluster& cluster, machines::Machine& home);

  // With the machines there are then.
  void start();
  // Starts its process again when it has ended and is not to stay away.
  void supervise();
  void begin(const Fault& fault, machines::Machine& node);
  void end(const Fault& fault, machines::Machine& node);

  machines::ObjectStore& objects() { return objects_; }
  // Told of each fault that waited for one of the store's requests, and of each request that only a master makes.
  std::function<void(const Fault& fault)> on_strike;
  std::function<void()> on_master_request;

 private:
  using Moment = machines::ObjectStore::Moment;
  void on_request(const machines::HttpRequest& request, std::uint32_t from, Moment moment);
  void kill(const Fault& fault);
  void set_ways(const Fault& fault, machines::Machine& node, bool is_cut);

  const FaultPlan& plan_;
  machines::Cluster& cluster_;
  machines::Machine& home_;
  machines::ObjectStore objects_;
  pid_t process_ = 0;
  TimePoint back_at_{};
  bool is_coming_ = false;
  std::uint32_t requests_ = 0;
  std::uint32_t rivals_ = 0;  // that wait for an output to claim
};

}  // namespace ontime::lab::faults
