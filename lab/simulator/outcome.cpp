#include <algorithm>
#include <cstdint>

#include "lab/simulator/simulator.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"

namespace ontime::lab {
namespace {

std::string seconds_text(TimePoint at) {
  const std::int64_t ns = to_unix_ns(at);
  const std::string fraction = std::to_string(ns % 1'000'000'000);
  return std::to_string(ns / 1'000'000'000) + "." + std::string(9 - fraction.size(), '0') + fraction;
}

}  // namespace

bool JobOutcome::met() const {
  if (counted) return *counted;
  return state == scheduler::JobState::Succeeded && (deadline <= 0 || flow_time() <= deadline);
}

Summary summarise(std::span<const JobOutcome> jobs) {
  Summary summary;
  summary.jobs = jobs.size();
  std::uint64_t met = 0, with_deadline = 0;
  double tasks = 0;
  double attempts = 0;
  double input = 0;
  double mapped = 0;
  std::vector<double> machine_times;
  std::vector<double> flow_times;
  for (const JobOutcome& job : jobs) {
    with_deadline += job.deadline > 0 ? 1 : 0;
    met += job.deadline > 0 && job.met() ? 1 : 0;
    const bool has_succeeded = job.state == scheduler::JobState::Succeeded;
    summary.unfinished += job.has_ended() ? 0 : 1;
    summary.failed += job.has_ended() && !has_succeeded ? 1 : 0;
    tasks += job.tasks;
    attempts += job.attempts;
    input += job.input_bytes;
    mapped += job.mapped_bytes;
    machine_times.push_back(job.machine_time);
    if (has_succeeded) flow_times.push_back(job.flow_time());
  }
  summary.pocd = share_of(met, with_deadline);
  summary.machine_time = estimate_of(machine_times);
  summary.flow_time = estimate_of(flow_times);
  summary.attempts = tasks > 0 ? attempts / tasks : 0;
  summary.duplicated = input > 0 ? std::max(0.0, mapped / input - 1) : 0;
  return summary;
}

std::string line_of(TimePoint at, const scheduler::Event& event) {
  return seconds_text(at) + " < " + scheduler::describe(event);
}

std::string line_of(TimePoint at, const scheduler::Action& action) {
  return seconds_text(at) + " > " + scheduler::describe(action);
}

}  // namespace ontime::lab
