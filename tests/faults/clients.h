#pragma once
// The clients of a schedule: each submits its job until it is answered, asks how it goes until it has ended, and
// perhaps has it killed. The real client, as a process on a machine of its own.

#include <map>
#include <string>
#include <vector>

#include "cli/client/master_client.h"
#include "tests/faults/audit.h"
#include "tests/faults/fault_plan.h"
#include "tests/faults/outputs.h"
#include "tests/machines/process.h"

namespace ontime::lab::faults {

class Clients {
 public:
  // All outlive it.
  Clients(const FaultPlan& plan, machines::Cluster& cluster, net::Masters masters, Outputs& outputs, Audit& audit);

  // Of this submission, from the beginning. One that runs already dies.
  void start(std::uint32_t submission);
  // An operator asks for the node to be taken out, or back, until the master has done it or the operator wants the
  // other.
  void drain(const std::string& node, bool undo);
  bool are_done() const;
  machines::Machine& desk() const { return desk_; }

 private:
  int ask(std::uint32_t submission);
  JobId submit(cli::MasterClient& client, std::uint32_t submission);
  void follow(cli::MasterClient& client, JobId job, const Submission& submission);

  const FaultPlan& plan_;
  machines::Cluster& cluster_;
  machines::Machine& desk_;
  const net::Masters masters_;
  Outputs& outputs_;
  Audit& audit_;
  const TimePoint begin_;
  struct State {
    pid_t process = 0;
    bool is_done = false;
  };
  std::vector<State> states_;               // by submission
  std::map<std::string, pid_t> operators_;  // by node
};

}  // namespace ontime::lab::faults
