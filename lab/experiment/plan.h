#pragma once
// What is going to be run: all that chance decides is decided here, so every policy meets the same jobs at the same
// instants. Pure: the same scenario and seed give the same plan.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/experiment/rows.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/scenario_yaml.h"

namespace ontime::lab::experiment {

// Reads the file that describes an experiment: a scenario (lab/scenario/scenario_yaml.h) that processes can run.
inline constexpr std::uint32_t kJobsMax = 900;  // of a run: a master remembers a thousand that have ended

// BadInput with one sentence that begins with the line where something is wrong. What was read is checked.
Result<Scenario> read_experiment(const std::string& text, const Surroundings& surroundings);

// BadInput if there is no such policy or it does not take the parameters. $NAME stands for anything here.
Status check_policy(const NamedPolicy& policy, const Scenario& scenario);

enum class JobKind : std::uint8_t { Counted, Noise, WarmUp };
const char* name_of(JobKind kind);  // "counted"

struct PlannedJob {
  std::uint32_t group = 0;  // index into Scenario::jobs
  JobKind kind = JobKind::Counted;
  std::uint32_t tasks = 1;
  double at = 0;  // after the run's beginning; kForEver: when the job before it has ended
};

// In order of submission: the first is job 1 of a fresh cluster, and so on. What is injected depends on that number.
// Those that would come after the horizon, under any policy, are left out.
std::vector<PlannedJob> planned_jobs(const Scenario& scenario, std::uint64_t seed);
// Those of them that would have counted, in all repetitions.
std::size_t count_after_horizon(const Scenario& scenario);

// What the measurement of a baseline has come to, by index of the group.
struct Baseline {
  double median = 0;  // seconds; 0: not measured
  double miss = 0;    // share of its jobs that would miss the deadline that follows from the median: $miss
};
using Baselines = std::map<std::uint32_t, Baseline>;

// Of a measurement: what deadlines are multiples of. `policy` is the one that was measured.
void add_baselines(Baselines& baselines, const Scenario& scenario, const std::string& policy, const Results& measured);

double deadline_of(const Scenario& scenario, std::uint32_t group, const Baselines& baselines);

// NAME:KEY=VALUE,... with every $NAME replaced by what it stands for in the group. BadInput if it stands for nothing.
Result<std::string> policy_text(const NamedPolicy& policy, const Scenario& scenario, std::uint32_t group,
                                const Baselines& baselines);
Result<PolicyChoice> chosen_policy(const NamedPolicy& policy, const Scenario& scenario, std::uint32_t group,
                                   const Baselines& baselines);

// One run: all jobs under one policy.
struct Run {
  NamedPolicy policy;
  std::uint32_t repetition = 1;
  bool is_measurement = false;  // of a baseline: jobs have no deadline
  std::uint64_t seed = 1;
  std::vector<PlannedJob> jobs;
};
// How the run's jobs of a group that are of a kind are run: what counts has the group's deadline and the run's policy,
// a warm-up its own limit. BadInput as of chosen_policy().
Result<JobSettings> settings_of(const Scenario& scenario, const Run& run, std::uint32_t group, JobKind kind,
                                const Baselines& baselines);
// The baselines that deadlines are multiples of, each `baseline_runs` times, one after the other.
std::vector<Run> plan_measurements(const Scenario& scenario);
// Repetition by repetition, so that all policies have something early.
std::vector<Run> plan_runs(const Scenario& scenario);

// One run on the simulator: the same jobs, the same disturbances of the same attempts, in virtual time. Pure.

// Failed if an invariant of the scheduler does not hold, or if `stop`, which is asked now and then, says so; BadInput
// for what the simulator cannot do.
Result<Results> simulate(const Scenario& scenario, const Run& run, const Baselines& baselines,
                         const std::function<bool()>& stop = {});

}  // namespace ontime::lab::experiment
