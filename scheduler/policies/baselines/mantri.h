#pragma once
// Mantri's arithmetic: when a task's remaining time pays for a fresh attempt. (Ananthanarayanan and others, OSDI 2010,
// as Xu & Lau, section II, and Chronos, section I, describe it.)
//
// t_new = launch + T, T ~ Pareto(t_min bytes, beta): what a fresh attempt takes. t_rem = end - now by the job's
// outlook, taken as known, so P(t_rem > x t_new) > delta is the same as t_rem > x (launch + Q(delta)) with the quantile
// Q of T.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "scheduler/math/durations.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/restarts.h"

namespace ontime::scheduler {

enum class MantriForm : std::uint8_t { Full, P1, P3 };

struct MantriSettings {
  MantriForm form = MantriForm::Full;
  double delta = 0.25;           // probability
  double rho = 3;                // reports that a copy must gain where slots are free
  double report = 1;             // seconds: Mantri's Delta
  double margin = 30;            // seconds; P1
  std::uint32_t gamma = 3;       // ended attempts of a task after which it is not started again
  std::uint32_t keep = 2;        // alpha: attempts of a task that are left running
  std::uint32_t max_copies = 4;  // besides the one that is raced
  bool is_ahead = false;         // copies come before what waits
  bool only_elapsed = false;     // P3: of a running attempt only its age is known
};

// What a fresh attempt takes. All times in seconds.
class FreshAttempt {
 public:
  // Nothing is known without a t_min (durations.t_min = 0): then no time is long enough to pay for it.
  FreshAttempt(const math::Durations& durations, double delta);

  double mean(double bytes) const { return launch_ + mean_per_byte_ * bytes; }          // infinite for beta <= 1
  double quantile(double bytes) const { return launch_ + quantile_per_byte_ * bytes; }  // not exceeded with delta
  bool is_known() const { return is_known_; }

 private:
  double launch_;
  double mean_per_byte_;
  double quantile_per_byte_;
  bool is_known_;
};

// The age above which P(T - age > 2 t_new | T > age) > delta for a Pareto T: what the rule of P3 comes to where
// progress is not known. In multiples of t_min; `launch` too.
double age_limit(double beta, double launch, double delta);

// The remaining time above which a task with `attempts` attempts, 1 or more, gets another:
//   full  (c + 1) / c (launch + Q(delta)), and for c = 1 not more than E(t_new) + rho report: slots are free
//   p3    2 (launch + Q(delta)) for c = 1
//   p1    mean_task + margin, whatever c
// Infinite when it gets none.
double duplicate_above(const MantriSettings& settings, const FreshAttempt& fresh, double bytes, std::uint32_t attempts,
                       double mean_task);

// While tasks wait for slots: the remaining time above which an attempt is ended and started again, E(t_new) + report.
double restart_above(const MantriSettings& settings, const FreshAttempt& fresh, double bytes);

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
// Tasks are taken longest remaining time first; the arithmetic is above.
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

class Mantri final : public Policy {
 public:
  Mantri(const MantriSettings& settings, math::DurationHints hints, double check, JobOrder order)
      : settings_(settings), hints_(hints), clock_(check), order_(order) {}
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
  double known_age_limit(const math::Durations& durations, double bytes);
  void restart(Round& round, const Candidate& candidate) const;
  void duplicate(Round& round, const Candidate& candidate) const;

  MantriSettings settings_;
  math::DurationHints hints_;
  PeriodicCheck clock_;
  JobOrder order_;
  struct AgeLimit {
    double beta = 0;
    double launch = 0;
    double limit = 0;
  } age_limit_;  // the latest, as it takes long to find
};

}  // namespace ontime::scheduler
