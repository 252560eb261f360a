#pragma once
// Runs of one policy in a few numbers. Only counted jobs that are to be measured count.

#include <map>
#include <string>
#include <vector>

#include "lab/experiment/plan.h"
#include "lab/experiment/rows.h"
#include "lab/results/interval.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

struct PolicySummary {
  std::string policy;
  std::string group;  // empty: all
  std::uint32_t repetitions = 0;
  std::uint64_t jobs = 0;
  std::uint64_t met = 0;  // their deadline
  std::uint64_t unfinished = 0;
  lab::Estimate pocd;  // of the jobs with a deadline, Wilson
  lab::Estimate time;  // seconds of a job that has ended, mean, Student over jobs
  double p50 = 0, p90 = 0, p99 = 0;
  lab::Estimate machine;   // slot-seconds of a job, mean, Student over jobs
  double utilisation = 0;  // share of the slots that were busy, from the first submission to the last end
  double attempts = 0;     // per task
  double duplicated = 0;   // bytes that were mapped and are not in the answer, per byte of input
  double resumed = 0;      // bytes that were not mapped again because an attempt went on from an offset, likewise
  std::map<std::string, std::uint64_t> copies;  // speculative attempts by reason

  template <class Row, class Visit>
  static void fields(Row& row, Visit&& visit) {
    visit_all(visit, "policy", row.policy, "group", row.group, "repetitions", row.repetitions);
    visit_all(visit, "jobs", row.jobs, "met", row.met, "unfinished", row.unfinished);
    visit_all(visit, "pocd", row.pocd.value, "pocd_low", row.pocd.low, "pocd_high", row.pocd.high);
    visit_all(visit, "time_mean_s", row.time.value, "time_low_s", row.time.low, "time_high_s", row.time.high);
    visit_all(visit, "time_p50_s", row.p50, "time_p90_s", row.p90, "time_p99_s", row.p99);
    visit("machine_mean_s", row.machine.value);
    visit_all(visit, "machine_low_s", row.machine.low, "machine_high_s", row.machine.high);
    visit_all(visit, "utilisation", row.utilisation, "attempts_per_task", row.attempts);
    visit_all(visit, "duplicated_share", row.duplicated, "resumed_share", row.resumed, "copies_by_reason", row.copies);
  }
};

// Policies in the order of the rows.
std::vector<PolicySummary> summarise(const Results& results, std::uint32_t slots);
// The same for each group of jobs, if there are several.
std::vector<PolicySummary> summarise_groups(const Results& results, std::uint32_t slots);

// Of a measurement: what deadlines are multiples of. `policy` is the one that was measured.
void add_baselines(Baselines& baselines, const Scenario& scenario, const std::string& policy, const Results& measured);

// The rows of one run of a policy.
struct RunRows {
  std::string policy;
  std::uint32_t repetition = 0;
  std::vector<JobRow> jobs;
  std::vector<AttemptRow> attempts;
};
std::vector<RunRows> runs_of(const Results& results);  // in the order of their jobs

// From the first submission of a counted job of a run to the end of the last one.
struct Span {
  double begin = 0;
  double end = 0;
};
Span span_of(const std::vector<JobRow>& jobs);

std::string summary_json(const std::vector<PolicySummary>& all);

// Busy slots of each run over time: rows of utilisation.csv.
nlohmann::ordered_json use_of(const Results& results, std::uint32_t slots);

// Two results side by side, with 95 % intervals of the differences: of shares by Newcombe's hybrid of two Wilson
// intervals, of means by Welch's t. Jobs of both sides are taken as independent of each other.
struct Difference {
  lab::Estimate before;
  lab::Estimate after;
  lab::Estimate change;  // after - before; without an interval where nothing can be said

  // Whether the interval leaves out 0.
  bool is_clear() const { return change.has_interval() && (change.low > 0 || change.high < 0); }
};

struct Comparison {
  std::string policy;
  Difference pocd;
  Difference time;     // seconds of a job that has ended, mean
  Difference machine;  // slot-seconds of a job, mean
};

// Policies that both have, in the order of `before`.
std::vector<Comparison> compare(const std::vector<JobRow>& before, const std::vector<JobRow>& after);

Difference difference_of_shares(std::uint64_t met_before, std::uint64_t jobs_before, std::uint64_t met_after,
                                std::uint64_t jobs_after);
Difference difference_of_means(const std::vector<double>& before, const std::vector<double>& after);

std::string comparison_json(const std::vector<Comparison>& all);

}  // namespace ontime::lab::experiment
