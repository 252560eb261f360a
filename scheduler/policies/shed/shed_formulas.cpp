#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>

#include "scheduler/policies/shed/shed.h"

namespace ontime::scheduler::shed {

using namespace math;  // NOLINT: the formulas are written with nothing else

double ln_attempt_miss(double beta, double phi, double t_min, double deadline, double tau) {
  const double ln = ln_share_of_time(deadline, tau, phi, t_min);
  return ln < 0 ? beta * ln : 0;
}

double ln_miss(const ShedJob& job, double r) {
  return times(r + 1, ln_attempt_miss(job.beta, job.phi, job.t_min, job.deadline, job.tau));
}

Pocd shed_pocd(const ShedJob& job, double r) { return pocd_of_equal_tasks(ln_miss(job, r), job.tasks); }

bool is_hopeless(double phi, double t_min, double deadline, double tau) {
  return !(deadline > tau) || slack(deadline, tau, phi, t_min) <= 0;
}

double straggler_shape(double t_rem, double phi, double t_min) {
  const double pole = slack(t_rem, 0, phi, t_min);
  const double shape = t_rem / pole;
  return pole != 0 && shape > 0 ? shape : kInfinity;
}

double check_interval(double deadline, double t_avg, double theta_prime) {
  return (deadline - t_avg) * theta_prime + t_avg;
}

namespace {

bool cannot_be_saved(const ShedJob& job) { return is_hopeless(job.phi, job.t_min, job.deadline, job.tau); }

std::uint64_t task_count(const ShedJob& job) { return static_cast<std::uint64_t>(job.tasks); }

double ln_pocd_with(const ShedJob& job, std::uint32_t r) { return ln_pocd(ln_miss(job, r), job.tasks); }

// A further copy could not be told from none.
bool is_certain(double ln_pocd) { return ln_pocd > -1e-300; }

Ladder ladder_of(const ShedJob& job, std::uint64_t kappa, CopyLimit limit, Objective objective) {
  Ladder ladder{std::max<std::uint64_t>(1, task_count(job)), {}};
  const std::uint64_t fits = kappa / ladder.step_cost;
  double ln = ln_pocd_with(job, 0);
  for (std::uint32_t r = 0;; ++r) {
    ladder.value.push_back(objective == Objective::SumPocd ? std::exp(ln) : ln);
    if (cannot_be_saved(job) || r == fits || !may_grow(r, limit) || is_certain(ln)) break;
    ln = ln_pocd_with(job, r + 1);
  }
  if (cannot_be_saved(job)) ladder.value.front() = 0;  // left out of the sum
  return ladder;
}

// The smallest R among the jobs that can be saved; 0 if there is none.
double smallest_savable(std::span<const ShedJob> jobs, const std::vector<double>& ln_pocd) {
  double smallest = kInfinity;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!cannot_be_saved(jobs[i])) smallest = std::min(smallest, ln_pocd[i]);
  }
  return smallest == kInfinity ? 0 : std::exp(smallest);
}

ShedGrant grant_of(std::span<const ShedJob> jobs, std::vector<std::uint32_t> r) {
  ShedGrant grant{std::move(r), {}, {}};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    grant.ln_pocd.push_back(ln_pocd_with(jobs[i], grant.r[i]));
    grant.total.copies += grant.r[i] * task_count(jobs[i]);
  }
  return grant;
}

// One copy per task at a time to the job with the smallest R_j until nothing fits. Max-min optimal because the jobs
// that no allocation can save are left out; the paper's listing feeds them first, since their R_j stays 0.
ShedGrant feed_the_smallest(std::span<const ShedJob> jobs, std::int64_t kappa, CopyLimit limit) {
  using QueueEntry = std::pair<double, std::size_t>;  // ln R_j, j: the smallest first, the lowest index on ties
  std::priority_queue<QueueEntry, std::vector<QueueEntry>, std::greater<>> queue;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!cannot_be_saved(jobs[i])) queue.emplace(ln_pocd_with(jobs[i], 0), i);
  }
  std::vector<std::uint32_t> r(jobs.size());
  auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0));  // kappa - omega
  while (!queue.empty()) {
    const std::size_t i = queue.top().second;
    queue.pop();
    const std::uint64_t cost = task_count(jobs[i]);
    if (cost == 0 || cost > left || !may_grow(r[i], limit)) continue;
    left -= cost;
    queue.emplace(ln_pocd_with(jobs[i], ++r[i]), i);
  }
  ShedGrant grant = grant_of(jobs, std::move(r));
  grant.total.value = grant.total.bound = smallest_savable(jobs, grant.ln_pocd);
  grant.total.exact = true;
  return grant;
}

}  // namespace

ShedGrant allocate_shed(std::span<const ShedJob> jobs, std::int64_t kappa, CopyLimit limit, Objective objective) {
  if (objective == Objective::MaxMin) return feed_the_smallest(jobs, kappa, limit);
  const auto capacity = static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0));
  std::vector<Ladder> ladders;
  for (const ShedJob& job : jobs) ladders.push_back(ladder_of(job, capacity, limit, objective));
  const Climb climb = best_climb(ladders, capacity);
  ShedGrant grant = grant_of(jobs, climb.steps);
  grant.total.value = climb.value;
  grant.total.bound = climb.bound;
  grant.total.exact = climb.exact;
  return grant;
}

// Shed+ --------------------------------------------------------------------------------------------------------------

bool JobOdds::is_hopeless() const {
  return ln_rest == -kInfinity || std::any_of(stragglers.begin(), stragglers.end(), [](const TaskOdds& task) {
           return task.ln_kept >= 0 && task.ln_copy >= 0;
         });
}

namespace {

// A job to which copies are given one by one. Each goes to the straggler where it raises ln R_j most, or to the
// first of several. So any number of copies is placed as well as possible, because each gains less than the one before.
class JobGrowth {
 public:
  // odds must outlive it.
  JobGrowth(const JobOdds& odds, CopyLimit limit)
      : odds_(odds),
        limit_(limit),
        copies_(odds.stragglers.size()),
        leaves_(std::bit_ceil(odds.stragglers.size() + 1)),
        sums_(2 * leaves_) {
    sums_.back() = odds.ln_rest;  // the last leaf; there is one more than stragglers
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      sums_[leaves_ + i] = odds.stragglers[i].ln_pocd(0);
      offer(i);
    }
    for (std::size_t node = leaves_ - 1; node > 0; --node) add_up(node);
  }

  // ln R_j with the copies given so far. The sum is kept as a tree, so nothing cancels as terms shrink.
  double ln_pocd() const { return sums_[1]; }
  // Some straggler may get one more copy and would profit.
  bool can_grow() const { return !next_.empty(); }
  const std::vector<std::uint32_t>& copies() const { return copies_; }

  // Gives one copy. REQUIRES: can_grow().
  void grow() {
    const std::size_t task = next_.top().second;
    next_.pop();
    std::size_t node = leaves_ + task;
    sums_[node] = odds_.stragglers[task].ln_pocd(++copies_[task]);
    while (node /= 2) add_up(node);
    offer(task);
  }

 private:
  void add_up(std::size_t node) { sums_[node] = sums_[2 * node] + sums_[2 * node + 1]; }

  // Puts the task into the queue if it may grow.
  void offer(std::size_t task) {
    if (!may_grow(copies_[task], limit_)) return;
    const double gain = odds_.stragglers[task].ln_pocd(copies_[task] + 1) - sums_[leaves_ + task];
    if (gain > 0) next_.emplace(-gain, task);  // false for the NaN of a hopeless task
  }

  const JobOdds& odds_;
  CopyLimit limit_;
  std::vector<std::uint32_t> copies_;  // r_i per straggler
  std::size_t leaves_;
  std::vector<double> sums_;                    // binary tree of partial sums of ln R_i, root at 1
  using QueueEntry = std::pair<double, std::size_t>;  // -gain, task: the largest gain first
  std::priority_queue<QueueEntry, std::vector<QueueEntry>, std::greater<>> next_;
};

std::uint64_t slots(std::int64_t kappa) { return static_cast<std::uint64_t>(std::max<std::int64_t>(kappa, 0)); }

double smallest_savable(std::span<const JobOdds> jobs, const std::vector<double>& ln_pocd) {
  double smallest = kInfinity;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (!jobs[j].is_hopeless()) smallest = std::min(smallest, ln_pocd[j]);
  }
  return smallest == kInfinity ? 0 : std::exp(smallest);
}

// The value of every number of copies when they are placed best within the job.
Ladder ladder_of(const JobOdds& job, std::uint64_t capacity, CopyLimit limit) {
  constexpr double kCertain = 1e-17;  // R = 1 in double
  if (job.is_hopeless()) return {1, {0}};
  JobGrowth growth(job, limit);
  Ladder ladder{1, {std::exp(growth.ln_pocd())}};
  while (growth.can_grow() && ladder.value.size() <= capacity && growth.ln_pocd() < -kCertain) {
    growth.grow();
    ladder.value.push_back(std::exp(growth.ln_pocd()));
  }
  return ladder;
}

ShedPlusGrant maximise_sum(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit) {
  std::vector<Ladder> ladders;
  for (const JobOdds& job : jobs) ladders.push_back(ladder_of(job, kappa, limit));
  const Climb climb = best_climb(ladders, kappa);
  ShedPlusGrant grant;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    JobGrowth growth(jobs[j], limit);
    for (std::uint32_t step = 0; step < climb.steps[j]; ++step) growth.grow();
    grant.copies.push_back(growth.copies());
    grant.ln_pocd.push_back(growth.ln_pocd());
    grant.total.copies += climb.steps[j];
  }
  grant.total.value = climb.value;
  grant.total.bound = climb.bound;
  grant.total.exact = climb.exact;
  return grant;
}

// One copy at a time to the job with the smallest R_j. With the best placement inside the jobs this is max-min optimal:
// whatever beats the smallest R must give that job at least as many copies.
ShedPlusGrant feed_the_smallest(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit) {
  using QueueEntry = std::pair<double, std::size_t>;  // ln R_j, j
  std::vector<JobGrowth> growth;
  std::priority_queue<QueueEntry, std::vector<QueueEntry>, std::greater<>> queue;
  growth.reserve(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    growth.emplace_back(jobs[j], limit);
    if (!jobs[j].is_hopeless() && growth[j].can_grow()) queue.emplace(growth[j].ln_pocd(), j);
  }
  ShedPlusGrant grant;
  while (!queue.empty() && grant.total.copies < kappa) {
    const std::size_t j = queue.top().second;
    queue.pop();
    growth[j].grow();
    ++grant.total.copies;
    if (growth[j].can_grow()) queue.emplace(growth[j].ln_pocd(), j);
  }
  for (const JobGrowth& job : growth) {
    grant.copies.push_back(job.copies());
    grant.ln_pocd.push_back(job.ln_pocd());
  }
  grant.total.value = grant.total.bound = smallest_savable(jobs, grant.ln_pocd);
  grant.total.exact = true;
  return grant;
}

// What the next copy of one straggler would add to ln R.
struct Offer {
  double gain;
  double ln_next;  // ln R_i with it
  std::uint32_t job;
  std::uint32_t task;
};

// The heap's order: the largest gain on top, the lowest indices on ties.
bool is_worse(const Offer& a, const Offer& b) {
  if (a.gain != b.gain) return a.gain < b.gain;
  return a.job != b.job ? a.job > b.job : a.task > b.task;
}

class GainHeap {
 public:
  GainHeap(std::span<const JobOdds> jobs, CopyLimit limit, ShedPlusGrant& grant)
      : jobs_(jobs), limit_(limit), grant_(grant) {}

  void offer_all_of(std::uint32_t job) {
    for (std::uint32_t i = 0; i < jobs_[job].stragglers.size(); ++i) {
      const Offer offer = make_offer(job, i, jobs_[job].stragglers[i].ln_pocd(grant_.copies[job][i]));
      if (is_open(offer)) offers_.push_back(offer);
    }
  }

  void spend(std::uint64_t kappa) {
    std::make_heap(offers_.begin(), offers_.end(), is_worse);
    while (!offers_.empty() && grant_.total.copies < kappa) {
      const Offer taken = offers_.front();
      ++grant_.copies[taken.job][taken.task];
      ++grant_.total.copies;
      const Offer next = make_offer(taken.job, taken.task, taken.ln_next);
      if (is_open(next)) {
        replace_top(next);
      } else {
        std::pop_heap(offers_.begin(), offers_.end(), is_worse);
        offers_.pop_back();
      }
    }
  }

 private:
  Offer make_offer(std::uint32_t job, std::uint32_t task, double ln_now) const {
    const double ln_next = jobs_[job].stragglers[task].ln_pocd(grant_.copies[job][task] + 1);
    return {ln_next - ln_now, ln_next, job, task};
  }

  bool is_open(const Offer& offer) const {
    return offer.gain > 0 && may_grow(grant_.copies[offer.job][offer.task], limit_);
  }

  // One walk down instead of the two of pop and push: the new offer is mostly not far from the old.
  void replace_top(const Offer& offer) {
    std::size_t hole = 0;
    for (;;) {
      std::size_t child = 2 * hole + 1;
      if (child >= offers_.size()) break;
      if (child + 1 < offers_.size() && is_worse(offers_[child], offers_[child + 1])) ++child;
      if (!is_worse(offer, offers_[child])) break;
      offers_[hole] = offers_[child];
      hole = child;
    }
    offers_[hole] = offer;
  }

  std::span<const JobOdds> jobs_;
  CopyLimit limit_;
  ShedPlusGrant& grant_;
  std::vector<Offer> offers_;
};

bool lacks_copy(const TaskOdds& task) { return task.ln_kept >= 0; }

std::uint64_t copies_lacking(const JobOdds& job) {
  return static_cast<std::uint64_t>(std::count_if(job.stragglers.begin(), job.stragglers.end(), lacks_copy));
}

// The jobs to serve, with the copies without which their R is 0 already given. See allocate_shed_plus.
std::vector<std::uint32_t> make_savable(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit,
                                        ShedPlusGrant& grant) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_lack;
  for (std::uint32_t j = 0; j < jobs.size(); ++j) {
    if (!jobs[j].is_hopeless()) by_lack.emplace_back(copies_lacking(jobs[j]), j);
  }
  std::sort(by_lack.begin(), by_lack.end());
  std::vector<std::uint32_t> served;
  for (const auto& [lack, j] : by_lack) {
    if (lack > 0 && (grant.total.copies + lack > kappa || !may_grow(0, limit))) break;
    grant.total.copies += lack;
    for (std::size_t i = 0; lack > 0 && i < jobs[j].stragglers.size(); ++i) {
      grant.copies[j][i] = lacks_copy(jobs[j].stragglers[i]) ? 1 : 0;
    }
    served.push_back(j);
  }
  return served;
}

double ln_pocd_with(const JobOdds& job, const std::vector<std::uint32_t>& copies) {
  double sum = job.ln_rest;
  for (std::size_t i = 0; i < copies.size(); ++i) sum += job.stragglers[i].ln_pocd(copies[i]);
  return sum;
}

ShedPlusGrant maximise_sum_of_ln(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit) {
  ShedPlusGrant grant;
  for (const JobOdds& job : jobs) grant.copies.emplace_back(job.stragglers.size());
  const std::vector<std::uint32_t> served = make_savable(jobs, kappa, limit, grant);
  GainHeap heap(jobs, limit, grant);
  for (const std::uint32_t j : served) heap.offer_all_of(j);
  heap.spend(kappa);
  for (std::size_t j = 0; j < jobs.size(); ++j) grant.ln_pocd.push_back(ln_pocd_with(jobs[j], grant.copies[j]));
  for (const std::uint32_t j : served) grant.total.value += grant.ln_pocd[j];
  grant.total.bound = grant.total.value;
  grant.total.exact = true;
  return grant;
}

}  // namespace

ShedPlusGrant allocate_shed_plus(std::span<const JobOdds> jobs, std::int64_t kappa, CopyLimit limit,
                                 Objective objective) {
  switch (objective) {
    case Objective::SumPocd:
      return maximise_sum(jobs, slots(kappa), limit);
    case Objective::SumLog:
      return maximise_sum_of_ln(jobs, slots(kappa), limit);
    case Objective::MaxMin:
      return feed_the_smallest(jobs, slots(kappa), limit);
  }
  return {};
}

}  // namespace ontime::scheduler::shed
