#include <algorithm>

#include "lab/simulator/simulator.h"
#include "lab/study/simulated_job.h"
#include "lab/study/study_result.h"
#include "scheduler/core/record.h"

namespace ontime::lab {
namespace {

// For each group of jobs of the scenario the place of its result.
std::vector<std::size_t> places_of(const Scenario& scenario, Collect::Grouping grouping, RunResult& result) {
  std::vector<std::size_t> places;
  for (const JobGroup& group : scenario.jobs) {
    auto found = result.groups.begin();
    if (grouping == Collect::Grouping::ByIndex) found = result.groups.end();
    if (grouping == Collect::Grouping::ByName) {
      found =
          std::find_if(found, result.groups.end(), [&](const GroupResult& known) { return known.name == group.name; });
    }
    if (found == result.groups.end()) {
      result.groups.push_back({grouping == Collect::Grouping::All ? "" : group.name, {}, 0, 0, 0, {}});
      found = result.groups.end() - 1;
    }
    places.push_back(static_cast<std::size_t>(found - result.groups.begin()));
  }
  return places;
}

void measure(GroupResult& group, const Sight& sight, const Collect& collect) {
  for (const JobOutcome* job : sight.jobs) {
    group.met += job->met() ? 1 : 0;
    group.tasks += job->tasks;
  }
  group.jobs = sight.jobs.size();
  for (const Measure* wanted : collect.measures) group.values.push_back(wanted->of(sight));
  if (collect.flow_times) group.flow_times = sight.flow_times;
}

// A job's time is known once it has run, so it runs again, the same to the bit.
Outcome outcome_of(const PlannedRun& planned, const std::function<bool()>& stop) {
  const Scenario scenario = draw(*planned.scenario, planned.seed);
  const std::uint64_t luck = planned.luck != 0 ? planned.luck : planned.seed;
  const Forecasts& wanted = planned.collect->forecasts;
  Observer observer;
  observer.stop = stop;
  if (wanted.life.empty()) {
    observer.forecast_at = wanted.deadline;
    return run(scenario, luck, observer);
  }
  Outcome before = run(scenario, luck, observer);
  if (before.is_stopped) return before;
  observer.forecast_at = wanted.deadline;
  for (const JobOutcome& job : before.jobs) {
    std::vector<double>& when = observer.forecast_when.emplace_back();
    for (const double share : wanted.life) {
      if (job.has_ended()) when.push_back(share * job.flow_time());
    }
  }
  return run(scenario, luck, observer);
}

std::vector<JobForecast> forecasts_of(const PlannedRun& planned, const Outcome& outcome) {
  const Forecasts& wanted = planned.collect->forecasts;
  std::vector<JobForecast> all;
  for (std::uint32_t number = 0; number < outcome.jobs.size(); ++number) {
    const JobOutcome& job = outcome.jobs[number];
    const std::string& group = planned.scenario->jobs[job.group].name;
    for (const ForecastReading& seen : job.forecasts) {
      const bool of_life = seen.number >= wanted.deadline.size();
      const double share = of_life ? wanted.life[seen.number - wanted.deadline.size()] : seen.share;
      all.push_back({number + 1, group, job.tasks, of_life, share, seen, job.has_ended() ? job.flow_time() : kNan,
                     job.deadline, job.met()});
    }
  }
  return all;
}

}  // namespace

std::vector<SimulatedJob> job_rows_of(const Scenario& scenario, const std::vector<JobOutcome>& jobs) {
  std::vector<SimulatedJob> rows;
  for (const JobOutcome& job : jobs) {
    SimulatedJob& row = rows.emplace_back();
    row.job = static_cast<std::uint32_t>(rows.size());
    row.group = scenario.jobs[job.group].name;
    row.tasks = job.tasks;
    row.submitted = job.submitted;
    row.ended = job.has_ended() ? job.ended : kNan;
    row.time = job.has_ended() ? job.flow_time() : kNan;
    row.deadline = job.deadline;
    row.met = job.met();
    row.state = job.has_ended() ? scheduler::name_of(job.state) : "unfinished";
    row.attempts = job.attempts;
    row.copies = job.copies;
    row.input_bytes = job.input_bytes;
    row.mapped_bytes = job.mapped_bytes;
    row.machine = job.machine_time;
  }
  return rows;
}

std::optional<RunResult> carry_out(const PlannedRun& planned, const std::function<bool()>& stop) {
  const Outcome outcome = outcome_of(planned, stop);
  if (outcome.is_stopped) return std::nullopt;
  RunResult result;
  const auto places = places_of(*planned.scenario, planned.collect->grouping, result);
  std::vector<Sight> sights(result.groups.size(), Sight{{}, {}, &outcome, planned.collect->utility});
  for (const JobOutcome& job : outcome.jobs) {
    Sight& sight = sights[places[job.group]];
    sight.jobs.push_back(&job);
    if (job.has_ended()) sight.flow_times.push_back(job.flow_time());
    result.unfinished += job.has_ended() ? 0 : 1;
  }
  for (std::size_t i = 0; i < sights.size(); ++i) {
    std::sort(sights[i].flow_times.begin(), sights[i].flow_times.end());
    measure(result.groups[i], sights[i], *planned.collect);
  }
  result.samples = outcome.samples;
  result.forecasts = forecasts_of(planned, outcome);
  if (planned.collect->job_rows) result.jobs = job_rows_of(*planned.scenario, outcome.jobs);
  result.slots = outcome.slots;
  if (!outcome.broken.empty()) result.broken = outcome.broken.front();
  return result;
}

}  // namespace ontime::lab
