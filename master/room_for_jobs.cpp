#include "master/room_for_jobs.h"

#include <string>

#include "common/base/units.h"
#include "scheduler/model/job.h"

namespace ontime::master {
namespace {

constexpr std::uint64_t kJobsMax = 10'000;
constexpr std::uint64_t kTasksOfAllMax = 4'000'000;
constexpr std::uint64_t kParameterBytesOfAllMax = 256u << 20;

std::uint64_t parameter_bytes(const scheduler::JobSpec& spec) {
  std::uint64_t bytes = 0;
  for (const scheduler::StringMap* parameters : {&spec.parameters, &spec.policy_parameters}) {
    for (const auto& [name, value] : *parameters) bytes += name.size() + value.size();
  }
  return bytes;
}

Error no_room(const std::string& what, const std::string& most) {
  return failed("With this job the master would hold " + what + " that have not ended, and may hold " + most +
                "; wait until some have.");
}

}  // namespace

Status check_room(const scheduler::Cluster& cluster, const scheduler::JobSpec& next) {
  std::uint64_t jobs = 1;
  std::uint64_t tasks = scheduler::count_splits(next);
  std::uint64_t bytes = parameter_bytes(next);
  for (const auto& [id, job] : cluster.jobs()) {
    if (is_final(job.state)) continue;
    ++jobs;
    tasks += job.tasks.size();
    bytes += parameter_bytes(job.spec);
  }
  if (jobs > kJobsMax) return no_room(std::to_string(jobs) + " jobs", std::to_string(kJobsMax));
  if (tasks > kTasksOfAllMax) return no_room(std::to_string(tasks) + " tasks of jobs", std::to_string(kTasksOfAllMax));
  if (bytes > kParameterBytesOfAllMax)
    return no_room(format_size(bytes) + " of parameters of jobs", format_size(kParameterBytesOfAllMax));
  return {};
}

}  // namespace ontime::master
