#pragma once
// Xu & Lau, section III (eqs. 1-5, Theorem 1): the load up to which cloning every task pays, if each machine is an
// M/G/1 queue of Pareto tasks.

namespace ontime::scheduler::pocd {

// omega = lambda E[m] E[s] / M: load without copies, dimensionless, >= 0. alpha > 1: shape of the task durations.

// W_t / E[s], eq. 1: mean delay of a task without speculation. Infinite for omega >= 1, and for every load (even 0, as
// the limit from above) when alpha <= 2, because the second moment is infinite.
double delay_without_copies(double alpha, double omega);

// W_t^c / E[s], eq. 3: the same with two copies of every task. Infinite from omega_sat on.
double delay_with_clones(double alpha, double omega);

// omega_sat = (2 alpha - 1) / (4 (alpha - 1)), Theorem 1: where two copies per task overload the cluster.
double clone_saturation(double alpha);

// omega_U: cloning shortens the delay below this load. The root of eqs. 1 = 3 for alpha > 2; for alpha <= 2 any load
// is better cloned than not as long as it is stable: omega_sat (which exceeds 1 for alpha < 1.5).
double cutoff_load(double alpha);

// lambda_U in jobs per time, eq. 5. mean_tasks = E[m], mean_duration = E[s].
double cutoff_arrival_rate(double omega_u, double machines, double mean_tasks, double mean_duration);

}  // namespace ontime::scheduler::pocd
