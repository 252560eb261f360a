#pragma once
// The etcd in which the masters of a schedule have their journal: what goes wrong with it, and what its rules let
// become of the journal.

#include <cstdint>
#include <functional>
#include <string>

#include "master/journal/directory.h"
#include "master/journal/etcd_layout.h"
#include "tests/faults/fault_plan.h"
#include "tests/faults/nodes.h"
#include "tests/machines/etcd_server.h"

namespace ontime::lab::faults {

class Etcd {
 public:
  explicit Etcd(machines::Cluster& cluster);

  void start() { process_.id = server_.start().id(); }
  // Starts its process again when it has ended and is not to stay away.
  void supervise();
  void set(const Fault& fault, bool begins);

  std::string address() const { return server_.address(); }
  machines::Machine& machine() { return server_.machine(); }
  // The name of the master whose key is there; empty: there is none.
  std::string leader();

  // A batch has become part of the journal.
  std::function<void(const std::string& batch)> on_batch;
  // What is there is no journal.
  std::function<void(const char* what)> on_broken;

 private:
  void look();

  machines::Cluster& cluster_;
  machines::EtcdServer server_;
  const journal::EtcdLayout layout_{"ontime"};
  Supervised process_;
  journal::Chain chain_;
};

}  // namespace ontime::lab::faults
