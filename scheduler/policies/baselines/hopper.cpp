#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/open_segments.h"

namespace ontime::scheduler {
namespace {

constexpr double kRounding = 1e-9;  // products that are whole numbers but for rounding

std::vector<std::uint32_t> in_proportion(std::span<const std::uint32_t> sizes, std::uint32_t slots, std::uint64_t sum) {
  std::vector<std::uint32_t> shares;
  for (const std::uint64_t size : sizes) shares.push_back(static_cast<std::uint32_t>(slots * size / sum));
  return shares;
}

}  // namespace

std::uint32_t hopper_virtual_size(double beta, std::uint32_t unfinished) {
  const double factor = std::clamp(2 / beta, 1.0, 2.0);
  return static_cast<std::uint32_t>(std::ceil(factor * unfinished - kRounding));
}

std::vector<std::uint32_t> hopper_shares(std::span<const std::uint32_t> sizes, std::uint32_t slots, double epsilon) {
  const std::uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (sum == 0) return std::vector<std::uint32_t>(sizes.size(), 0);
  if (sum <= slots) return in_proportion(sizes, slots, sum);
  const auto floor = static_cast<std::uint32_t>((1 - epsilon) * slots / static_cast<double>(sizes.size()) + kRounding);
  std::vector<std::uint32_t> shares;
  std::uint32_t left = slots;
  for (const std::uint32_t size : sizes) {
    shares.push_back(std::min(size, floor));
    left -= shares.back();
  }
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
  for (const std::size_t job : order) {
    const std::uint32_t more = std::min(left, sizes[job] - shares[job]);
    shares[job] += more;
    left -= more;
  }
  return shares;
}

namespace {

std::uint32_t unfinished(const JobView& job) {
  return static_cast<std::uint32_t>(job.job->tasks.size()) - job.job->tasks_done;
}

// Hopper (Ren and others, SIGCOMM 2015), centralised: slots are divided among jobs with their copies in mind. A job's
// virtual size is V = (2 / beta) times its unfinished tasks; if the virtual sizes exceed the slots, jobs get up to V
// each in ascending order of V, smallest first, and none less than (1 - epsilon) of an equal part; otherwise slots in
// proportion to V. What a job's tasks leave of its share is for its copies; which tasks get them is
// borrowed from LATE, as the paper borrows it (late_rules). With `reserve` a job's copies may be queued within its
// share although no slot is free; they then get the job's next slots, before the tasks of larger jobs, which is the
// paper's point under overload.
//
// Shares are brought up to date at every check and at every submission. A slot that no job may claim by its share is
// not left idle. Declines: as late; CapReached means the job's share.
class Hopper final : public Policy {
 public:
  explicit Hopper(Parameters& parameters)
      : rules_(late_rules(parameters)),
        epsilon_(parameters.number("epsilon", 0.1, 0, 1)),
        clock_(parameters.period("check", 1)),
        reserve_(parameters.flag("reserve", true)),
        hints_(parameters.durations()) {}

  JobOrder order() const override { return is_short_ ? JobOrder::ShortestRemaining : JobOrder::Fifo; }
  bool has_shares() const override { return true; }

  std::uint32_t share(JobId job) const override {
    const auto found = shares_.find(job);
    return found == shares_.end() ? 0 : found->second;
  }

  Plan plan(const View& view) override {
    Plan plan;
    divide_slots(view);
    if (!clock_.is_due(view.now, plan)) return plan;
    Declines declines(plan);
    std::uint32_t slots = std::numeric_limits<std::uint32_t>::max();
    if (!reserve_) slots = std::min(view.spare_slots(), slots_on_good_nodes(view, rules_));
    for (const JobView& job : view.jobs) {
      const std::size_t used = job.job->live.size() + job.waiting;
      const std::uint32_t of_job = share(job.id);
      const std::uint32_t room = of_job > used ? of_job - static_cast<std::uint32_t>(used) : 0;
      const Reason exhausted = room < slots ? Reason::CapReached : Reason::NoFreeSlot;
      slots -= race_slow_tasks(view, job, rules_, std::min(room, slots), exhausted, plan, declines);
    }
    return plan;
  }

 private:
  void divide_slots(const View& view) {
    std::vector<std::uint32_t> sizes;
    std::uint64_t sum = 0;
    for (const JobView& job : view.jobs) {
      sizes.push_back(hopper_virtual_size(durations_of(view, job, hints_).beta, unfinished(job)));
      sum += sizes.back();
    }
    is_short_ = sum > view.slots();
    const std::vector<std::uint32_t> shares = hopper_shares(sizes, view.slots(), epsilon_);
    shares_.clear();
    for (std::size_t index = 0; index < shares.size(); ++index) shares_.emplace(view.jobs[index].id, shares[index]);
  }

  const LateRules rules_;
  const double epsilon_;  // fairness
  PeriodicCheck clock_;
  const bool reserve_;
  const math::DurationHints hints_;
  bool is_short_ = false;  // of slots: the virtual sizes exceed them
  std::map<JobId, std::uint32_t> shares_;
};

}  // namespace

std::unique_ptr<Policy> make_hopper(Parameters& parameters) { return std::make_unique<Hopper>(parameters); }

}  // namespace ontime::scheduler
