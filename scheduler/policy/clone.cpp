#include "scheduler/policy/clone.h"

#include <algorithm>

#include "scheduler/policy/duration_words.h"

namespace ontime::scheduler {
namespace {

std::uint32_t not_launched(const Job& job) {
  std::uint32_t count = 0;
  for (auto task = job.tasks.rbegin(); task != job.tasks.rend() && task->attempts.empty(); ++task) ++count;
  return count;
}

}  // namespace

void Clone::begin(ChronosTurn& turn, const JobView& job, const ChronosChoice* choice) {
  std::string why = "r = 1: t_min is not known at submission, neither from a profile nor from a flag";
  std::uint32_t wanted = settings().r.value_or(1);
  if (choice != nullptr) {
    why = choice->why;
    wanted = choice->r.value_or(0);
  } else if (settings().r) {
    why = "r = " + std::to_string(wanted) + " (as told)";
  }
  const std::uint32_t tasks = not_launched(*job.job);
  const std::uint32_t room = tasks > 0 ? turn.budget / tasks : 0;
  const std::uint32_t copies = std::min(wanted, room);
  if (copies < wanted) why += "; free slots allow " + std::to_string(copies);
  turn.plan.add(Note{job.id, why});
  if (copies == 0) return;
  turn.plan.add(CloneTasks{job.id, copies, Reason::Clone});
  turn.budget -= copies * tasks;
}

void Clone::learn(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice) {
  turn.plan.add(Note{job.id, "clones race for " + short_number(choice.race) +
                                 " s: " + duration_words(choice.durations, settings().hints, choice.split_bytes)});
}

}  // namespace ontime::scheduler
