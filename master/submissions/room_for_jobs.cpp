#include "master/submissions/room_for_jobs.h"

#include <string>

#include "common/base/units.h"
#include "scheduler/core/waiting_jobs.h"

namespace ontime::master {
namespace {

using scheduler::Room;

constexpr Room kRoom{10'000, 12'000'000, 256u << 20};

Error no_room(const std::string& who, const std::string& what, const std::string& most) {
  return failed("With this job " + who + " would hold " + what + " that have not ended, and may hold " + most +
                "; wait until some have.");
}

Status check(const std::string& who, const Room& taken, double share) {
  const auto most = [&](std::uint64_t of_all) { return scheduler::share_of(of_all, share); };
  if (const std::uint64_t jobs = most(kRoom.jobs); taken.jobs > jobs)
    return no_room(who, std::to_string(taken.jobs) + " jobs", std::to_string(jobs));
  if (const std::uint64_t tasks = most(kRoom.tasks); taken.tasks > tasks)
    return no_room(who, std::to_string(taken.tasks) + " tasks of jobs", std::to_string(tasks));
  if (const std::uint64_t bytes = most(kRoom.bytes); taken.bytes > bytes)
    return no_room(who, format_size(taken.bytes) + " of parameters of jobs", format_size(bytes));
  return {};
}

constexpr std::uint64_t kTaskBytes = 200;  // what becomes of a task, if all goes well, in the journal

// What the journal will hold of the job at most: its description and its tasks.
std::uint64_t journal_bytes_of(const scheduler::JobSpec& job, const Room& room) {
  constexpr std::uint64_t kFileBytes = 64;   // besides its name
  constexpr std::uint64_t kJobBytes = 1000;  // besides its parameters
  std::uint64_t bytes = kJobBytes + room.bytes + kTaskBytes * room.tasks;
  for (const scheduler::InputFile& file : job.inputs) bytes += file.path.size() + kFileBytes;
  return bytes;
}

// What is to come into the journal of jobs that are in it.
std::uint64_t journal_bytes_to_come(const scheduler::Cluster& cluster) {
  std::uint64_t tasks = 0;
  for (const auto& [id, job] : cluster.jobs())
    if (!is_final(job.state)) tasks += job.tasks.size() - job.tasks_done;
  return kTaskBytes * tasks;
}

}  // namespace

Result<RoomForJobs::Reservation> RoomForJobs::reserve(const scheduler::JobSpec& next) {
  const std::string& owner = next.owner;
  const Room room = scheduler::room_for(next, scheduler::count_splits(next));
  const scheduler::RoomTaken& there = cluster_.room_taken();
  if (Status status = check("the master", there.by_all() + reserved_->room.by_all() + room, 1); !status)
    return status.error();
  if (!owner.empty()) {
    if (Status status = check(owner, there.by(owner) + reserved_->room.by(owner) + room, owner_share_); !status)
      return status.error();
  }
  const std::uint64_t bytes = journal_bytes_of(next, room);
  if (in_journal_) {
    const std::uint64_t all = journal_bytes_to_come(cluster_) + reserved_->journal_bytes + bytes;
    if (Status status = in_journal_(all); !status) return status.error();
  }
  reserved_->room.take(owner, room);
  reserved_->journal_bytes += bytes;
  const auto give_back = [reserved = reserved_, owner, room, bytes](const void*) {
    reserved->room.give_back(owner, room);
    reserved->journal_bytes -= bytes;
  };
  return Reservation(reserved_.get(), give_back);
}

}  // namespace ontime::master
