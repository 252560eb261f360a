#pragma once
// A job of a simulated run as a row of a table, with the titles of an experiment's jobs (lab/experiment/rows.h), so
// that what reads those reads these. Seconds of virtual time since the run's beginning; NaN: it has not ended.

#include <cstdint>
#include <string>
#include <vector>

#include "lab/results/rows.h"
#include "lab/scenario/scenario.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {

struct SimulatedJob {
  std::uint32_t job = 0;  // in order of submission, from 1 on: the same job under every policy
  std::string group;
  std::string kind = "counted";
  std::uint32_t tasks = 0;
  double submitted = 0;
  double ended = 0;
  double time = 0;
  double deadline = 0;  // 0: none
  bool met = false;
  std::string state;  // succeeded, failed, killed, unfinished
  std::uint32_t attempts = 0;
  std::uint32_t copies = 0;
  double input_bytes = 0;
  double mapped_bytes = 0;
  double machine = 0;  // slot-seconds

  template <class Row, class Visit>
  static void fields(Row& row, Visit&& visit) {
    visit_all(visit, "job", row.job, "group", row.group, "kind", row.kind, "tasks", row.tasks);
    visit_all(visit, "submitted_s", row.submitted, "ended_s", row.ended, "time_s", row.time);
    visit_all(visit, "deadline_s", row.deadline, "met", row.met, "state", row.state);
    visit_all(visit, "attempts", row.attempts, "copies", row.copies);
    visit_all(visit, "input_bytes", row.input_bytes, "mapped_bytes", row.mapped_bytes, "machine_s", row.machine);
  }
};

// In order of submission. `scenario` is the one that was run.
std::vector<SimulatedJob> job_rows_of(const Scenario& scenario, const std::vector<JobOutcome>& jobs);

}  // namespace ontime::lab
