#include "lab/foresight/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

constexpr std::uint32_t kRunsMost = 1000;
constexpr std::uint32_t kRunsLeast = 3;
constexpr double kMainShare = 0.3;         // of the steps, for the policy at the asked deadline and slots
constexpr std::uint64_t kStepsShare = 16;  // of the steps, the part that a run gets after it should have ended
constexpr double kSearches = 8;            // simulations that a search takes, about
constexpr int kDeadlineSteps = 8;
constexpr double kLeastPiece = 0.1;  // of a split, that an attempt maps at least
constexpr int kDeadlineRaises = 3;
constexpr std::uint32_t kSlotsPerTask = 3;  // more than so many are of no use to any policy
constexpr double kHorizon = 3;              // times the deadline, or the time that the job might take
constexpr double kLongestMedians = 20;      // an attempt that takes longer takes too long

std::vector<double> shares_of(const PlanQuestion& question) {
  const scheduler::JobSpec spec = spec_of(question.job, {});
  std::vector<double> shares;
  for (const scheduler::Split& split : scheduler::make_splits(spec)) {
    shares.push_back(static_cast<double>(split.range.size()) / static_cast<double>(spec.split_bytes));
  }
  return shares;
}

// A policy is tried on runs until it cannot reach the target any more.
class Trial {
 public:
  Trial(const PlanQuestion& question, const PolicyChoice& policy, std::uint32_t runs)
      : question_(question), policy_(policy), runs_(runs) {}

  Scenario scenario(std::uint32_t slots, double deadline) const {
    Scenario scenario = scenario_of(question_, slots);
    scenario.jobs.front().deadline.seconds = deadline;
    scenario.jobs.front().handling.policy = policy_.name;
    scenario.jobs.front().handling.policy_parameters = policy_.parameters;
    scenario.steps_max = question_.steps / kStepsShare;
    scenario.steps_max_from = scenario.horizon / kHorizon;
    return scenario;
  }
  bool reaches(std::uint32_t slots, double deadline) {
    Scenario until_late = scenario(slots, deadline);
    until_late.horizon = deadline + until_late.heartbeat;
    const double bearable = (1 - question_.target) * runs_;
    double missed = 0;
    for (std::uint32_t run = 0; run < runs_ && missed <= bearable; ++run) {
      const Outcome outcome = lab::run(until_late, question_.seed + run);
      missed += outcome.jobs.empty() || !outcome.jobs.front().met() ? 1 : 0;
      steps_ += outcome.steps;
    }
    return missed <= bearable;
  }
  // By when the target's share of the runs is done; infinite: later than is simulated.
  double time_needed(std::uint32_t slots, double deadline) {
    const Prospect prospect = foresee(scenario(slots, deadline), Runs::exactly(runs_), question_.seed);
    steps_ += prospect.steps;
    return ascending_quantile(prospect.flow_times, question_.target);
  }
  std::uint64_t steps() const { return steps_; }

 private:
  const PlanQuestion& question_;
  const PolicyChoice& policy_;
  const std::uint32_t runs_;
  std::uint64_t steps_ = 0;
};

// Seconds before the first byte of a task.
double mean_begin(const PlanQuestion& question) { return question.launch.mean() + question.job.times.start.mean(); }

// Nobody is done earlier, not even who divides every task among many attempts.
double shortest_time(const PlanQuestion& question) {
  const std::vector<double> shares = shares_of(question);
  const double fast = question.tail.quantile(scheduler::math::kLeastShare);
  const double begin = question.launch.least() + question.job.times.start.least();
  return begin + kLeastPiece * fast * *std::max_element(shares.begin(), shares.end());
}

// Tries deadlines, told to the policy, which works towards them: less haste with more time.
std::optional<double> least_deadline(const PlanQuestion& question, Trial& trial) {
  double low = shortest_time(question);
  double high = std::max(question.job.deadline.seconds, low);
  for (int step = 0; !trial.reaches(question.slots, high); ++step) {
    const double needed = trial.time_needed(question.slots, high);
    if (step == kDeadlineRaises || !std::isfinite(needed)) return std::nullopt;
    low = high;
    high = 1.05 * std::max(needed, high);
  }
  for (int step = 0; step < kDeadlineSteps && high > 1.02 * low; ++step) {
    const double middle = std::sqrt(low * high);
    (trial.reaches(question.slots, middle) ? high : low) = middle;
  }
  return high;
}

std::optional<std::uint32_t> least_slots(const PlanQuestion& question, Trial& trial) {
  const double deadline = question.job.deadline.seconds;
  std::uint32_t high = std::max(kSlotsPerTask * tasks_of(question), question.slots);
  if (trial.reaches(question.slots, deadline)) {
    high = question.slots;
  } else if (!trial.reaches(high, deadline)) {
    return std::nullopt;
  }
  std::uint32_t low = 0;  // does not reach it
  while (high - low > std::max(1u, high / 50)) {
    const std::uint32_t middle = low + (high - low) / 2;
    (trial.reaches(middle, deadline) ? high : low) = middle;
  }
  return high;
}

Prospect prospect_of(const PlanQuestion& question, const UnaidedJob& job) {
  Prospect prospect;
  prospect.pocd = {job.done_by(question.job.deadline.seconds), 0, 1};
  prospect.pocd.low = prospect.pocd.high = prospect.pocd.value;
  prospect.low = job.quantile(0.1);
  prospect.median = job.quantile(0.5);
  prospect.high = job.quantile(0.9);
  prospect.machine_time = {job.machine_time(), 0};
  prospect.attempts = tasks_of(question);
  return prospect;
}

Runs main_runs(const PlanQuestion& question) {
  if (question.runs > 0) return Runs::exactly(question.runs);
  return {kRunsLeast, kRunsMost, static_cast<std::uint64_t>(kMainShare * static_cast<double>(question.steps))};
}

std::uint32_t affordable_search_runs(const PlanQuestion& question, const Prospect& simulated) {
  const double steps = (1 - kMainShare) * static_cast<double>(question.steps) / kSearches;
  const double runs = steps * simulated.runs / static_cast<double>(std::max<std::uint64_t>(simulated.steps, 1));
  return static_cast<std::uint32_t>(std::min<double>(runs, kRunsMost));
}

// Policies look at a job every few seconds, however long it lasts.
Status check_ends(const Scenario& scenario, const PlanQuestion& question) {
  constexpr double kLong = 1e5;  // seconds; what is shorter takes no time worth speaking of
  constexpr std::uint64_t kStepsMost = 5'000'000;
  if (scenario.steps_max_from < kLong) return {};
  Scenario once = scenario;
  once.steps_max = kStepsMost;
  once.steps_max_from = 0;
  if (lab::run(once, question.seed).steps < kStepsMost) return {};
  return bad_input("A plan with " + scenario.jobs.front().handling.policy +
                   " would take too long, because the policy looks at the job " +
                   "more than 5,000,000 times. Leave it out with --policy, or plan a part of the job.");
}

// When there is nothing more to see. By then every job is done whose attempts are not much slower than usual.
double horizon_of(const PlanQuestion& question, std::uint32_t slots) {
  const double tasks = tasks_of(question);
  const double longest =
      std::min(question.tail.quantile(1 - (1 - question.target) / tasks), kLongestMedians * question.tail.median());
  const double attempt = mean_begin(question) + question.tail.mean_capped(longest);
  return kHorizon * std::max(question.job.deadline.seconds, std::ceil(tasks / slots) * attempt + longest);
}

}  // namespace

std::uint32_t tasks_of(const PlanQuestion& question) {
  return static_cast<std::uint32_t>(scheduler::count_splits(spec_of(question.job, {})));
}

Scenario scenario_of(const PlanQuestion& question, std::uint32_t slots) {
  constexpr double kHeartbeat = 0.2;  // the master's own, unless attempts take long
  constexpr double kHeartbeatGrowth = 0.02;
  constexpr double kCutTimeout = 3;  // the master's own
  Scenario scenario;
  const std::uint32_t each = slots >= 16 ? 4 : 1;
  scenario.nodes = {{.count = slots / each, .slots = each}};
  if (slots % each != 0) scenario.nodes.push_back({.count = 1, .slots = slots % each});
  scenario.launch = question.launch;
  scenario.keeps_runners = true;
  scenario.horizon = horizon_of(question, slots);
  scenario.heartbeat = std::max(kHeartbeat, question.tail.median() / 20);
  scenario.heartbeat_growth = kHeartbeatGrowth;
  scenario.node_timeout = 10 * scenario.horizon;
  scenario.cut_timeout = kCutTimeout;
  scenario.jobs = {question.job};
  JobGroup& job = scenario.jobs.front();
  job.times.duration = distribution_of(question.tail);
  job.handling.checkpoint_interval = Duration(0);  // matters to failures alone
  job.handling.attempt_timeout = from_seconds(scenario.horizon);
  return scenario;
}

Result<PlanAnswer> plan(const PlanQuestion& question, const PolicyChoice& policy) {
  const std::uint32_t tasks = tasks_of(question);
  const Scenario scenario = Trial(question, policy, 0).scenario(question.slots, question.job.deadline.seconds);
  for (const Status& good : {check(scenario), check_ends(scenario, question)})
    if (!good) return good.error();
  const UnaidedJob unaided(question.tail, mean_begin(question), shares_of(question));
  const bool is_unaided = policy.name == "none";
  PlanAnswer answer;
  answer.is_exact = is_unaided && tasks <= question.slots;
  const Prospect simulated = foresee(scenario, answer.is_exact ? Runs::exactly(1) : main_runs(question), question.seed);
  answer.prospect = answer.is_exact ? prospect_of(question, unaided) : simulated;
  answer.search_runs = question.runs > 0 ? question.runs : affordable_search_runs(question, simulated);
  answer.has_searched = question.runs > 0 || answer.search_runs >= kSearchRunsLeast;
  answer.steps = answer.prospect.steps;
  if (answer.is_exact) answer.deadline = unaided.quantile(question.target);
  if (!answer.has_searched) return answer;
  Trial trial(question, policy, answer.search_runs);
  if (!answer.is_exact) answer.deadline = least_deadline(question, trial);
  // More slots than tasks are of no use without copies.
  if (!is_unaided || unaided.done_by(question.job.deadline.seconds) >= question.target)
    answer.slots = least_slots(question, trial);
  answer.steps += trial.steps();
  return answer;
}

UnaidedJob::UnaidedJob(scheduler::math::FittedTail whole, double launch, const std::vector<double>& shares)
    : whole_(std::move(whole)), launch_(launch) {
  for (const double share : shares) ++tasks_[share];
}

double UnaidedJob::done_by(double time) const {
  double ln_all = 0;
  for (const auto& [share, count] : tasks_) {
    const double ln_survival = whole_.ln_survival((time - launch_) / share);
    if (ln_survival >= 0) return 0;
    ln_all += static_cast<double>(count) * std::log1p(-std::exp(ln_survival));
  }
  return std::exp(ln_all);
}

// By bisection between the launch and a time that is long enough.
double UnaidedJob::quantile(double q) const {
  double low = launch_;
  double high = launch_ + whole_.median() * tasks_.rbegin()->first;
  while (done_by(high) < q) high = launch_ + 2 * (high - launch_);
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (done_by(middle) < q ? low : high) = middle;
  }
  return high;
}

double UnaidedJob::machine_time() const {
  double sum = 0;
  for (const auto& [share, count] : tasks_) sum += static_cast<double>(count) * (launch_ + share * whole_.mean());
  return sum;
}

}  // namespace ontime::lab
