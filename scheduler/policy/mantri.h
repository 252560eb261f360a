#pragma once
// Mantri (Ananthanarayanan and others, OSDI 2010): copies where they are expected to save resources. Its copies start
// at the segment's begin. Every `check` seconds:
//
// form=full
//   - of a task that several attempts race for, each of them running for `report` or longer, the alpha that will be
//   done
//     first are kept, the others ended;
//   - while tasks wait for slots: a task with one attempt is ended and starts again if its remaining time exceeds
//     E(t_new) + report, at most gamma times per task (attempts of it that have ended count);
//   - while slots are free: another attempt for a task with c of them if P(t_rem > t_new (c + 1) / c) > delta, one with
//   a
//     single attempt also if it is expected to gain rho reports, E(t_rem - t_new) > rho report (the paper's listing
//     prints the difference the other way round). A task gets one at a time: the next when all it has are running.
// form=p3 (Xu & Lau, section II): a task with one attempt gets a copy if P(t_rem > 2 t_new) > delta, nothing else.
// form=p1 (Chronos, section I): while slots are free and nothing waits, a task whose remaining time exceeds the mean
// task
//   time by `margin` gets attempts until it has max_copies besides its first; of those, when all have run for `report`,
//   the one that has got farthest is kept.
// Tasks are taken longest remaining time first. See mantri_rules.h for the arithmetic.
//
//   form full, delta 0.25, gamma 3, alpha 2 (p1: 1), rho 3, report 1s, margin 30s (p1), check 1s
//   max_copies 4 (p3: 1)         "until larger than 3" in Chronos; the full form has it as a safety
//   order fifo                   in which jobs get slots: fifo, deadline, workload
//   ahead no                     copies come before what waits, as in ese: as many as slots will become free until the
//                                next check (Xu & Lau's description does not say which; theirs counts idle machines)
//   knows remaining              p3: elapsed if only the age of an attempt is to be known, not its progress
//   t_min, beta, t_avg, fit      the distribution of t_new, as for all policies; mean task time before a task is done
//
// Declines: AlreadySpeculating, CapReached (gamma restarts), NoFreeSlot, CutPending, NoEstimate for compressed files.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "scheduler/policy/mantri_rules.h"
#include "scheduler/policy/parameters.h"
#include "scheduler/policy/policy.h"
#include "scheduler/policy/restarts.h"

namespace ontime::scheduler {

class Mantri final : public Policy {
 public:
  Mantri(const MantriSettings& settings, estimate::DurationHints hints, double check, JobOrder order)
      : settings_(settings), hints_(hints), check_(check), order_(order) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  JobOrder order() const override { return order_; }
  bool plans_at_submission() const override { return false; }
  Plan plan(const View& view) override;

 private:
  struct Candidate {
    std::uint32_t task;
    double remaining;  // seconds; its age if that is all that is known
    double bytes;      // of its split
  };
  struct Round;  // what one plan has at hand for one job

  std::uint32_t slots(const View& view) const;
  void look_at(Round& round) const;
  void prune(Round& round) const;
  bool prune(Round& round, std::uint32_t task) const;
  std::vector<Candidate> candidates(const Round& round) const;
  std::vector<Candidate> old_tasks(const Round& round) const;
  double known_age_limit(const estimate::Durations& durations, double bytes);
  void restart(Round& round, const Candidate& candidate) const;
  void duplicate(Round& round, const Candidate& candidate) const;

  MantriSettings settings_;
  estimate::DurationHints hints_;
  double check_;  // seconds
  JobOrder order_;
  struct AgeLimit {
    double beta = 0;
    double launch = 0;
    double limit = 0;
  } age_limit_;  // the latest, as it takes long to find
  std::optional<TimePoint> next_check_;
};

}  // namespace ontime::scheduler
