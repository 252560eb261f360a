#pragma once
// The PoCD of a divided rest (scheduler/policies/split_resume/split_resume.h) with hardly any rounding, to check
// against values of 60 digits, and what is shipped against it.

namespace ontime::scheduler::math {

// Times in any one unit, from the job's start.
struct DividedWork {
  double phi = 0;       // progress of the task at tau, in [0, 1]
  double t_min = 0;     // > 0: shortest possible execution time of the whole task
  double beta = 0;      // > 0: shape
  double deadline = 0;  // D
  double tau = 0;       // the instant of the decision
  double launch = 0;    // t_lau >= 0: from the decision to a fresh attempt's first record
};

// ln P(one attempt at one of s equal pieces is late), clamped to a probability: 0 when even the highest speed or no
// time is enough, -inf when no work is left. s >= 1, not necessarily whole.
double ln_piece_miss(const DividedWork& rest, double s);

// ln R. s >= 1, c > 0.
double ln_divided_pocd(const DividedWork& rest, double s, double c);

// So many pieces still leave not even a perfect attempt enough time.
bool is_hopeless(const DividedWork& rest, double s);

}  // namespace ontime::scheduler::math
