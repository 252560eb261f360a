#include "master/room_for_jobs.h"

#include <string>

#include "common/base/units.h"
#include "scheduler/core/job.h"
#include "scheduler/core/owner_turns.h"

namespace ontime::master {
namespace {

constexpr std::uint64_t kJobsMax = 10'000;
constexpr std::uint64_t kTasksMaxOfAll = 4'000'000;
constexpr std::uint64_t kParameterBytesMaxOfAll = 256u << 20;

// What jobs take.
struct Room {
  std::uint64_t jobs = 0;
  std::uint64_t tasks = 0;
  std::uint64_t bytes = 0;  // of parameters

  void add(const scheduler::JobSpec& spec, std::uint64_t of_tasks) {
    ++jobs;
    tasks += of_tasks;
    for (const scheduler::StringMap* parameters : {&spec.parameters, &spec.policy_parameters}) {
      for (const auto& [name, value] : *parameters) bytes += name.size() + value.size();
    }
  }
};

Error no_room(const std::string& who, const std::string& what, const std::string& most) {
  return failed("With this job " + who + " would hold " + what + " that have not ended, and may hold " + most +
                "; wait until some have.");
}

Status check(const std::string& who, const Room& taken, double share) {
  const auto most = [&](std::uint64_t of_all) { return scheduler::share_of(of_all, share); };
  if (const std::uint64_t jobs = most(kJobsMax); taken.jobs > jobs)
    return no_room(who, std::to_string(taken.jobs) + " jobs", std::to_string(jobs));
  if (const std::uint64_t tasks = most(kTasksMaxOfAll); taken.tasks > tasks)
    return no_room(who, std::to_string(taken.tasks) + " tasks of jobs", std::to_string(tasks));
  if (const std::uint64_t bytes = most(kParameterBytesMaxOfAll); taken.bytes > bytes)
    return no_room(who, format_size(taken.bytes) + " of parameters of jobs", format_size(bytes));
  return {};
}

}  // namespace

Status check_room(const scheduler::Cluster& cluster, const scheduler::JobSpec& next, double owner_share) {
  Room all;
  all.add(next, scheduler::count_splits(next));
  Room own = all;
  for (const auto& [id, job] : cluster.jobs()) {
    if (is_final(job.state)) continue;
    all.add(job.spec, job.tasks.size());
    if (job.spec.owner == next.owner) own.add(job.spec, job.tasks.size());
  }
  if (Status status = check("the master", all, 1); !status) return status;
  return next.owner.empty() ? Status() : check(next.owner, own, owner_share);
}

}  // namespace ontime::master
