#pragma once
// The cluster in virtual time: the very scheduler that the master runs, with simulated workers. The same scenario and
// seed give the same events in the same order, bit for bit. Pure: no clock, thread or file.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"
#include "lab/results/interval.h"
#include "lab/scenario/scenario.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"
#include "scheduler/core/record.h"
#include "scheduler/core/scheduler.h"

namespace ontime::lab {

// The results of a simulation. Times are seconds of virtual time since its beginning unless said otherwise.

// What was expected of a running job. Instants in seconds after its submission; NaN: nothing could be said.
struct ForecastReading {
  std::uint32_t number = 0;  // which of Observer::forecast_at and, behind them, of its forecast_when
  double share = 0;          // of its time up to the deadline that had passed; 0: there is none
  double pocd = 0;           // these as scheduler::Forecast has them
  double low = 0;
  double median = 0;
  double high = 0;
};

struct JobOutcome {
  std::uint32_t group = 0;  // index into Scenario::jobs
  std::uint32_t tasks = 0;
  double submitted = 0;
  double ended = 0;     // 0: it has not
  double deadline = 0;  // after submission; 0: none
  scheduler::JobState state = scheduler::JobState::Running;
  double machine_time = 0;     // slot-seconds of its attempts, launch times included
  std::uint32_t attempts = 0;  // launched
  std::uint32_t copies = 0;    // of them: speculative
  double input_bytes = 0;
  double mapped_bytes = 0;      // by true positions, by all its attempts: what exceeds the input was wasted
  std::uint32_t decisions = 0;  // of its policy, carried out
  std::int32_t chosen = -1;     // r or c of its policy's latest note that names one; -1: none does
  std::vector<ForecastReading> forecasts{};  // as the Observer asks for, while it ran

  bool has_ended() const { return scheduler::is_final(state); }
  double flow_time() const { return ended - submitted; }
  std::optional<bool> counted{};  // of a bound, which says how many can be in time, and not when they end
  // Succeeded in time; without a deadline: succeeded.
  bool met() const;
};

// How it stood at one time.
struct Sample {
  double at = 0;
  std::uint32_t busy = 0;  // slots that attempts occupy
  std::uint32_t jobs = 0;  // submitted and not ended
};

struct Outcome {
  std::vector<JobOutcome> jobs;  // in order of submission; those never submitted are left out
  std::vector<Sample> samples;   // every Scenario::sample_every
  double ended = 0;
  double slot_seconds = 0;        // that attempts occupied
  double paid_slot_seconds = 0;   // of nodes that were there, or were called for, whether attempts had them or not
  double there_slot_seconds = 0;  // of those of nodes that come and go, without their starts; or of all nodes
  std::uint32_t slots = 0;
  std::uint64_t attempts = 0;       // launched: attempt lifetimes
  std::uint64_t events = 0;         // put into the queue
  std::uint64_t steps = 0;          // that the scheduler took: what a simulation costs
  double held_back = 0;             // node-seconds: held back with a free slot, while fresh tasks waited
  bool is_stopped = false;          // by the Observer: the rest tells of the part that was simulated
  std::vector<std::string> broken;  // invariants that did not hold; the simulation ended at the first step with any

  double utilisation() const { return there_slot_seconds > 0 ? slot_seconds / there_slot_seconds : 0; }
};

struct Summary {
  std::uint64_t jobs = 0;
  std::uint64_t unfinished = 0;  // had not ended when the simulation did
  std::uint64_t failed = 0;
  Estimate pocd;          // share of the jobs with a deadline that met it
  Estimate machine_time;  // per job
  Estimate flow_time;     // per job that has succeeded
  double attempts = 0;    // per task
  double duplicated = 0;  // bytes that were wasted, as a share of the input
};
Summary summarise(std::span<const JobOutcome> jobs);

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
  // Asked every few milliseconds of real time; the simulation ends where it stands once it answers yes. What else
  // follows from it hangs on real time, so it is thrown away.
  std::function<bool()> stop{};
};

// REQUIRES: check(scenario).
Outcome run(const Scenario& scenario, std::uint64_t seed, const Observer& observer = {});

// One line for each thing that reaches the scheduler and each thing it asks for:
// "12.500000000 < segment_sealed attempt=job-1/t00003/a0 ...".
std::string line_of(TimePoint at, const scheduler::Event& event);
std::string line_of(TimePoint at, const scheduler::Action& action);

}  // namespace ontime::lab
