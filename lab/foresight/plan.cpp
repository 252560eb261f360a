#include "lab/foresight/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

constexpr std::uint32_t kRunsMost = 1000;
constexpr std::uint32_t kRunsLeast = 20;
constexpr std::uint32_t kRunsOfManyTasks = 3;        // chance evens out among many tasks
constexpr std::uint32_t kTasksInLeastRuns = 80'000;  // of all runs together, before there are fewer of them
constexpr double kMainShare = 0.3;                   // of the attempts, for the policy at the asked deadline and slots
constexpr double kSearches = 8;                      // simulations that a search takes, about
constexpr double kAttemptsPerTask = 1.3;
constexpr int kDeadlineSteps = 8;
constexpr double kLeastPiece = 0.1;  // of a split, that an attempt maps at least
constexpr int kDeadlineRaises = 3;
constexpr std::uint32_t kSlotsPerTask = 3;  // more than so many are of no use to any policy

std::vector<double> shares_of(const PlanQuestion& question) {
  const scheduler::JobSpec spec = spec_of(question.job, {});
  std::vector<double> shares;
  for (const scheduler::Split& split : scheduler::make_splits(spec)) {
    shares.push_back(static_cast<double>(split.range.size()) / static_cast<double>(spec.split_bytes));
  }
  return shares;
}

// What stands still costs nothing to simulate, so a policy is tried on runs until it cannot reach the target any more.
class Trial {
 public:
  Trial(const PlanQuestion& question, const PolicyChoice& policy, std::uint32_t runs)
      : question_(question), policy_(policy), runs_(runs) {}

  Scenario scenario(std::uint32_t slots, double deadline) const {
    Scenario scenario = scenario_of(question_, slots);
    scenario.jobs.front().deadline = deadline;
    scenario.jobs.front().policy = policy_.name;
    scenario.jobs.front().policy_parameters = policy_.parameters;
    return scenario;
  }
  bool reaches(std::uint32_t slots, double deadline) const {
    const Scenario all = scenario(slots, deadline);
    const double bearable = (1 - question_.target) * runs_;
    double missed = 0;
    for (std::uint32_t run = 0; run < runs_ && missed <= bearable; ++run) {
      const Outcome outcome = lab::run(all, question_.seed + run);
      missed += outcome.jobs.empty() || !outcome.jobs.front().met() ? 1 : 0;
    }
    return missed <= bearable;
  }
  std::vector<double> flow_times(std::uint32_t slots, double deadline) const {
    return foresee(scenario(slots, deadline), runs_, question_.seed).flow_times;
  }
  std::uint32_t runs() const { return runs_; }

 private:
  const PlanQuestion& question_;
  const PolicyChoice& policy_;
  const std::uint32_t runs_;
};

// Nobody is done earlier, not even who divides every task among many attempts.
double shortest_time(const PlanQuestion& question) {
  const std::vector<double> shares = shares_of(question);
  const double fast = question.tail.quantile(scheduler::math::kLeastShare);
  return question.launch.least() + kLeastPiece * fast * *std::max_element(shares.begin(), shares.end());
}

// Tries deadlines, told to the policy, which works towards them: less haste with more time.
std::optional<double> least_deadline(const PlanQuestion& question, const Trial& trial) {
  double low = shortest_time(question);
  double high = std::max(question.job.deadline, low);
  for (int step = 0; !trial.reaches(question.slots, high); ++step) {
    const std::vector<double> times = trial.flow_times(question.slots, high);
    const double needed = ascending_quantile(times, question.target);
    if (step == kDeadlineRaises || times.size() < trial.runs()) return std::nullopt;
    low = high;
    high = 1.05 * std::max(needed, high);
  }
  for (int step = 0; step < kDeadlineSteps && high > 1.02 * low; ++step) {
    const double middle = std::sqrt(low * high);
    (trial.reaches(question.slots, middle) ? high : low) = middle;
  }
  return high;
}

std::optional<std::uint32_t> least_slots(const PlanQuestion& question, const Trial& trial) {
  const double deadline = question.job.deadline;
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

void answer_exactly(const PlanQuestion& question, const UnaidedJob& job, PlanAnswer& answer) {
  answer.is_exact = true;
  Prospect& prospect = answer.prospect;
  prospect.pocd = {job.done_by(question.job.deadline), 0, 1};
  prospect.pocd.low = prospect.pocd.high = prospect.pocd.value;
  prospect.low = job.quantile(0.1);
  prospect.median = job.quantile(0.5);
  prospect.high = job.quantile(0.9);
  prospect.machine_time = {job.machine_time(), 0};
  prospect.attempts = tasks_of(question);
  answer.deadline = job.quantile(question.target);
}

std::uint32_t least_runs(std::uint32_t tasks) {
  return std::clamp(kTasksInLeastRuns / std::max(tasks, 1u), kRunsOfManyTasks, kRunsLeast);
}

std::uint32_t runs_for(double attempts, std::uint32_t tasks) {
  const double runs = attempts / (kAttemptsPerTask * tasks);
  return static_cast<std::uint32_t>(std::min<double>(runs, kRunsMost));
}

}  // namespace

std::uint32_t tasks_of(const PlanQuestion& question) {
  return static_cast<std::uint32_t>(scheduler::count_splits(spec_of(question.job, {})));
}

Scenario scenario_of(const PlanQuestion& question, std::uint32_t slots) {
  constexpr double kHeartbeat = 0.2;  // the master's own, unless attempts take long
  Scenario scenario;
  const std::uint32_t each = slots >= 16 ? 4 : 1;
  scenario.nodes = {{.count = slots / each, .slots = each}};
  if (slots % each != 0) scenario.nodes.push_back({.count = 1, .slots = slots % each});
  scenario.jobs = {question.job};
  scenario.jobs.front().duration = distribution_of(question.tail);
  scenario.launch = question.launch;
  scenario.keeps_runners = true;
  scenario.heartbeat = std::max(kHeartbeat, question.tail.median() / 20);
  return scenario;
}

Result<PlanAnswer> plan(const PlanQuestion& question, const PolicyChoice& policy) {
  const std::uint32_t tasks = tasks_of(question);
  const auto attempts = static_cast<double>(question.attempts_max);
  const std::uint32_t main_runs = question.runs > 0 ? question.runs : runs_for(kMainShare * attempts, tasks);
  const std::uint32_t search_runs =
      question.runs > 0 ? question.runs : runs_for((1 - kMainShare) * attempts / kSearches, tasks);
  const Trial trial(question, policy, search_runs);
  const Scenario scenario = trial.scenario(question.slots, question.job.deadline);
  if (Status good = check(scenario); !good) return good.error();
  PlanAnswer answer;
  answer.search_runs = search_runs;
  answer.has_searched = question.runs > 0 || search_runs >= kSearchRunsLeast;
  const bool is_unaided = policy.name == "none";
  const UnaidedJob unaided(question.tail, question.launch.mean(), shares_of(question));
  if (is_unaided && tasks <= question.slots)
    answer_exactly(question, unaided, answer);
  else
    answer.prospect = foresee(scenario, std::max(least_runs(tasks), main_runs), question.seed);
  if (!answer.has_searched) return answer;
  if (!answer.is_exact) answer.deadline = least_deadline(question, trial);
  // More slots than tasks are of no use without copies.
  if (!is_unaided || unaided.done_by(question.job.deadline) >= question.target)
    answer.slots = least_slots(question, trial);
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
