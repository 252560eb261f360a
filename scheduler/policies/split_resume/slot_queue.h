#pragma once
// Which job gets the next slot, as far as a policy can tell. Jobs of other owners have turns of their own, and of jobs
// that other policies plan for only the number of waiting attempts is known.

#include <map>
#include <string_view>
#include <utility>

#include "scheduler/core/waiting_jobs.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

class SlotQueue {
 public:
  explicit SlotQueue(const View& view);
  // A slot that the job gives back is its own again.
  bool keeps_slots(const JobView& job) const;

 private:
  using Place = std::pair<Rank, JobId>;  // in the order in which jobs get slots
  static Place place_of(const JobView& job) { return {rank_of(*job.job, job.order, job.is_behind), job.id}; }

  bool is_over_ = false;                    // there are more free slots than attempts that wait
  bool has_others_ = false;                 // jobs wait that others plan for
  std::map<std::string_view, Place> next_;  // of the jobs that wait, by owner
};

// Jobs that come after the others get copies while none of the others waits for a slot.
bool are_last_served(const View& view);

}  // namespace ontime::scheduler
