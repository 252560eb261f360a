#pragma once
// What is run, in virtual time or on real processes: nodes, jobs, faults, and the policies to compare. Times are
// seconds, sizes bytes, speeds and slownesses factors. Everything has a default that makes a small healthy cluster.
// Some of it only one of the two can do: scenario_yaml.h. docs/research/scenarios.md lists the keys of the file.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/distribution.h"
#include "common/base/result.h"
#include "common/injection/injection.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/resource_manager.h"
#include "scheduler/forecast/slots_wanted.h"
#include "scheduler/math/durations.h"

namespace ontime::lab {

inline constexpr double kForEver = std::numeric_limits<double>::infinity();

// A node's disk, which its attempts share: one segment after another is written and synced.
struct Disk {
  double bytes_per_second = kForEver;
  Distribution sync;  // of a segment, once it is written

  bool takes_time() const { return bytes_per_second < kForEver || !sync.is_constant() || sync.median() > 0; }
};

// What becomes of packets on the way. A lost one is sent again after a time-out that doubles each time.
struct Network {
  double loss = 0;          // probability, each time it is sent
  double retransmit = 0.2;  // the first time-out
  double give_up = 15;      // the connection breaks when a packet has waited longer
};

// From `at` on, seconds, attempts on a node take `slowness` times as long, drawn once per node.
struct SlownessChange {
  double at = 0;
  Distribution slowness;
};

// Nodes that are alike.
struct NodeGroup {
  std::uint32_t count = 1;
  std::uint32_t slots = 1;
  // Drawn once per node: every attempt there takes so many times as long, until it changes.
  Distribution slowness = Distribution::constant(1);
  std::string name{};  // its nodes are called name-1, name-2 ...; empty: node-0 ... by their index over all groups
  Disk disk{};
  // Its slowness is drawn anew at exponentially distributed times with this mean, each node alone. 0: never.
  double slowness_changes_every = 0;
  std::vector<SlownessChange> slowness_changes{};  // by time

  bool is_steady() const { return slowness_changes_every <= 0 && slowness_changes.empty(); }
};

// A node fails. Crash: its process and attempts die; if it comes back it is a new worker. Partition: nothing gets
// through in either direction, its attempts run on; afterwards it registers again and sends what was not acknowledged.
// DiskFull: nothing can be written there; DiskFails: nothing can be created either, and what is being synced is lost.
// An attempt that comes to that ends. TimeLimit: a crash that its worker knows of when it registers, and leaves before.
struct Outage {
  enum class Kind : std::uint8_t { Crash, Partition, DiskFull, DiskFails, TimeLimit };
  Kind kind = Kind::Crash;
  std::uint32_t node = 0;  // index over all groups, in their order
  double at = 0;
  double lasts = kForEver;
  double lead = 5;  // of TimeLimit: so much earlier the worker leaves
};

// Nodes come and go with the slots that deadlines need (scheduler/forecast/slots_wanted.h). At first as many of them
// are there as hold `least` slots. Which goes: the one that was called last. It ends when others have what it ran.
struct Elastic {
  std::uint32_t least = 1;  // slots
  double start = 30;        // seconds from the call for a node to its registration
  double every = 1;         // seconds between two looks
  scheduler::SlotsRule rule{};
};

// A job as a trace has it.
struct TraceJob {
  double at = 0;
  std::uint32_t tasks = 1;
};

// When the jobs of a group are submitted. The first that is given counts; without any all come at 0.
struct Arrivals {
  std::vector<double> at;   // one for each job
  bool one_by_one = false;  // each when the one before has ended, the first at 0
  double every = 0;         // one after the other at this distance
  double load = 0;          // Poisson at so many times what the slots can do, by mean work without copies
  double rate = 0;          // Poisson, jobs per second
  // At uniformly distributed times within a span, as of a Poisson process of which the count is known. The jobs of all
  // groups that say so make up this share of what the slots can do in the span.
  double spread = 0;
  // With load or rate, which are the mean then: a day has parts of the same length, and each has jobs in proportion to
  // its number. Empty: all parts have as many.
  std::vector<double> daily{};
  double day = 86'400;  // seconds
};

// How much there is to do in a job, and in what pieces.
struct JobSize {
  Distribution tasks = Distribution::constant(10);  // per job; rounded up, at least 1
  // Unless it is 0: `tasks` counts waves of tasks on this share of the slots, rounded to whole tasks.
  Distribution share;
  // Per job: its splits are so many times as long as split_bytes, and its attempts take so many times as long.
  Distribution scale = Distribution::constant(1);
  std::uint64_t split_bytes = 128u << 20;
  // Sizes of its input files, divided into splits as real ones are; stands for `tasks`. Empty: one file of whole
  // splits.
  std::vector<std::uint64_t> file_bytes;
  Distribution split_lengths = Distribution::constant(1);  // in split_bytes, per task, at most 1
  std::uint64_t record_bytes = 64u << 10;                  // offsets, cuts and resumes are multiples of it
  double output = 1;                                       // bytes that a mapped byte becomes; matters to disks alone
};

// Bytes need not take alike long: from the share `begins` of its split on, a task's bytes take `slowness` times as long
// as the others; the whole takes as long as ever. Drawn per task.
struct Skew {
  Distribution begins = Distribution::constant(1);
  Distribution share = Distribution::constant(1);  // of the split, or up to its end
  Distribution slowness = Distribution::constant(1);
};

// How long the attempts take, and when they answer.
struct AttemptTimes {
  // Of an attempt over a whole split on a node of slowness 1, from its first record on. Every attempt draws anew and,
  // on a part of the split, takes its share.
  Distribution duration = Distribution::pareto(10, 2);
  std::vector<Distribution> durations;  // one of these instead, drawn per run; empty: `duration`
  Skew skew;
  // Recorded durations by task index: the first attempt of the task takes exactly so long for a whole split, on
  // whatever node. 0, or a task beyond the list: drawn. All other attempts draw.
  std::vector<double> first_durations;
  double recorded_work = 0;  // slot-seconds of a job without launches, as recorded; 0: by its tasks and `duration`
  // Seconds before the first byte of each segment, or whatever the start is of; as much longer as mapping is on a slow
  // node and by a slow-down on purpose.
  Distribution start;
  injection::StartOf start_of = injection::StartOf::Segment;
  std::uint64_t reads_ahead = 0;  // bytes taken before they are mapped; injection::kAllAhead: all of a segment
  // A record takes so many times as long as its share of the duration, drawn per record: the same in every attempt.
  Distribution record_time = Distribution::constant(1);
  // Whether the worker answers a cut for a runner that is inside a record or in its start. Empty: unless is_plain() and
  // nothing of the kind is injected.
  std::optional<bool> workers_answer;

  bool is_plain() const {  // all that takes time is its bytes, alike long
    const auto is_always = [](const Distribution& d, double value) { return d.is_constant() && d.median() == value; };
    return is_always(start, 0) && reads_ahead == 0 && is_always(record_time, 1);
  }
};

// What the scheduler knows of earlier jobs of that name before anything happens.
struct KnownBefore {
  std::optional<scheduler::math::DurationSample> profile;
  std::uint32_t history = 0;  // attempts that are drawn for the profile; 0: as it is
};

// After submission. All 0: there is none.
struct JobDeadline {
  double seconds = 0;
  // Or multiples, drawn per job, of: a second; the mean or the least duration of the job's own attempts; the time that
  // it would take alone, wave by wave of its tasks on all slots, each as long as its mean with its launch.
  enum class Of : std::uint8_t { Second, Mean, Least, Alone };
  Of of = Of::Second;
  Distribution times{};
  // Or of the median time of the group's jobs under a policy, which is measured first.
  double medians = 0;
  std::string medians_of;

  bool is_set() const { return seconds > 0 || is_drawn() || medians > 0; }
  bool is_drawn() const { return !times.is_constant() || times.median() > 0; }
};

// What real processes map. Simulated ones only take the time that it takes.
struct ProcessWork {
  std::string application = "wordcount";
  scheduler::StringMap parameters;  // of the application
  std::vector<std::string> files;   // input; none: data made for it, split_bytes for each task
  std::string data = "text";        // its kind, as `ontime gen` has them
};

// What a group is in a comparison of policies.
struct JobRole {
  std::uint32_t item = 0;       // of the file's list of jobs, one of which can stand for many groups
  bool is_noise = false;        // runs under the policy none beside the others and is not counted
  scheduler::StringMap values;  // what $NAME in a policy's text stands for
};

// Jobs that are alike.
struct JobGroup {
  std::string name = "job";  // also the application: jobs of one name share a profile of durations
  std::uint32_t count = 1;
  Arrivals arrivals;
  std::vector<TraceJob> trace;  // stands for count, arrivals and size.tasks
  JobSize size;
  AttemptTimes times;
  KnownBefore known;
  JobDeadline deadline;
  JobSettings handling;  // but for its deadline
  ProcessWork work;
  JobRole role;
};

// Jobs that run before the others, so that it is known how long attempts take.
struct WarmUp {
  std::uint32_t jobs = 0;  // of each application; 0: none
  std::uint32_t tasks = 10;
  double time = 10;  // the others come so much later, and these are ended by then
};

// One of those that are compared.
struct NamedPolicy {
  std::string name;  // in tables
  std::string text;  // NAME or NAME:KEY=VALUE,...
};

// What stands where a policy is named: what no policy can exceed (lab/simulator/bound.h), or what an ideal cluster
// would make of it (lab/simulator/ideal.h).
enum class Yardstick : std::uint8_t { None, Bound, ClairvoyantBound, Ideal, IdealWithLaunches };

struct Scenario {
  std::vector<NodeGroup> nodes{{}};
  std::vector<JobGroup> jobs{{}};
  std::vector<Outage> outages;
  std::optional<Elastic> elastic{};  // none: all nodes are always there

  Distribution launch = Distribution::constant(1);             // from the order to the first record, per attempt
  Distribution network_delay = Distribution::constant(0.001);  // one way, per message; those of a connection keep order
  Network network{};
  double heartbeat = 0;  // interval; 0: a twentieth of the shortest median duration, 10 ms to 5 minutes
  // An attempt that runs on alone shows less and less that is new: a node where nothing was launched for long waits
  // this share of that time before it beats again. What stands still for days is then not simulated beat by beat.
  double heartbeat_growth = 0;
  double node_timeout = 0;  // 0: 25 heartbeats
  double cut_timeout = 0;   // 0: 15 heartbeats
  double reconnect = 0.05;  // from a lost connection, or the end of a partition, to the registration

  // An attempt's speed changes at exponentially distributed times with this mean: it is drawn anew. 0: never.
  double speed_changes_every = 0;
  // How much of an attempt's luck is its node's, 0 to 1: correlation of the durations (as normal scores) of attempts on
  // one node. Each attempt alone is distributed as without it.
  double node_correlation = 0;
  Distribution commit;           // of a job's output, from its last seal on
  double crash_probability = 0;  // that an attempt dies on its own, at a uniformly distributed share of its duration

  // Whether a runner whose attempt has sealed all stays, so that the job's next attempt there has nothing to load. Real
  // workers do that; engines that start a container for each attempt do not.
  bool keeps_runners = false;
  // What is done to attempts on purpose, as it is done to real ones: their pace stands for `duration`, their launch
  // time comes on top of `launch`. Jobs then have whole splits only.
  std::optional<injection::Injection> injection{};
  std::string injection_text;  // as a document for a master; traces are named by absolute paths

  scheduler::Placement placement{};
  double sample_every = 0;  // interval at which Outcome::samples are taken; 0: none
  double horizon = 1e9;     // the simulation ends here even if jobs have not
  // Or when the scheduler has taken so many steps from this time on.
  std::uint64_t steps_max = std::numeric_limits<std::uint64_t>::max();
  double steps_max_from = 0;
  bool check_invariants = false;  // after every step: slow
  // The seed by which jobs have got their sizes, arrivals and histories; none: the run's. draw() sets it.
  std::optional<std::uint64_t> drawn{};

  Yardstick yardstick = Yardstick::None;  // instead of a policy

  // What is compared.
  std::vector<NamedPolicy> policies;
  std::vector<NamedPolicy> not_run{};  // the file's others: deadlines may be made of their medians
  std::uint32_t repeat = 1;            // runs of each, with seeds from `seed` on
  std::uint32_t baseline_runs = 1;  // of a policy whose median is a deadline, with the seeds of the first repetitions
  std::uint64_t seed = 1;
  WarmUp warm_up;
  std::vector<double> forecast_at{0.25, 0.5, 0.75};  // shares of the deadline at which PoCD is predicted
};

// What is left out of a scenario that describes processes: no injection but the time that they really take.
Scenario process_defaults();

// BadInput with one sentence if something in it cannot be.
Status check(const Scenario& scenario);

std::uint32_t nodes_of(const Scenario& scenario);
std::uint32_t slots_of(const Scenario& scenario);
// Slot-seconds of a job of the group without copies, on average. BadInput if that cannot be said.
Result<double> mean_work(const Scenario& scenario, const JobGroup& group);
// Of one of its tasks, with its launch, in a job of this scale; infinite if it has no mean.
double mean_task(const Scenario& scenario, const JobGroup& group, double scale);
// The values that stand for 0 above.
double heartbeat_of(const Scenario& scenario);
double node_timeout_of(const Scenario& scenario);
double cut_timeout_of(const Scenario& scenario);

// `text` with what every $NAME in it stands for; nothing: it stays. A name has letters, digits, '_' and '-'.
std::string fill_in(const std::string& text,
                    const std::function<std::optional<std::string>(const std::string& name)>& meaning);

// "shed+:theta=1s,lambda=0.2": a policy and its parameters for all jobs of a scenario.
using scheduler::PolicyChoice;
using scheduler::read_policy;
// What stands behind --policy: of a policy that there is, with parameters that it takes.
Result<PolicyChoice> read_policy_flag(const std::string& text);
// Yardsticks where policies are named; the parameter of the first is `clairvoyant`, of the second `launches`, yes or
// no.
inline constexpr std::string_view kBound = "bound";
inline constexpr std::string_view kIdeal = "ideal";
// Replaces what the scenario says, and checks it.
Status choose_policy(Scenario& scenario, const PolicyChoice& choice);

// The jobs of a scenario one by one, before anything happens: sizes and arrivals are the same under every policy.
struct PlannedJob {
  std::uint32_t group = 0;  // index into Scenario::jobs
  std::uint32_t tasks = 1;
  double at = 0;                            // kForEver: when the one before it in its group has ended
  double scale = 1;                         // its splits and durations against its group's
  double deadline = 0;                      // seconds after submission; 0: none
  std::vector<std::uint64_t> file_bytes{};  // as the group has it, or drawn
};

// What a run with this seed is about: durations chosen, histories drawn. With another seed it is the same jobs with
// other luck.
Scenario draw(const Scenario& scenario, std::uint64_t seed);

// Group by group, in each in order of arrival.
std::vector<PlannedJob> plan_jobs(const Scenario& scenario, std::uint64_t seed);

scheduler::JobSpec spec_of(const JobGroup& group, const PlannedJob& planned);

}  // namespace ontime::lab
