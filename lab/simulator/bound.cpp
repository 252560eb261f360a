#include "lab/simulator/bound.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/injection/injection.h"
#include "lab/scenario/purpose.h"
#include "lab/simulator/capacity.h"
#include "lab/simulator/in_time.h"
#include "lab/simulator/least_cost.h"

namespace ontime::lab {
namespace {

constexpr double kShortest = 1e-9;  // seconds, over a whole split, as simulated ones
constexpr double kLateness = 1e-9;  // within which a job is not late

bool is_always(const Distribution& values, double value) { return values.is_constant() && values.median() == value; }

// Of an attempt over a whole split, by what is done to it on purpose. Stragglers are originals alone: any other is
// none.
std::function<double()> times_of(const Scenario& scenario, const JobGroup& group, Random& random) {
  const bool is_paced = scenario.injection && scenario.injection->pace > Duration(0);
  const double pace = is_paced ? seconds(scenario.injection->pace) : 0;
  const std::optional<Distribution> slowdown = scenario.injection ? scenario.injection->slowdown : std::nullopt;
  return [=, duration = group.times.duration, &random] {
    const double factor = slowdown ? slowdown->sample(random) : 1;
    return std::max(kShortest, is_paced ? pace * factor : duration.sample(random) * std::max(1.0, factor));
  };
}

double least_time(const Scenario& scenario, const JobGroup& group) {
  const bool is_paced = scenario.injection && scenario.injection->pace > Duration(0);
  const bool is_slowed = scenario.injection && scenario.injection->slowdown;
  const double factor = is_slowed ? scenario.injection->slowdown->least() : 1;
  return std::max(kShortest, is_paced ? seconds(scenario.injection->pace) * factor
                                      : group.times.duration.least() * std::max(1.0, factor));
}

LaunchLaw launch_of(const Scenario& scenario) {
  LaunchLaw law = launch_law_of(scenario.launch);
  const bool is_injected = scenario.injection && scenario.injection->launch;
  if (is_injected) law.least += scenario.injection->launch->least();
  return law;
}

class Bound {
 public:
  Bound(const Scenario& scenario, std::uint64_t seed)
      : scenario_(scenario), seed_(seed), capacity_(capacity_of(scenario, seed)), planned_(plan_jobs(scenario, seed)) {}

  Outcome run() {
    outcome_.slots = slots_of(scenario_);
    for (std::uint32_t job = 0; job < planned_.size(); ++job) add(job);
    count();
    serve();
    std::ranges::stable_sort(outcome_.jobs, {}, &JobOutcome::submitted);
    return std::move(outcome_);
  }

 private:
  struct Costs {  // seconds of all slots
    double at_all;
    double in_time;
  };

  void add(std::uint32_t index) {
    const PlannedJob& planned = planned_[index];
    const bool follows = planned.at == kForEver;
    JobOutcome job;
    job.submitted = follows ? next_at_ : planned.at;
    if (job.submitted > scenario_.horizon) return;
    job.group = planned.group;
    job.tasks = planned.tasks;
    job.deadline = planned.deadline;
    job.state = scheduler::JobState::Succeeded;
    const Costs costs = costs_of(index, job);
    job.machine_time = costs.at_all * capacity_.speed * capacity_.least_slowness;
    next_at_ = job.submitted + costs.at_all;
    const bool is_alone = follows || scenario_.jobs[planned.group].arrivals.one_by_one;
    job.counted = planned.deadline <= 0 || costs.in_time <= planned.deadline * (1 + kLateness);
    job.ended = next_at_;
    if (!is_alone) shared_.push_back(outcome_.jobs.size());
    costs_.push_back(costs);
    outcome_.jobs.push_back(job);
  }

  // Of the tasks, in splits: together, the longest, and the least that a record can be.
  WorkOfJob work_of(std::uint32_t index, JobOutcome& job) const {
    const JobGroup& group = scenario_.jobs[planned_[index].group];
    const scheduler::JobSpec spec = spec_of(group, planned_[index]);
    const double usual = static_cast<double>(group.size.split_bytes);
    const bool is_even = is_always(group.times.record_time, 1) && is_always(group.times.skew.begins, 1);
    WorkOfJob work{.work = 0, .longest = 0, .record = kForEver, .deadline = kForEver};
    for (const scheduler::Split& split : scheduler::make_splits(spec)) {
      const auto bytes = static_cast<double>(split.range.size());
      const auto records = static_cast<double>((split.range.size() - 1) / group.size.record_bytes + 1);
      const double share = bytes / usual;
      const double all = share * time_of_records(index, split.range);
      job.input_bytes += bytes;
      work.work += all;
      work.longest = std::max(work.longest, all);
      work.record = std::min(work.record, share / records);
    }
    if (!is_even) work.record = 0;
    return work;
  }

  // How many times as long the records take that begin in the range as usual ones.
  double time_of_records(std::uint32_t index, ByteRange range) const {
    const JobGroup& group = scenario_.jobs[planned_[index].group];
    if (is_always(group.times.record_time, 1)) return 1;
    const std::uint64_t size = group.size.record_bytes;
    double sum = 0;
    double records = 0;
    for (std::uint64_t record = (range.begin + size - 1) / size; record * size < range.end; ++record, ++records) {
      Random random(seed_, Purpose::RecordTime, index, record);
      sum += std::max(kRecordMin, group.times.record_time.sample(random));
    }
    return records > 0 ? sum / records : 0;
  }
  static constexpr double kRecordMin = 1e-6;  // of a usual one, as simulated ones

  Costs costs_of(std::uint32_t index, JobOutcome& job) const {
    const PlannedJob& planned = planned_[index];
    const JobGroup& group = scenario_.jobs[planned.group];
    WorkOfJob work = work_of(index, job);
    Random times(seed_, Purpose::BoundTimes, index);
    Random launches(seed_, Purpose::BoundLaunches, index);
    const auto uniform = [&launches] { return launches.uniform(); };
    AttemptLaw attempts;
    attempts.time = times_of(scenario_, group, times);
    attempts.least = least_time(scenario_, group);
    attempts.launch = launch_of(scenario_);
    attempts.keeps_processes = scenario_.keeps_runners;
    if (scenario_.injection && scenario_.injection->launch) attempts.each = scenario_.injection->launch->least();
    for (const double time : group.times.first_durations) {
      if (time > 0) attempts.known.push_back(std::max(kShortest, time));
    }
    // Luck that is its node's can be chosen, and where it changes an attempt need not be launched anew for it.
    const bool is_chosen = scenario_.yardstick == Yardstick::ClairvoyantBound || scenario_.node_correlation > 0 ||
                           scenario_.speed_changes_every > 0;
    if (is_chosen) attempts.time = [least = attempts.least] { return least; };
    if (scenario_.yardstick == Yardstick::ClairvoyantBound) attempts.launch.hazard = kForEver;
    const Slownesses slots{capacity_.least_slowness, capacity_.greatest_slowness};
    const double at_all = least_cost(work, attempts, slots, kForEver, uniform) / capacity_.speed;
    if (planned.deadline <= 0) return {at_all, at_all};
    times = Random(seed_, Purpose::BoundTimes, index);
    launches = Random(seed_, Purpose::BoundLaunches, index);
    work.deadline = planned.deadline * (1 + kLateness);
    return {at_all, least_cost(work, attempts, slots, work.deadline * capacity_.speed, uniform) / capacity_.speed};
  }

  // Of jobs that come by themselves. One that follows another has all slots alone here.
  void count() {
    std::vector<std::size_t> due;
    std::vector<Demand> demands;
    for (const std::size_t place : shared_) {
      const JobOutcome& job = outcome_.jobs[place];
      if (job.deadline <= 0 || !*job.counted) continue;
      due.push_back(place);
      demands.push_back({job.submitted, job.submitted + job.deadline, costs_[place].in_time});
    }
    const std::vector<bool> are_in_time = most_in_time(demands);
    for (std::size_t i = 0; i < due.size(); ++i) outcome_.jobs[due[i]].counted = are_in_time[i];
  }

  void serve() {
    std::vector<Demand> demands;
    for (const std::size_t place : shared_) {
      demands.push_back({outcome_.jobs[place].submitted, kForEver, costs_[place].at_all});
    }
    const std::vector<double> ends = shortest_first(demands);
    for (std::size_t i = 0; i < shared_.size(); ++i) outcome_.jobs[shared_[i]].ended = ends[i];
    for (const JobOutcome& job : outcome_.jobs) {
      outcome_.ended = std::max(outcome_.ended, job.ended);
      outcome_.slot_seconds += job.machine_time;
    }
    outcome_.there_slot_seconds = outcome_.ended * outcome_.slots;
  }

  const Scenario& scenario_;
  const std::uint64_t seed_;
  const Capacity capacity_;
  const std::vector<PlannedJob> planned_;
  std::vector<Costs> costs_;         // by job of the outcome
  std::vector<std::size_t> shared_;  // such jobs as come by themselves
  double next_at_ = 0;               // when the next one comes that waits for this one
  Outcome outcome_;
};

}  // namespace

Outcome run_bound(const Scenario& drawn, std::uint64_t seed) { return Bound(drawn, seed).run(); }

}  // namespace ontime::lab
