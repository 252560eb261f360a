#pragma once
// What a policy sees.

#include <cstdint>
#include <map>
#include <span>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/outlook.h"
#include "scheduler/core/resource_manager.h"

namespace ontime::scheduler {

// A running job of this policy. Instants in policies are seconds after its submission, as in the papers.
struct JobView {
  JobId id;
  const Job* job;
  const Outlook* outlook;
  // Fresh attempts that were asked for and are not launched yet, by task; tasks without any are left out.
  std::map<std::uint32_t, std::uint32_t> pending;
  std::uint32_t waiting = 0;  // its attempts that wait for a slot, copies too

  double since_submission(TimePoint at) const { return seconds(at - job->submitted_at); }
  bool has_deadline() const { return job->spec.deadline > Duration::zero(); }
  double deadline() const { return seconds(job->spec.deadline); }  // D; 0 without one
};

struct View {
  const Cluster& cluster;
  const ResourceManager& resources;  // nodes: which are usable, how fast they have been
  std::span<const JobView> jobs;     // in order of id
  TimePoint now;
  std::uint32_t waiting = 0;  // attempts of any job, copies too, that wait for a slot already

  std::uint32_t slots() const { return resources.slots(); }
  std::uint32_t free_slots() const { return resources.free_slots(); }
  // Slots for copies: free, and not for what waits already.
  std::uint32_t spare_slots() const { return free_slots() > waiting ? free_slots() - waiting : 0; }
};

}  // namespace ontime::scheduler
