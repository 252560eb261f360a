#pragma once
// Xu & Lau, section V (eqs. 18-28): the Straggler Detection Algorithm (SDA). A task whose remaining time exceeds
// sigma E[x] is a straggler and gets c - 1 copies. Everything is divided by mu, the shortest duration, so results are
// dimensionless. Durations x are Pareto(mu, alpha), alpha > 1.

#include <cstdint>

namespace ontime::scheduler::pocd {

// tau(c, sigma) / mu = E[c d | straggler], eq. 26 with G where the paper prints 1 - G: machine time that a detected
// straggler still costs with c attempts in all, c = 1 meaning no copy. Domain: sigma E[x] >= mu.
double straggler_cost(double alpha, double sigma, double copies);

// J / mu, eq. 22: expected machine time of a task when stragglers are detected after the fraction s of their work,
// 0 <= s < 1.
double detection_cost(double alpha, double sigma, double copies, double s);

// sigma*, eq. 28: the detection limit that minimises J for a given c >= 2; does not depend on s or mu. Solves
// a = c E[min(y, a)], a = sigma E[x], y the fastest of c - 1 copies. 1 + sqrt(2)/2 for alpha = 2, c = 2.
double best_detection_limit(double alpha, double copies);

struct DetectionRule {
  std::uint32_t copies = 1;  // c*
  double sigma = 0;          // sigma*
  double cost = 0;           // J / mu for s = 0
};

// c* and sigma* together, c in 2..8. The paper's Theorem 3 says c* = 2; that holds for alpha > 1.559, below it is 3.
DetectionRule best_detection_rule(double alpha);

// The sigma at which Mantri's rule P(t_rem > 2 t_new) > delta fires if t_rem is known: 2 (1 - delta)^(-1/alpha) mu /
// E[x].
double mantri_detection_limit(double alpha, double delta);

}  // namespace ontime::scheduler::pocd
