#pragma once
// What Chronos knows of a job (its sections III and IV): N parallel tasks with Pareto execution times and one decision
// r, the number of extra attempts, fixed when the job is submitted.

namespace ontime::scheduler::pocd {

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

}  // namespace ontime::scheduler::pocd
