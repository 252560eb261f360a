#include "scheduler/pocd/xu_lau_clone.h"

#include "scheduler/pocd/pareto.h"

namespace ontime::scheduler::pocd {

double cloned_job_time(const ClonedJob& job, double copies) {
  return Pareto(job.mu, job.alpha).minimum_of(copies).mean_of_maximum(job.tasks);
}

double cloned_task_time(const ClonedJob& job, double copies) {
  return Pareto(job.mu, job.alpha).minimum_of(copies).mean();
}

double cloned_machine_time(const ClonedJob& job, double copies) {
  return job.tasks * copies * cloned_task_time(job, copies);
}

}  // namespace ontime::scheduler::pocd
