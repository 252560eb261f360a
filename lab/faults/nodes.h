#pragma once
// The workers of a schedule: their machines and processes, what restarts them, and what goes wrong with them.

#include <string>
#include <vector>

#include "lab/faults/fault_plan.h"
#include "lab/machines/process.h"

namespace ontime::lab::faults {

class Nodes {
 public:
  // `home`: the master's machine, and everybody's if there is only one.
  Nodes(const FaultPlan& plan, machines::Cluster& cluster, machines::Machine& home,
        const std::string& application_directory);

  void start();
  // Starts again what has ended and is not to stay away.
  void supervise();
  // The power is off.
  void stay_away(TimePoint until);

  void begin(const Fault& fault);
  void end(const Fault& fault);

  const std::string& name(std::uint32_t node) const { return nodes_[node].name; }
  machines::Machine& machine(std::uint32_t node) const { return *nodes_[node].machine; }
  // A process of an attempt that nobody needs; empty: none.
  std::string left_over() const;

 private:
  struct Node {
    std::string name;
    machines::Machine* machine = nullptr;
    std::uint32_t slots = 1;
    double slowness = 1;
    pid_t worker = 0;
    TimePoint back_at{};
    bool is_coming = false;
    std::vector<pid_t> stopped{};
  };
  enum class Role : std::uint8_t { Worker, Launcher, Runner };
  std::vector<machines::Process*> processes(const Node& node, Role role) const;
  void start(Node& node);
  void kill(Node& node, const Fault& fault);
  void stop(Node& node, std::initializer_list<Role> roles);
  void go_on(Node& node);
  void set_way(const Node& node, bool to_worker, bool is_cut);
  void strike_attempt(const Node& node, const Fault& fault, int signal);

  machines::Cluster& cluster_;
  machines::Machine& home_;
  const std::string application_directory_;
  const double spread_;
  std::vector<Node> nodes_;
};

}  // namespace ontime::lab::faults
