#pragma once
// One run: turns what is due into events for the scheduler and its actions into orders, until every job has ended.

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/core/scheduler.h"
#include "lab/simulator/event_queue.h"
#include "lab/simulator/planned_jobs.h"
#include "lab/simulator/simulator.h"
#include "lab/simulator/workers.h"

namespace ontime::lab {

class Simulation {
 public:
  Simulation(const Scenario& scenario, std::uint64_t seed, const Observer& observer);
  Outcome run();

 private:
  void happen(const Upcoming& due);
  void submit(std::uint32_t planned);
  void expect_forecasts(JobId job, const JobOutcome& outcome);
  void record_forecast(const Upcoming& due);
  void register_node(const Upcoming& due);
  void step(const scheduler::Event& event);
  void follow(const scheduler::Step& step);
  void follow(const scheduler::Fact& fact);
  void perform(scheduler::Action action);
  void commit(JobId job);
  void end_job(const scheduler::fact::JobEnded& fact);
  void inspect();
  void take_samples(TimePoint until);
  void count_held_back(TimePoint until);

  const Scenario& scenario_;
  const std::uint64_t seed_;
  const Observer& observer_;
  EventQueue queue_;
  std::vector<PlannedJob> planned_;
  Workers workers_;
  scheduler::Scheduler scheduler_;
  TimePoint now_;
  TimePoint sampled_next_;
  std::size_t jobs_ended_ = 0;
  std::vector<std::uint32_t> fresh_;  // by job: its tasks without an attempt
  std::uint64_t fresh_tasks_ = 0;     // of all jobs
  Outcome outcome_;
};

}  // namespace ontime::lab
