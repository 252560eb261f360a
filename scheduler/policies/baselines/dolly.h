#pragma once
// Dolly: clone every task so often that the chance of any straggler stays below epsilon. As used by Shed (section VI)
// and Shed+ (section VI) for comparison.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// c with 1 - (1 - p^c)^N = epsilon: total attempts per task, a real number. p in (0, 1): probability that one attempt
// straggles; N >= 1 tasks; epsilon in (0, 1). Shed prints the root 1/p where 1/N is meant, which ignores N.
double dolly_copies(double p, double tasks, double epsilon);

// The same, rounded up to a number of attempts >= 1.
std::uint32_t dolly_clones(double p, double tasks, double epsilon);

// Dolly (Ananthanarayanan and others, NSDI 2013; as Shed and Shed+, section VI, compare with it): small jobs start
// every task with so many clones that a straggler is unlikely. Clones start with their original; the first to be done
// wins.
//
// At submission: c attempts per task in all, the least with (1 - p^c)^N >= 1 - epsilon (above), clipped
// to 1 + max_copies. All clones of the job are admitted, or none:
//   - while more than `utilisation` of the slots are busy, none;
//   - the clones of all jobs, those of tasks that are done left out, may be no more than `budget` of all slots;
//   - and no more than the free slots that nothing waits for.
// A job that is refused is asked again for `admission` (workers may just be registering), every 100 ms; if it is
// admitted then, its tasks that run already get their clones as well.
//
//   p                straggler probability of one attempt, (0, 1). Without it measured: of the attempts of earlier jobs
//                    of the same application (its profile, 5 or more) the share that took longer per byte than 1.5
//                    times the median, as (k + 1/2) / (n + 1); without a profile 0.1 is assumed
//   epsilon 0.05     accepted risk that any task of the job straggles
//   budget 0.05, utilisation 0.8
//   max_copies 5     clones per task
//   admission 1s
//
// The papers set p = 1 - PoCD of Hadoop, clone every job whatever is free: p=..., budget=1, utilisation=1 comes close.
// Declines, on the job's first unfinished task: CapReached (budget), NoFreeSlot (utilisation, free slots). A note says
// what was chosen and why.

struct DollySettings {
  std::optional<double> p;
  double epsilon = 0.05;
  double budget = 0.05;      // share of slots
  double utilisation = 0.8;  // share of slots
  std::uint32_t max_copies = 5;
  double admission = 1;  // seconds
};

// (k + 1/2) / (n + 1), k of n durations being above 1.5 times the median (the upper one of two). REQUIRES: not empty.
double straggler_share(std::span<const double> durations);

class Dolly final : public Policy {
 public:
  explicit Dolly(const DollySettings& settings) : settings_(settings) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  Plan plan(const View& view) override;

 private:
  struct Choice {
    std::uint32_t clones;  // per task
    std::string why;
  };
  using Decided = std::optional<std::uint32_t>;  // clones per task; nothing: refused so far
  struct Round {
    const View& view;
    Plan& plan;
    std::uint64_t in_use;  // clones of admitted jobs
    std::uint64_t room;    // free slots that neither anything waits for nor this plan has given away
  };

  Decided decide(Round& round, const JobView& job) const;
  Decided ask(Round& round, const JobView& job) const;
  Choice choose(const View& view, const JobView& job) const;
  std::optional<Reason> objection(const Round& round, std::uint64_t wanted) const;
  static void admit(const JobView& job, std::uint32_t clones, Plan& plan);

  DollySettings settings_;
  std::map<JobId, Decided> decided_;
  std::optional<TimePoint> ask_again_;  // jobs that were refused
};

}  // namespace ontime::scheduler
