#pragma once
// What all parts of the faulty cluster share: the schedule, true time, what is to come, the disk, the network, and the
// audit that looks at everything.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/faults/agenda.h"
#include "lab/faults/fault_plan.h"
#include "lab/faults/network.h"
#include "lab/faults/output_store.h"

namespace ontime::lab::faults {

class Audit;

using Trace = std::function<void(std::string_view)>;  // one line of a readable trace

struct World {
  World(const FaultPlan& the_plan, const Trace& a_trace, Audit& an_audit)
      : plan(the_plan), trace(a_trace), audit(an_audit), network(agenda, plan.network_delay, plan.seed) {}

  const FaultPlan& plan;
  const Trace& trace;  // may be empty
  Audit& audit;
  TimePoint now;  // true time
  Agenda agenda;
  OutputStore store;
  Network network;
  bool commits_fail = false;

  // The master as workers find it.
  bool master_listens = false;
  std::uint32_t master_life = 0;   // counts
  TimePoint master_stopped_until;  // by SIGSTOP

  // Until when nothing gets through, per node.
  struct Reach {
    TimePoint to_master;
    TimePoint to_worker;
  };
  std::vector<Reach> cut_off = std::vector<Reach>(plan.slots.size());
  // Of each output directory: whose it is.
  std::vector<std::uint32_t> submission_of;
  // Of each submission: until when the mount of its output answers nothing to the master.
  std::vector<TimePoint> output_hangs = std::vector<TimePoint>(plan.submissions.size());

  // `line` is only called when somebody looks.
  template <class Line>
  void tell(const Line& line) const {
    if (trace) trace(stamp() + line());
  }
  std::string stamp() const;  // "12.500000 "
};

// Where the input of its job ends, uncompressed.
std::uint64_t input_end(const Submission& submission);

// Settings of a job as its submission has them.
scheduler::JobSpec spec_of(const Submission& submission, std::uint32_t directory);

}  // namespace ontime::lab::faults
