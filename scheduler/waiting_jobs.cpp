#include "scheduler/waiting_jobs.h"

#include <limits>

namespace ontime::scheduler {

double rank_of(const Job& job, JobOrder order) {
  switch (order) {
    case JobOrder::EarliestDeadline:
      if (job.spec.deadline <= Duration::zero()) return std::numeric_limits<double>::infinity();
      return static_cast<double>(to_unix_ns(job.submitted_at + job.spec.deadline));
    case JobOrder::ShortestRemaining:
      return static_cast<double>(job.input_bytes) * static_cast<double>(job.tasks.size() - job.tasks_done) /
             static_cast<double>(job.tasks.size());
    case JobOrder::Fifo:
      break;
  }
  return 0;  // ids grow with submission
}

}  // namespace ontime::scheduler
