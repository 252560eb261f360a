#pragma once
// The cluster in virtual time: the very scheduler that the master runs, with simulated workers. The same scenario and
// seed give the same events in the same order, bit for bit. Pure: no clock, thread or file.

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "scheduler/core/scheduler.h"
#include "lab/simulator/outcome.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab {

struct Observer {
  // Called with every event that reaches the scheduler and every action it answers with, one line each, without the
  // line end. Making the lines costs more than the simulation.
  std::function<void(std::string_view)> log;
  // Shares of the time from submission to the deadline at which each running job's forecast is recorded. Nothing else
  // changes by it.
  std::vector<double> forecast_at{};
  // By job, in order of submission: instants at which its forecast is recorded as well, in seconds after its
  // submission, ascending. Nothing else changes by it.
  std::vector<std::vector<double>> forecast_when{};
  // Called when a job has ended, while the scheduler still knows all about it.
  std::function<void(JobId, const scheduler::Scheduler&)> ended{};
};

// REQUIRES: check(scenario).
Outcome run(const Scenario& scenario, std::uint64_t seed, const Observer& observer = {});

}  // namespace ontime::lab
