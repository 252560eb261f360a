#pragma once
// The arithmetic that clone, s-restart and s-resume share (Chronos, sections IV to VI): how many extra attempts r a job
// gets, from the optimum of net utility (its eq. 26), and when its tasks are looked at.
//
// The paper's execution times count from a job's start and know no launch time; here an attempt maps nothing until it
// is launched. With L the mean launch time the formulas are given D - L and tau_est + L, so that an original has D - L
// to map its split and an attempt launched at tau_est has D - tau_est - L left, as it really has.

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/core/job.h"
#include "scheduler/math/durations.h"
#include "scheduler/policies/chronos/chronos_formulas.h"
#include "scheduler/policies/parameters.h"

namespace ontime::scheduler {

// Parameters (`--policy-set`):
//   tau_est   0.3x  when a task is judged; s-restart and s-resume only
//   tau_kill  0.6x  when all but its best attempt are ended
//             both: a time after the task's launch ("40s") or multiples of t_min after its first record ("0.3x"). In
//             the paper's Table II 0.3 and 0.6 t_min do best; its testbed ran with 40 s and 80 s.
//   r               extra attempts, instead of the optimum; 0 to 50
//   r_max     5     the optimum is sought in 0 to r_max, at most 50
//   theta     1e-4  trade-off factor between PoCD and cost, 1 / money
//   price     1     C, money per second of a slot
//   r_min     0     R_min, the PoCD below which a result is worthless, below 1
//   t_min, beta, t_avg, fit; handover (s-resume only)
struct ChronosSettings {
  chronos::Strategy strategy = chronos::Strategy::Clone;
  RelativeTime tau_est{0.3, true};
  RelativeTime tau_kill{0.6, true};
  std::optional<std::uint32_t> r;
  std::uint32_t r_max = 5;
  chronos::Price price{0, 1e-4, 1};
  math::DurationHints hints;
  Handover handover = Handover::Predicted;
};

ChronosSettings chronos_settings(chronos::Strategy strategy, Parameters& parameters);

// A job as it is submitted.
struct ChronosFacts {
  double tasks = 1;
  double deadline = 0;     // D, seconds after submission
  double split_bytes = 1;  // mean
  math::Durations durations;
};

// Fixed when it is made; times in seconds.
struct ChronosChoice {
  std::optional<std::uint32_t> r;  // nothing: whatever r, the job is worthless
  double est = 0;                  // tau_est
  double race = 0;                 // how long attempts run side by side: tau_kill - tau_est
  double split_bytes = 1;          // as in the facts
  math::Durations durations;
  chronos::ChronosJob model;  // what the formulas were given
  std::string why;         // "r = 2: PoCD 0.87 -> 0.99, ..."
};

// Nothing as long as t_min is needed and not known.
std::optional<ChronosChoice> choose_copies(const ChronosSettings& settings, const ChronosFacts& facts);

// How many fresh attempts a late task of the job gets, as the job's note of the choice has it; nothing as long as there
// is none.
std::optional<std::uint32_t> chosen_attempts(const Job& job, chronos::Strategy strategy);

// P(the first of `copies` fresh attempts is through with so many bytes in `left` seconds).
double chance_of_fresh(const math::Durations& durations, double bytes, double left, std::uint32_t copies);

}  // namespace ontime::scheduler
