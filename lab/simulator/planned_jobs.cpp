#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/scenario/purpose.h"
#include "lab/scenario/scenario.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab {
namespace {

constexpr double kTasksMax = 10e6;
constexpr std::uint64_t kRecordsDrawn = 1000;  // of a split, to know its mean

// In which the jobs that are spread over it make up their share of what the slots can do.
double span_of(const Scenario& scenario) {
  double work = 0;
  double spread = 1;
  for (const JobGroup& group : scenario.jobs) {
    if (group.arrivals.spread <= 0) continue;
    spread = group.arrivals.spread;
    const double launches = group.size.tasks.median() * scenario.launch.median();
    const double of_job =
        group.times.recorded_work > 0 ? group.times.recorded_work + launches : mean_work(scenario, group).value();
    work += group.count * of_job;
  }
  return work / (spread * slots_of(scenario));
}

// When what would come at `steady` if the rate were always its mean comes on a day whose parts have more and less.
double by_day(const Arrivals& arrivals, double steady) {
  if (arrivals.daily.empty()) return steady;
  const double before = std::floor(steady / arrivals.day) * arrivals.day;
  const double part = arrivals.day / static_cast<double>(arrivals.daily.size());
  const double total = std::accumulate(arrivals.daily.begin(), arrivals.daily.end(), 0.0);
  double left = (steady - before) / arrivals.day * total;  // of the day's jobs
  double begin = before;
  for (const double share : arrivals.daily) {
    if (left < share) return begin + left / share * part;
    left -= share;
    begin += part;
  }
  return before + arrivals.day;  // by rounding
}

std::vector<double> arrivals_of(const JobGroup& group, const Scenario& scenario, double span, Random& random) {
  if (!group.arrivals.at.empty()) return group.arrivals.at;
  std::vector<double> at(group.count, 0);
  if (!group.trace.empty()) {
    std::transform(group.trace.begin(), group.trace.end(), at.begin(), [](const TraceJob& job) { return job.at; });
    return at;
  }
  if (group.arrivals.one_by_one) {
    std::fill(at.begin() + 1, at.end(), kForEver);
    return at;
  }
  if (group.arrivals.every > 0) {
    for (std::size_t job = 0; job < at.size(); ++job) at[job] = group.arrivals.every * static_cast<double>(job);
    return at;
  }
  if (group.arrivals.spread > 0) {
    for (double& arrival : at) arrival = span * random.uniform();
    std::sort(at.begin(), at.end());
    return at;
  }
  double rate = group.arrivals.rate;
  if (group.arrivals.load > 0) {  // check() has seen to it that the work can be said
    rate = group.arrivals.load * slots_of(scenario) / mean_work(scenario, group).value();
  }
  if (rate <= 0) return at;
  const Distribution gap = Distribution::shifted_exponential(0, 1 / rate);
  double now = 0;
  for (double& arrival : at) arrival = by_day(group.arrivals, now += gap.sample(random));
  return at;
}

double deadline_of(const Scenario& scenario, const JobGroup& group, double scale, std::uint32_t tasks, Random& random) {
  const JobDeadline& deadline = group.deadline;
  if (!deadline.is_drawn()) return deadline.seconds;
  const double times = deadline.times.sample(random);
  switch (deadline.of) {
    case JobDeadline::Of::Mean:
      return times * group.times.duration.mean() * scale;
    case JobDeadline::Of::Least:
      return times * group.times.duration.least() * scale;
    case JobDeadline::Of::Alone:
      return times * std::ceil(static_cast<double>(tasks) / slots_of(scenario)) * mean_task(scenario, group, scale);
    case JobDeadline::Of::Second:
      break;
  }
  return times;
}

std::uint32_t tasks_of(const JobGroup& group, std::uint32_t slots, Random& random) {
  const double tasks = group.size.tasks.sample(random);
  const bool in_waves = group.size.share.median() > 0;
  const double whole = in_waves ? std::round(tasks * group.size.share.sample(random) * slots) : std::ceil(tasks);
  return static_cast<std::uint32_t>(std::clamp(whole, 1.0, kTasksMax));
}

// Of an attempt over a whole split on a node of slowness 1, whose speed changes as the scenario has it.
double drawn_time(const Scenario& scenario, const JobGroup& group, Random& random) {
  const Distribution steady = Distribution::shifted_exponential(0, scenario.speed_changes_every);
  double time = 0;
  for (double left = 1;;) {
    const double whole = group.times.duration.sample(random);
    const double holds = scenario.speed_changes_every > 0 ? steady.sample(random) : kForEver;
    if (left * whole <= holds) return time + left * whole;
    time += holds;
    left -= holds / whole;
  }
}

// Of the node that one of earlier jobs' attempts ran on, each as likely as any other.
double slowness_of_some_node(const Scenario& scenario, Random& random) {
  std::uint64_t nodes = 0;
  for (const NodeGroup& group : scenario.nodes) nodes += group.count;
  std::uint64_t node = random.below(nodes);
  for (const NodeGroup& group : scenario.nodes) {
    if (node < group.count) return group.slowness.sample(random);
    node -= group.count;
  }
  return 1;
}

// Of a whole split's records, in the mean.
double record_time_of(const JobGroup& group, Random& random) {
  const Distribution& times = group.times.record_time;
  if (times.is_constant()) return times.median();
  const auto records =
      static_cast<int>(std::clamp<std::uint64_t>(group.size.split_bytes / group.size.record_bytes, 1, kRecordsDrawn));
  double sum = 0;
  for (int record = 0; record < records; ++record) sum += times.sample(random);
  return sum / records;
}

// What its segment's times would have shown. Returns what nobody can tell from work.
double know_start(const JobGroup& group, double work, double start, scheduler::math::DurationSample& known) {
  using scheduler::math::Beginning;
  const bool is_at_once = group.times.reads_ahead == injection::kAllAhead;
  known.add_fixed(is_at_once ? Beginning::AtOnce : Beginning::Cold, start + (is_at_once ? work : 0));
  const double first_record =
      static_cast<double>(group.size.record_bytes) / static_cast<double>(group.size.split_bytes);
  known.add_first(start + work * (is_at_once ? 1 : group.times.reads_ahead > 0 ? 0 : first_record));
  if (is_at_once) return start;
  known.add_fixed(Beginning::Warm, group.times.start_of == injection::StartOf::Process ? 0 : start);
  return 0;
}

scheduler::math::DurationSample history_of(const Scenario& scenario, const JobGroup& group, Random& random) {
  scheduler::math::DurationSample known;
  for (std::uint32_t attempt = 0; attempt < group.known.history; ++attempt) {
    const double node = slowness_of_some_node(scenario, random);
    const double slowness = node * record_time_of(group, random);
    const double work = drawn_time(scenario, group, random) * slowness;
    known.add_launch(scenario.launch.sample(random));
    const double fixed =
        group.times.is_plain() ? 0 : know_start(group, work, node * group.times.start.sample(random), known);
    known.add_finished((work + fixed) / static_cast<double>(group.size.split_bytes));
  }
  return known;
}

// A whole number of records.
std::uint64_t split_bytes_of(const JobGroup& group, double scale) {
  const double records =
      static_cast<double>(group.size.split_bytes) / static_cast<double>(group.size.record_bytes) * scale;
  return scale == 1 ? group.size.split_bytes
                    : group.size.record_bytes * static_cast<std::uint64_t>(std::max(1.0, std::round(records)));
}

// Of its splits, if they differ: each is a file of its own.
std::vector<std::uint64_t> lengths_of(const JobGroup& group, double scale, std::uint32_t tasks, Random& random) {
  std::vector<std::uint64_t> lengths;
  if (group.size.split_lengths.is_constant() && group.size.split_lengths.median() == 1) return lengths;
  const auto whole = static_cast<double>(split_bytes_of(group, scale));
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const double length = std::clamp(group.size.split_lengths.sample(random), 0.0, 1.0);
    lengths.push_back(static_cast<std::uint64_t>(std::max(1.0, length * whole)));
  }
  return lengths;
}

}  // namespace

std::vector<PlannedJob> plan_jobs(const Scenario& scenario, std::uint64_t run_seed) {
  const std::uint64_t seed = scenario.drawn.value_or(run_seed);
  const double span = span_of(scenario);
  std::vector<PlannedJob> planned;
  for (std::uint32_t index = 0; index < scenario.jobs.size(); ++index) {
    const JobGroup& group = scenario.jobs[index];
    Random arrivals(seed, Purpose::Arrivals, index);
    Random sizes(seed, Purpose::JobSize, index);
    Random scales(seed, Purpose::JobScale, index);
    Random lengths(seed, Purpose::SplitLength, index);
    Random deadlines(seed, Purpose::Deadline, index);
    const std::vector<double> all = arrivals_of(group, scenario, span, arrivals);
    for (std::size_t job = 0; job < all.size(); ++job) {
      const double scale = group.size.scale.is_constant() ? group.size.scale.median() : group.size.scale.sample(scales);
      const std::uint32_t drawn = tasks_of(group, slots_of(scenario), sizes);
      const std::uint32_t tasks = group.trace.empty() ? drawn : group.trace[job].tasks;
      planned.push_back({index, tasks, all[job], scale, deadline_of(scenario, group, scale, tasks, deadlines),
                         lengths_of(group, scale, tasks, lengths)});
      if (!group.size.file_bytes.empty()) {
        planned.back().tasks = static_cast<std::uint32_t>(scheduler::count_splits(spec_of(group, planned.back())));
      }
    }
  }
  return planned;
}

Scenario draw(const Scenario& scenario, std::uint64_t seed) {
  Scenario drawn = scenario;
  if (scenario.drawn) return drawn;
  drawn.drawn = seed;
  for (std::uint32_t index = 0; index < drawn.jobs.size(); ++index) {
    JobGroup& group = drawn.jobs[index];
    Random choice(seed, Purpose::Choice, index);
    if (!group.times.durations.empty())
      group.times.duration = group.times.durations[choice.below(group.times.durations.size())];
    Random history(seed, Purpose::History, index);
    if (group.known.history > 0) group.known.profile = history_of(drawn, group, history);
  }
  return drawn;
}

scheduler::JobSpec spec_of(const JobGroup& group, const PlannedJob& planned) {
  scheduler::JobSpec spec;
  static_cast<JobSettings&>(spec) = group.handling;
  spec.application = group.name;
  spec.split_bytes = split_bytes_of(group, planned.scale);
  for (const std::uint64_t bytes : planned.file_bytes.empty() ? group.size.file_bytes : planned.file_bytes) {
    const std::string path = "/simulated/" + group.name + "/" + std::to_string(spec.inputs.size());
    spec.inputs.push_back({path, bytes, "0", Codec::Plain});
  }
  if (spec.inputs.empty()) {
    spec.inputs = {{"/simulated/" + group.name, spec.split_bytes * planned.tasks, "0", Codec::Plain}};
  }
  spec.output = "/simulated/output";
  spec.deadline = from_seconds(planned.deadline);
  if (!spec.checkpoint_interval) spec.checkpoint_interval = scheduler::default_checkpoint_interval(spec.policy);
  return spec;
}

}  // namespace ontime::lab
