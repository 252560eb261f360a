#pragma once
// An experiment as its file describes it: a cluster, what disturbs it on purpose, jobs, and the policies to compare.
// docs/experiments.md lists the keys. Times are seconds, sizes bytes.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/injection/injection.h"

namespace ontime::lab::experiment {

inline constexpr double kForEver = std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t kJobsMax = 900;  // of a run: a master remembers a thousand that have ended

// Workers that are alike. They are called name-1, name-2 ...
struct NodeGroup {
  std::string name = "worker";
  std::uint32_t count = 1;
  std::uint32_t slots = 1;
  double slowness = 1;  // attempts there take so many times as long
};

// When the jobs of a group are submitted.
struct Arrivals {
  enum class Kind : std::uint8_t { AtOnce, OneByOne, Every, Rate, Load, Listed };
  Kind kind = Kind::AtOnce;
  double value = 0;        // Every: seconds; Rate: jobs per second; Load: share of what all slots can do
  std::vector<double> at;  // Listed
};

// Seconds after submission, or so many times the median time of the group's jobs under a policy, measured first.
struct Deadline {
  double seconds = 0;      // 0: none, unless measured
  std::string medians_of;  // a policy; empty: not measured
  double times = 1;
};

using Texts = std::map<std::string, std::string>;

// Jobs that are alike.
struct JobGroup {
  std::string name;
  std::string application = "wordcount";
  Texts parameters;
  std::vector<std::string> files;                                // input; none: data made for it
  std::string data = "text";                                     // its kind, as `ontime gen` has them
  std::uint64_t task_bytes = 64 << 10;                           // of it, for each task
  std::vector<std::pair<std::uint32_t, double>> tasks{{10, 1}};  // how many a job has, and the share of such jobs
  std::uint32_t count = 1;
  Arrivals arrivals;
  std::vector<std::uint32_t> trace_tasks;  // with Listed arrivals: of each job; empty: drawn from `tasks`
  Deadline deadline;
  std::optional<double> checkpoint;  // interval, 0: off; none: what suits the policy
  double attempt_timeout = 0;        // 0: by what the job's attempts show
  bool is_noise = false;             // runs under the policy none beside the others and is not counted
  Texts values;                      // what $NAME in a policy's text stands for
};

// Jobs that run before the others, so that it is known how long attempts take.
struct WarmUp {
  std::uint32_t jobs = 0;  // of each application; 0: none
  std::uint32_t tasks = 10;
  double time = 10;  // the others come so much later, and these are ended by then
};

struct Policy {
  std::string name;  // in tables
  std::string text;  // NAME or NAME:KEY=VALUE,...
};

// A number that was printed somewhere for comparison.
struct Printed {
  double low = 0;
  double high = 0;
};

struct Scenario {
  std::string title;
  std::vector<NodeGroup> nodes;
  injection::Injection injection;  // with the slow groups of nodes; its seed is the run's
  std::string injection_text;      // the document; traces are named by absolute paths
  std::vector<JobGroup> jobs;
  std::vector<Policy> policies;
  WarmUp warm_up;
  std::uint32_t repeat = 1;
  std::uint32_t baseline_runs = 1;  // of a policy whose median is a deadline, with the seeds of the first repetitions
  std::uint64_t seed = 1;
  double heartbeat = 0.1;
  double node_timeout = 10;
  double limit = 900;                                // a run ends then, whatever is left
  std::vector<double> forecast_at{0.25, 0.5, 0.75};  // shares of the deadline
  double launch = 0.02;                    // simulator only: what it takes to start an attempt without any injection
  double network_delay = 0.001;            // simulator only: one way
  std::map<std::string, Printed> printed;  // PoCD by policy
};

std::uint32_t nodes_of(const Scenario& scenario);
std::uint32_t slots_of(const Scenario& scenario);
bool has_measured_deadline(const Scenario& scenario);

}  // namespace ontime::lab::experiment
