#pragma once
// Xu & Lau, section IV (eqs. 8-13): how long a job of cloned Pareto tasks takes and what it costs. In closed form, so
// no numerical integration is needed.

namespace ontime::scheduler::pocd {

// m tasks with c copies each, durations Pareto(mu, alpha); c >= 1 may be fractional. Times in the unit of mu.
struct ClonedJob {
  double tasks = 1;  // m
  double mu = 0;     // shortest duration of a copy
  double alpha = 0;  // shape
};

// E[d], eq. 12: until the last task is done. Infinite for alpha c <= 1.
double cloned_job_time(const ClonedJob& job, double copies);

// E[t_j], until one task's first copy is done. Infinite for alpha c <= 1.
double cloned_task_time(const ClonedJob& job, double copies);

// m c E[t_j], eq. 13 with gamma = 1: machine time of the job.
double cloned_machine_time(const ClonedJob& job, double copies);

}  // namespace ontime::scheduler::pocd
