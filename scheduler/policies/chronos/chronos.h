#pragma once
// What clone, s-restart and s-resume have in common: r is chosen when a job is first planned for; every task is judged
// once, at tau_est; wherever attempts race, all but the best are ended at tau_kill. Chronos, section III and section
// VI.
//
// Where the paper leaves the live cluster open:
//   - A task's time begins with its own launch, not with the job's: with more tasks than slots they begin in waves.
//   - t_min unknown at submission: r is chosen as soon as attempts of the job have shown it.
//   - A task of which no report from after tau_est tells the pace, or for which no slot is free, is looked at again
//     until that changes.
//   - Extra attempts race for tau_kill - tau_est from their own first record (or launch) on, however late they came.
//   - An attempt that stands still is judged as soon as that is known.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "scheduler/core/job.h"
#include "scheduler/math/durations.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler::chronos {

// What Chronos knows of a job (its sections III and IV): N parallel tasks with Pareto execution times and one decision
// r, the number of extra attempts, fixed when the job is submitted.
enum class Strategy {
  Clone,    // r + 1 attempts of every task from the start; at tau_kill all but the best are killed
  Restart,  // S-Restart: at tau_est r attempts from the beginning for each task that will miss D
  Resume,   // S-Resume: at tau_est the straggler is killed and r + 1 attempts go on where it stood
};

// Times in any one unit, counted from the job's start.
struct ChronosJob {
  double tasks = 1;     // N >= 1
  double t_min = 0;     // > 0: shortest possible execution time of a task
  double beta = 0;      // > 0: shape of the Pareto tail
  double deadline = 0;  // D >= t_min
  double tau_est = 0;   // 0 <= tau_est < D: when stragglers are detected
  double tau_kill = 0;  // >= tau_est: when all but the best attempt are killed
  double phi = 0;       // in [0, 1]: progress of a *straggler* at tau_est; see straggler_progress
};

// The mean progress at tau_est of the tasks that will miss D, if progress is linear: tau_est beta / ((beta + 1) D).
// The mean over all tasks, which the text suggests, is too high by the factor D / t_min and makes eq. 17 optimistic.
double straggler_progress(const ChronosJob& job);

// Chronos, Theorems 1, 3 and 5 (eqs. 3, 14, 17): the probability that a job finishes before its deadline.

// ln p: logarithm of the probability that one task misses D with r extra attempts, r >= 0. Every factor is clamped to a
// probability: the paper's letter exceeds 1 when D - tau_est < t_min (Restart) or D - tau_est < (1 - phi) t_min
// (Resume), where more copies would seem to do harm.
double ln_miss(Strategy strategy, const ChronosJob& job, double r);

// PoCD R of the whole job.
math::Pocd chronos_pocd(Strategy strategy, const ChronosJob& job, double r);

// The race of Chronos' S-Restart after tau_est: W = min(T_1 - tau_est, T_2, ..., T_r+1) given T_1 > D (its eq. 42).

// P(W > w) = P(T_1 > w + tau_est | T_1 > D) P(T > w)^r has three pieces: up to the earlier of t_min and D - tau_est
// nobody can have finished, up to the later only one side can, from there on everybody. Times in the job's unit.
class RestartRace {
 public:
  // job must outlive the race. Domain: D > tau_est.
  RestartRace(const ChronosJob& job, double r);

  double mean() const;                 // E[W]
  double mean_capped(double x) const;  // E[min(W, x)]

  // Integral over w from `from` > 0 to infinity of (D / (w + tau_est))^beta (t_min / w)^(beta r), by quadrature; from
  // D - tau_est on it is the integral of eq. 16. Infinite for beta (r + 1) <= 1.
  double tail_above(double from) const;

 private:
  double one_sided(double x) const;  // integral of P(W > w) over the second piece up to x
  double two_sided(double w) const;  // the third piece's P(W > w)

  const ChronosJob& job_;
  double r_;
  double earlier_;  // min(t_min, D - tau_est)
  double later_;    // max(t_min, D - tau_est)
};

// Chronos, Theorems 2, 4 and 6 (eqs. 11, 15-16, 18-22): expected machine time of the job, the sum over all attempts of
// the time they hold a slot. Three things differ from the paper. Eqs. 15 and 18 lack the factor N. Eq. 22 adds t_min
// where (1 - phi) t_min is meant. Losers stop when the task is done, whereas the paper charges them until tau_kill even
// if the task is done before. Unit of time; infinite for beta (r + 1) <= 1, where eq. 22 turns negative.
double machine_time(Strategy strategy, const ChronosJob& job, double r);

// Chronos, section V (eqs. 23-26): net utility, and the r that maximises it.

// What PoCD and machine time are worth against each other.
struct Price {
  double r_min = 0;     // R_min in [0, 1): the PoCD below which a result is worthless
  double theta = 0;     // trade-off factor >= 0, 1 / money
  double per_time = 0;  // C >= 0: money per unit of machine time
};

// U(r) = log10(R(r) - R_min) - theta C E(T), eq. 26; -inf where R <= R_min or E(T) is infinite. The paper writes lg;
// its Tables I and II can only have been made with log10.
double net_utility(Strategy strategy, const ChronosJob& job, double r, const Price& price);

struct OptimalCopies {
  std::optional<std::uint32_t> r;  // the smallest of the best; nothing when every r is worthless
  double utility = 0;              // U at r, or -inf
};

// The exact optimum by trying r = 0..r_max. This stands in for the paper's Algorithm 1, whose listing descends, never
// changes r and never rounds; 50 evaluations take a millisecond or two, once per job, so nothing is gained by climbing.
OptimalCopies optimal_copies(Strategy strategy, const ChronosJob& job, const Price& price, std::uint32_t r_max = 50);

}  // namespace ontime::scheduler::chronos

namespace ontime::scheduler {

// The arithmetic that clone, s-restart and s-resume share (Chronos, sections IV to VI): how many extra attempts r a job
// gets, from the optimum of net utility (its eq. 26), and when its tasks are looked at.
//
// The paper's execution times count from a job's start and know no launch time; here an attempt maps nothing until it
// is launched. With L the mean launch time the formulas are given D - L and tau_est + L, so that an original has D - L
// to map its split and an attempt launched at tau_est has D - tau_est - L left, as it really has.

// docs/research/policies.md has the parameters. tau_est and tau_kill are times after the task's launch, or multiples of
// t_min after its first record.
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
  std::string why;            // "r = 2: PoCD 0.87 -> 0.99, ..."
};

// Nothing as long as t_min is needed and not known.
std::optional<ChronosChoice> choose_copies(const ChronosSettings& settings, const ChronosFacts& facts);

// How many fresh attempts a late task of the job gets, as the job's note of the choice has it; nothing as long as there
// is none.
std::optional<std::uint32_t> chosen_attempts(const Job& job, chronos::Strategy strategy);

// P(the first of `copies` fresh attempts is through with so many bytes in `left` seconds).
double chance_of_fresh(const math::Durations& durations, double bytes, double left, std::uint32_t copies);

// clone, s-restart or s-resume.
std::unique_ptr<Policy> make_chronos(chronos::Strategy strategy, Parameters& parameters);

}  // namespace ontime::scheduler
