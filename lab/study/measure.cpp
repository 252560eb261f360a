#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "lab/results/interval.h"
#include "lab/study/study_result.h"

namespace ontime::lab {
namespace {

// The sum of one thing, which is a member of JobOutcome or a function of it, over the jobs.
template <class Value>
double sum(const Sight& sight, Value value) {
  double total = 0;
  for (const JobOutcome* job : sight.jobs) total += static_cast<double>(std::invoke(value, *job));
  return total;
}
template <class Value>
double per_job(const Sight& sight, Value value) {
  return sight.jobs.empty() ? kNan : sum(sight, value) / static_cast<double>(sight.jobs.size());
}
template <auto Value>
double mean(const Sight& sight) {
  return per_job(sight, Value);
}
template <auto Value>
double per_task(const Sight& sight) {
  const double tasks = sum(sight, &JobOutcome::tasks);
  return tasks > 0 ? sum(sight, Value) / tasks : kNan;
}

double jobs(const Sight& sight) { return static_cast<double>(sight.jobs.size()); }
double flow_time(const Sight& sight) {
  const auto& times = sight.flow_times;
  return times.empty() ? kNan : std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}
template <int Percent>
double flow_quantile(const Sight& sight) {
  return quantile_of(sight.flow_times, Percent / 100.0);
}
// Of all jobs, those that had not ended counted as if they did with the simulation.
double flow_censored(const Sight& sight) {
  return per_job(sight, [&](const JobOutcome& job) {
    return job.has_ended() ? job.flow_time() : sight.outcome->ended - job.submitted;
  });
}
template <int Percent>
double cost_quantile(const Sight& sight) {
  std::vector<double> costs;
  for (const JobOutcome* job : sight.jobs) {
    if (job->has_ended()) costs.push_back(sight.utility.price * job->machine_time);
  }
  std::sort(costs.begin(), costs.end());
  return quantile_of(costs, Percent / 100.0);
}
double cost_of_ended(const Sight& sight) {
  const double ended = sum(sight, &JobOutcome::has_ended);
  const double time = sum(sight, [](const JobOutcome& job) { return job.has_ended() ? job.machine_time : 0; });
  return ended > 0 ? sight.utility.price * time / ended : kNan;
}
// Extra attempts that the policy chose, over the jobs for which it chose a number.
double chosen(const Sight& sight) {
  const double jobs = sum(sight, [](const JobOutcome& job) { return job.chosen >= 0 ? 1 : 0; });
  return jobs > 0 ? sum(sight, [](const JobOutcome& job) { return std::max(0, job.chosen); }) / jobs : kNan;
}
template <int R>
double chosen_is(const Sight& sight) {
  return per_job(sight, [](const JobOutcome& job) { return job.chosen == R ? 1 : 0; });
}
double held_back(const Sight& sight) { return sight.outcome->held_back; }
double paid(const Sight& sight) { return sight.outcome->paid_slot_seconds; }
double utilisation(const Sight& sight) { return sight.outcome->utilisation(); }
// Of the samples until the last job came, when the cluster begins to run empty.
template <class Value>
std::vector<double> while_jobs_come(const Sight& sight, Value value) {
  const Outcome& outcome = *sight.outcome;
  double last = 0;
  for (const JobOutcome& job : outcome.jobs) last = std::max(last, job.submitted);
  std::vector<double> values;
  for (const Sample& sample : outcome.samples) {
    if (sample.at <= last) values.push_back(static_cast<double>(value(sample)));
  }
  std::sort(values.begin(), values.end());
  return values;
}
template <int Percent>
double busy_quantile(const Sight& sight) {
  const auto busy = while_jobs_come(sight, [](const Sample& sample) { return sample.busy; });
  return quantile_of(busy, Percent / 100.0) / sight.outcome->slots;
}
double active_jobs(const Sight& sight) {
  const auto jobs = while_jobs_come(sight, [](const Sample& sample) { return sample.jobs; });
  return jobs.empty() ? kNan : std::accumulate(jobs.begin(), jobs.end(), 0.0) / static_cast<double>(jobs.size());
}
// Of jobs: had copies for at most 5 % of their tasks.
double few_copies(const Sight& sight) {
  return per_job(sight, [](const JobOutcome& job) { return job.copies <= 0.05 * job.tasks ? 1 : 0; });
}
double wasted(const Sight& sight) {
  const double input = sum(sight, &JobOutcome::input_bytes);
  return input > 0 ? std::max(0.0, sum(sight, &JobOutcome::mapped_bytes) / input - 1) : kNan;
}
double cost(const Sight& sight) { return sight.utility.price * mean<&JobOutcome::machine_time>(sight); }
double utility(const Sight& sight) {
  const double over = mean<&JobOutcome::met>(sight) - sight.utility.r_min;
  if (!(over > 0)) return -std::numeric_limits<double>::infinity();
  return std::log(over) / std::log(sight.utility.log_base) - sight.utility.theta * cost(sight);
}
Calibration calibration(const Sight& sight) {
  Calibration all;
  for (const JobOutcome* job : sight.jobs) {
    for (const ForecastReading& seen : job->forecasts) all.add(seen.pocd, job->met());
  }
  return all;
}
double brier(const Sight& sight) { return calibration(sight).brier(); }
double bias(const Sight& sight) { return calibration(sight).bias(); }
// How they are shown: python/ontime/lab/measures.py.
constexpr std::array kMeasures{
    Measure{"pocd", mean<&JobOutcome::met>},
    Measure{"jobs", jobs},
    Measure{"machine_time", mean<&JobOutcome::machine_time>},
    Measure{"flow_time", flow_time},
    Measure{"flow_p10", flow_quantile<10>},
    Measure{"flow_p50", flow_quantile<50>},
    Measure{"flow_p80", flow_quantile<80>},
    Measure{"flow_p90", flow_quantile<90>},
    Measure{"flow_p95", flow_quantile<95>},
    Measure{"flow_p99", flow_quantile<99>},
    Measure{"flow_max", flow_quantile<100>},
    Measure{"flow_censored", flow_censored},
    Measure{"cost_ended", cost_of_ended},
    Measure{"cost_p80", cost_quantile<80>},
    Measure{"r_chosen", chosen},
    Measure{"r_is_0", chosen_is<0>},
    Measure{"r_is_1", chosen_is<1>},
    Measure{"r_is_2", chosen_is<2>},
    Measure{"r_is_3", chosen_is<3>},
    Measure{"r_is_4", chosen_is<4>},
    Measure{"r_is_5", chosen_is<5>},
    Measure{"r_is_6", chosen_is<6>},
    Measure{"utilisation", utilisation},
    Measure{"busy_p50", busy_quantile<50>},
    Measure{"busy_p90", busy_quantile<90>},
    Measure{"active_jobs", active_jobs},
    Measure{"attempts_per_task", per_task<&JobOutcome::attempts>},
    Measure{"copies_share", per_task<&JobOutcome::copies>},
    Measure{"few_copies", few_copies},
    Measure{"wasted", wasted},
    Measure{"cost", cost},
    Measure{"utility", utility},
    Measure{"finished", mean<&JobOutcome::has_ended>},
    Measure{"brier", brier},
    Measure{"bias", bias},
    Measure{"held_back", held_back},
    Measure{"paid", paid},
    Measure{"decisions", mean<&JobOutcome::decisions>},
};

}  // namespace

std::span<const Measure> measures() { return kMeasures; }

const Measure* find_measure(std::string_view name) {
  const auto found = std::ranges::find(kMeasures, name, &Measure::name);
  return found == kMeasures.end() ? nullptr : &*found;
}

}  // namespace ontime::lab
