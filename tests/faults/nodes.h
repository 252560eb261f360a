#pragma once
// The workers and the store of a schedule: their machines and processes, what restarts them, and what goes wrong with
// them.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/faults/fault_plan.h"
#include "tests/machines/object_store.h"
#include "tests/machines/process.h"

namespace ontime::lab::faults {

// A process that is started again when it has ended, as systemd does, unless it is to stay away. Stays where it is.
struct Supervised {
  pid_t id = 0;
  TimePoint back_at{};
  bool is_coming = false;

  bool is_up(machines::Cluster& cluster) const;
  void stay_away(TimePoint until) { back_at = std::max(back_at, until); }
  // Has `start` called when it is due.
  void supervise(machines::Cluster& cluster, std::function<pid_t()> start);
};

inline constexpr const char* kHome = "home";  // how the names of masters' machines begin

class Nodes {
 public:
  using Homes = std::vector<machines::Machine*>;
  // `homes`: the masters' machines; the first is everybody's if there is only one.
  Nodes(const FaultPlan& plan, machines::Cluster& cluster, Homes homes, const std::string& application_directory);

  void start();
  // Starts again what has ended and is not to stay away.
  void supervise();
  // The power is off.
  void stay_away(TimePoint until);

  // The fault begins, or is over.
  void set(const Fault& fault, bool begins);

  const std::string& name(std::uint32_t node) const { return nodes_[node].name; }
  machines::Machine& machine(std::uint32_t node) const { return *nodes_[node].machine; }
  std::vector<machines::Machine*> machines() const;
  // A process of an attempt that nobody needs; empty: none.
  std::string left_over() const;

 private:
  struct Node {
    std::string name;
    machines::Machine* machine = nullptr;
    std::uint32_t slots = 1;
    double slowness = 1;
    Supervised worker{};
    std::vector<pid_t> stopped{};
  };
  enum class Role : std::uint8_t { Worker, Launcher, Runner };
  std::vector<machines::Process*> processes(const Node& node, Role role) const;
  pid_t start(const Node& node);
  void kill(Node& node, const Fault& fault);
  void set_stopped(Node& node, std::initializer_list<Role> roles, bool is_stopped);
  void set_way(const Node& node, bool to_worker, bool is_cut);
  void strike(const Node& node, const Fault& fault);
  void strike_attempt(const Node& node, const Fault& fault, int signal);

  machines::Cluster& cluster_;
  const Homes homes_;
  const std::string application_directory_;
  const double spread_;
  std::vector<Node> nodes_;
};

class Store {
 public:
  // `homes`: the masters' machines.
  Store(const FaultPlan& plan, machines::Cluster& cluster, std::vector<machines::Machine*> homes);

  // With the machines there are then.
  void start();
  // Starts its process again when it has ended and is not to stay away.
  void supervise();
  void set(const Fault& fault, machines::Machine& node, bool begins);

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
  const std::vector<machines::Machine*> homes_;
  machines::ObjectStore objects_;
  Supervised process_;
  std::uint32_t requests_ = 0;
  std::uint32_t rivals_ = 0;  // that wait for an output to claim
};

}  // namespace ontime::lab::faults
