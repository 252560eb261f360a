#include "lab/simulator/ideal.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "common/base/portable_gamma.h"
#include "common/base/portable_math.h"
#include "common/injection/injection.h"
#include "lab/simulator/capacity.h"

namespace ontime::lab {
namespace {

constexpr int kDraws = 4096;         // that stand for a distribution
constexpr double kRounding = 1e-11;  // of an instant: remaining work is a difference of many

// E(1 / X). Infinite if X comes too near to 0 too often.
double mean_inverse(const Distribution& values) {
  const double shape = values.second();
  if (values.kind() == Distribution::Kind::Weibull)
    return shape > 1 ? exponential(ln_gamma(1 - 1 / shape)) / values.first() : kForEver;
  if (values.kind() == Distribution::Kind::Gamma) return shape > 1 ? 1 / (values.first() * (shape - 1)) : kForEver;
  if (values.least() <= 0 && values.kind() != Distribution::Kind::Lognormal) return kForEver;
  double sum = 0;
  for (int draw = 0; draw < kDraws; ++draw) sum += 1 / values.at_survival((draw + 0.5) / kDraws);
  return sum / kDraws;
}

// Splits per second, of a fresh attempt on a node of slowness 1.
double mean_speed(const Scenario& scenario, const JobGroup& group) {
  const auto& injected = scenario.injection;
  const bool is_paced = injected && injected->pace > Duration(0);
  const double speed = is_paced ? 1 / seconds(injected->pace) : mean_inverse(group.times.duration);
  return injected && injected->slowdown ? speed * mean_inverse(*injected->slowdown) : speed;
}

double splits_of(const JobGroup& group, const PlannedJob& planned) {
  double bytes = 0;
  for (const auto& file : spec_of(group, planned).inputs) bytes += static_cast<double>(file.length());
  return bytes / static_cast<double>(group.size.split_bytes);
}

// How much more slot time than its work a job takes that is to be in time: of its deadline D, each of its slots
// launches for L and works for D - L at most. So it needs work / (D - L) slots, and launches on all of them.
double share_of_launches(const Scenario& scenario, const PlannedJob& job) {
  const double launch = scenario.launch.mean();
  if (scenario.yardstick != Yardstick::IdealWithLaunches || job.deadline <= launch) return 0;
  return launch / (job.deadline - launch);
}

class IdealCluster {
 public:
  IdealCluster(const Scenario& scenario, std::uint64_t seed)
      : scenario_(scenario), speed_(capacity_of(scenario, seed).speed), planned_(plan_jobs(scenario, seed)) {
    outcome_.slots = slots_of(scenario);
    for (const JobGroup& group : scenario.jobs) speeds_.push_back(speed_ * mean_speed(scenario, group));
    for (std::uint32_t job = 0; job < planned_.size(); ++job) {
      if (planned_[job].at < kForEver) arrivals_.emplace(planned_[job].at, job);
    }
  }

  Outcome run() {
    while (!open_.empty() || !arrivals_.empty()) {
      const double done = open_.empty() ? kForEver : now_ + open_.front().left;
      const double next = arrivals_.empty() ? kForEver : arrivals_.begin()->first;
      if (std::min(done, next) > scenario_.horizon) break;
      if (done < next)
        finish(done);
      else
        admit(next);
    }
    outcome_.ended = now_;
    outcome_.there_slot_seconds = outcome_.ended * outcome_.slots;
    return std::move(outcome_);
  }

 private:
  struct Open {
    std::uint32_t planned;
    std::size_t outcome;  // index
    double left;          // seconds of all slots
    double due;           // an instant
    bool is_given_up = false;

    double last() const { return due * (1 + kRounding); }
    std::pair<double, double> rank() const { return {is_given_up ? kForEver : due, left}; }
  };

  void admit(double at) {
    if (!open_.empty()) open_.front().left = std::max(0.0, open_.front().left - (at - now_));
    now_ = at;
    for (; !arrivals_.empty() && arrivals_.begin()->first <= now_; arrivals_.erase(arrivals_.begin())) {
      add(arrivals_.begin()->second);
    }
    choose();
    std::ranges::stable_sort(open_, {}, &Open::rank);
  }

  void add(std::uint32_t index) {
    const PlannedJob& planned = planned_[index];
    const JobGroup& group = scenario_.jobs[planned.group];
    JobOutcome job;
    job.group = planned.group;
    job.tasks = planned.tasks;
    job.submitted = now_;
    job.deadline = planned.deadline;
    for (const auto& file : spec_of(group, planned).inputs) job.input_bytes += static_cast<double>(file.length());
    job.mapped_bytes = job.input_bytes;
    const double work = splits_of(group, planned) / speeds_[planned.group];
    const double takes = work * (1 + share_of_launches(scenario_, planned));
    job.machine_time = takes * outcome_.slots;
    open_.push_back({index, outcome_.jobs.size(), takes, job.deadline > 0 ? now_ + job.deadline : kForEver});
    outcome_.jobs.push_back(job);
  }

  // J. M. Moore and T. J. Hodgson: whenever a job would be late, the longest of those before it is given up.
  void choose() {
    std::ranges::stable_sort(open_, {}, &Open::due);
    const auto is_shorter = [](const Open* a, const Open* b) { return a->left < b->left; };
    std::priority_queue<Open*, std::vector<Open*>, decltype(is_shorter)> chosen(is_shorter);
    double end = now_;
    for (Open& job : open_) {
      job.is_given_up = now_ + job.left > job.last();
      if (job.is_given_up) continue;
      chosen.push(&job);
      end += job.left;
      if (end <= job.last()) continue;
      end -= chosen.top()->left;
      chosen.top()->is_given_up = true;
      chosen.pop();
    }
  }

  void finish(double at) {
    now_ = at;
    const Open done = open_.front();
    open_.erase(open_.begin());
    JobOutcome& job = outcome_.jobs[done.outcome];
    job.state = scheduler::JobState::Succeeded;
    // One that is late by no more than rounding is not late.
    job.ended = now_ <= done.last() && done.due < kForEver ? std::min(now_, done.due * (1 - kRounding)) : now_;
    outcome_.slot_seconds += job.machine_time;
    const std::uint32_t next = done.planned + 1;
    if (next < planned_.size() && planned_[next].at == kForEver) arrivals_.emplace(now_, next);
  }

  const Scenario& scenario_;
  const double speed_;
  const std::vector<PlannedJob> planned_;
  std::vector<double> speeds_;  // splits per second of all slots, by group
  std::multimap<double, std::uint32_t> arrivals_;
  std::vector<Open> open_;  // the first is served
  double now_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome run_ideal(const Scenario& drawn, std::uint64_t seed) { return IdealCluster(drawn, seed).run(); }

std::optional<OfferedLoad> offered_load(const Scenario& drawn, std::uint64_t seed) {
  if (!std::ranges::all_of(drawn.nodes, &NodeGroup::is_steady)) return std::nullopt;
  const std::vector<PlannedJob> planned = plan_jobs(drawn, seed);
  if (planned.size() < 2) return std::nullopt;
  const auto [first, last] = std::ranges::minmax(planned, {}, &PlannedJob::at);
  const double span = last.at - first.at;
  if (!(span > 0 && span < kForEver)) return std::nullopt;
  // The last one's work is done behind the span.
  const double come = static_cast<double>(planned.size() - 1) / static_cast<double>(planned.size()) / span;
  const double speed = capacity_of(drawn, seed).speed;
  OfferedLoad load;
  for (const PlannedJob& job : planned) {
    const JobGroup& group = drawn.jobs[job.group];
    const auto work = mean_work(drawn, group);
    if (!work) return std::nullopt;
    load.by_attempts += *work / slots_of(drawn) * come;
    load.at_mean_speed += splits_of(group, job) / (speed * mean_speed(drawn, group)) * come;
  }
  return load;
}

}  // namespace ontime::lab
