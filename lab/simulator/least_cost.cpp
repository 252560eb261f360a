#include "lab/simulator/least_cost.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

namespace ontime::lab {
namespace {

constexpr double kClose = 1e-6;                 // of the cost: looking longer would gain no more
constexpr std::uint64_t kLooksMax = 2'000'000;  // attempts

// Of ln X with median 0. Its greatest value lies somewhere between these.
double greatest_hazard(double sigma) {
  double greatest = 0;
  for (double z = -sigma - 10; z < 12; z += 1e-3) {
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
    const double survival = std::erfc(z / std::sqrt(2)) / 2;
    greatest = std::max(greatest, density / (survival * sigma * std::exp(sigma * z)));
  }
  return greatest * 1.001;
}

// Chosen among attempts of which the times are known: so much of each that it costs least.
class Selection {
 public:
  Selection(double work, double least) : work_(work), least_(least) {}

  // An attempt that costs `base`, and for each split `slope`, up to `gain`.
  void pay(double base) {
    base_ += base;
    overhead_ += base;
  }
  void offer(double gain, double slope) {
    if (gain <= 0) return;
    overhead_ += std::min(0.0, slope - least_) * gain;
    offers_.emplace(slope, gain);
    gained_ += gain;
    paid_ += slope * gain;
    while (offers_.top().first > 0 && gained_ - offers_.top().second >= work_) {
      gained_ -= offers_.top().second;
      paid_ -= offers_.top().first * offers_.top().second;
      offers_.pop();
    }
  }

  double cost() const {
    if (gained_ < work_ * (1 - 1e-12)) return kNever;
    const double spare = offers_.top().first > 0 ? (gained_ - work_) * offers_.top().first : 0;
    return base_ + paid_ - spare;
  }
  // What it costs at least, however many more attempts there are.
  double floor() const { return overhead_ + least_ * work_; }

  static constexpr double kNever = std::numeric_limits<double>::infinity();

 private:
  const double work_;
  const double least_;
  double base_ = 0;
  double overhead_ = 0;
  double gained_ = 0;
  double paid_ = 0;
  std::priority_queue<std::pair<double, double>> offers_;  // the dearest first
};

// What an attempt can do in the deadline: whole records, after a launch.
double usable(const WorkOfJob& job, double launch, double time) {
  const double can = time > 0 ? (job.deadline - launch) / time : Selection::kNever;
  if (can <= 0) return 0;
  if (job.record <= 0 || can >= job.longest) return std::min(job.longest, can);
  return std::min(job.longest, std::floor(can / job.record * (1 + 1e-9)) * job.record);
}

// In a kept process an attempt launches nothing. One that is ended before it has mapped a record takes its process with
// it, of which the launch is lost: both are on the line from (0, lost) over (record, record * time).
void offer_in_process(Selection& chosen, const WorkOfJob& job, double can, double time, double lost, double each) {
  chosen.pay(lost + each);
  if (can <= 0) return;
  chosen.offer(job.record, time - lost / job.record);
  chosen.offer(can - job.record, time);
}

// Attempts that map take all of this, and the processes, each of which maps no longer than the deadline less a launch.
double with_processes(const WorkOfJob& job, const LaunchLaw& launch, const Slownesses& slots, double mapping) {
  const double room = job.deadline - launch.least;
  if (room <= 0) return Selection::kNever;
  const double processes = std::max(1.0, std::ceil(mapping * slots.least / room * (1 - 1e-9)));
  return mapping + processes * launch.least / slots.greatest;
}

double known_least(const AttemptLaw& attempts, const Slownesses& slots) {
  double least = attempts.least;
  for (const double time : attempts.known) least = std::min(least, time / slots.greatest);
  return least;
}

}  // namespace

LaunchLaw launch_law_of(const Distribution& launch) {
  LaunchLaw law{.least = launch.least()};
  if (launch.kind() == Distribution::Kind::Exponential) law.hazard = 1 / (launch.second() - launch.first());
  if (launch.kind() == Distribution::Kind::Pareto) law.hazard = launch.second() / launch.first();
  // The hazard rises to an exponential distribution's, or is one.
  const bool is_gamma = launch.kind() == Distribution::Kind::Gamma && launch.second() >= 1;
  const bool is_weibull = launch.kind() == Distribution::Kind::Weibull && launch.second() == 1;
  if (is_gamma || is_weibull) law.hazard = 1 / launch.first();
  if (launch.kind() == Distribution::Kind::Lognormal && launch.second() > 0)
    law = {.least = 0, .hazard = greatest_hazard(launch.second()) / launch.first()};
  return law;
}

double least_cost(const WorkOfJob& job, const AttemptLaw& attempts, const Slownesses& slots, double enough,
                  const std::function<double()>& uniform) {
  const LaunchLaw& launch = attempts.launch;
  const double waits = launch.least;
  const double least = known_least(attempts, slots);
  if (job.deadline <= waits || usable(job, waits, least * slots.least) <= 0) return Selection::kNever;
  const bool kept = attempts.keeps_processes;
  const double lost = kept ? (launch.least - attempts.each) / slots.greatest : 0;
  const double processes = with_processes(job, launch, slots, least * job.work);
  const bool is_free = kept ? attempts.each <= 0 && (lost <= 0 || job.record <= 0)
                            : launch.least <= 0 && launch.hazard == Selection::kNever;
  if (is_free) return processes;
  Selection chosen(job.work, least);
  for (const double time : attempts.known) chosen.offer(usable(job, waits, time), time / slots.greatest);
  double best = chosen.cost();
  for (std::uint64_t looks = 0; looks < kLooksMax && chosen.floor() < best * (1 - kClose); ++looks) {
    if (chosen.floor() > enough) break;
    const double time = attempts.time();
    const double can = usable(job, waits, time * slots.least);
    if (kept && job.record > 0) {
      offer_in_process(chosen, job, can, time, lost, attempts.each / slots.greatest);
    } else {
      const double random = launch.hazard < Selection::kNever ? -std::log(uniform()) / launch.hazard : 0;
      chosen.pay((kept ? attempts.each : launch.least + random) / slots.greatest);
      chosen.offer(can, time);
    }
    best = std::min(best, chosen.cost());
  }
  const double cost = std::min(best, chosen.floor());
  return std::max(processes, cost + (kept ? (launch.least - attempts.each) / slots.greatest : 0));
}

}  // namespace ontime::lab
