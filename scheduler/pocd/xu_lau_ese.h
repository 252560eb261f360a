#pragma once
// Xu & Lau, section VI (eqs. 30-33): Enhanced Speculative Execution (ESE), for heavily loaded clusters. Machines become
// free rarely, so a running task of duration x is looked at once, at an instant uniform on [0, x]; if what remains then
// exceeds sigma E[x] it gets one copy. Durations are Pareto(mu, alpha), alpha > 1; results are divided by mu.

namespace ontime::scheduler::pocd {

// E[R] / mu, eq. 30 with gamma = 1, in closed form: machine time of one task. sigma >= 0.
double enhanced_machine_time(double alpha, double sigma);

// sigma* that minimises it. It solves the same equation as SDA's for c = 2: the looking instant drops out.
double best_enhanced_limit(double alpha);

}  // namespace ontime::scheduler::pocd
