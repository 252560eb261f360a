#include "tests/pocd/divided_pocd.h"

#include <cmath>

#include "scheduler/math/numeric.h"

namespace ontime::scheduler::math {
namespace {

double time_left(const DividedWork& rest) { return accurate_sum({rest.deadline, -rest.tau, -rest.launch}); }

// s (D - tau - t_lau) - (1 - phi) t_min with hardly any rounding.
double slack_of(const DividedWork& rest, double s) {
  const double total = s * rest.deadline;
  const double passed = s * rest.tau;
  const double launching = s * rest.launch;
  const double done = rest.phi * rest.t_min;
  return accurate_sum({total, -passed, -launching, -rest.t_min, done, std::fma(s, rest.deadline, -total),
                       -std::fma(s, rest.tau, -passed), -std::fma(s, rest.launch, -launching),
                       std::fma(rest.phi, rest.t_min, -done)});
}

// ln((1 - phi) t_min / (s (D - tau - t_lau))), not clamped. Close to 1 by its distance from 1: where a piece just fits
// into its time, the quotient's rounding would be all that is left of the logarithm.
double ln_share(const DividedWork& rest, double s) {
  const double left = time_left(rest);
  if (!(left > 0)) return kInfinity;
  const double ratio = (1 - rest.phi) * rest.t_min / (s * left);
  if (ratio > 0.5 && ratio < 2) return std::log1p(-slack_of(rest, s) / (s * left));
  return std::log(ratio);
}

double ln_race_of_pieces(double ln_miss_of_one, double s, double c) {
  return s * ln_one_minus_exp(times(c, ln_miss_of_one));
}

}  // namespace

double ln_piece_miss(const DividedWork& rest, double s) {
  const double ln = ln_share(rest, s);
  return ln < 0 ? rest.beta * ln : 0;
}

double ln_divided_pocd(const DividedWork& rest, double s, double c) {
  return ln_race_of_pieces(ln_piece_miss(rest, s), s, c);
}

bool is_hopeless(const DividedWork& rest, double s) { return !(time_left(rest) > 0) || slack_of(rest, s) <= 0; }

}  // namespace ontime::scheduler::math
