#pragma once
// Mantri's arithmetic: when a task's remaining time pays for a fresh attempt. (Ananthanarayanan and others, OSDI 2010,
// as Xu & Lau, section II, and Chronos, section I, describe it.)
//
// t_new = launch + T, T ~ Pareto(t_min bytes, beta): what a fresh attempt takes. t_rem = end - now by the job's
// outlook, taken as known, so P(t_rem > x t_new) > delta is the same as t_rem > x (launch + Q(delta)) with the quantile
// Q of T.

#include <cstdint>

#include "scheduler/estimate/durations.h"

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
  FreshAttempt(const estimate::Durations& durations, double delta);

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

}  // namespace ontime::scheduler
