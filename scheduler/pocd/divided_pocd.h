#pragma once
// PoCD of a task whose rest is divided into s pieces, each raced by c fresh attempts:
//
//   R = [1 - ((1 - phi) t_min / (s (D - tau - t_lau)))^(beta c)]^s
//
// A copy is never faster than t_min, so copies alone cannot save a task with (1 - phi) t_min >= D - tau - t_lau; a
// divided rest can be worked off in any time, given the slots. s = 1 is Shed+'s eq. 9 without the attempt that is kept.

namespace ontime::scheduler::pocd {

// Times in any one unit, from the job's start.
struct DividedRest {
  double phi = 0;       // progress of the task at tau, in [0, 1]
  double t_min = 0;     // > 0: shortest possible execution time of the whole task
  double beta = 0;      // > 0: shape
  double deadline = 0;  // D
  double tau = 0;       // the instant of the decision
  double launch = 0;    // t_lau >= 0: from the decision to a fresh attempt's first record
};

// ln P(one attempt at one of s equal pieces is late), clamped to a probability: 0 when even the highest speed or no
// time is enough, -inf when no work is left. s >= 1, not necessarily whole.
double ln_piece_miss(const DividedRest& rest, double s);

// ln R. s >= 1, c > 0.
double ln_divided_pocd(const DividedRest& rest, double s, double c);

// The same from ln((1 - phi) t_min / (D - tau - t_lau)), for choosing among many (s, c): good to the precision of
// ln_share and of ln s, so not where a piece just fits into its time.
double ln_divided_pocd(double ln_share, double beta, double s, double c);

// So many pieces still leave not even a perfect attempt enough time.
bool is_hopeless(const DividedRest& rest, double s);

}  // namespace ontime::scheduler::pocd
