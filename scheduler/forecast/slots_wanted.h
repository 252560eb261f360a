#pragma once
// How many slots the deadlines of the running jobs need, for who adds and removes nodes. By forecasts of clusters of
// other sizes, whose slots come as late as the last ones came that were wanted. A forecast does not know what jobs will
// be submitted.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/forecast/remaining_job.h"

namespace ontime::scheduler {

struct SlotsRule {
  double target = 0.95;         // PoCD that each job shall have
  std::uint32_t most = 10'000;  // slots that are ever wanted
  Duration hold = std::chrono::seconds(60);
};

struct NeededSlots {
  std::uint32_t count = 1;  // of the cluster
  std::uint32_t busy = 0;   // of those, that its attempts hold: to take one away would set them back
};

// The smallest cluster in which the job has the target's PoCD, with what other jobs have there: to a fiftieth. A job
// that no size gives as much gets what has nearly its best chance, so one that is late whatever is done needs 1.
// Nothing: nothing can be said.
std::optional<NeededSlots> needed_slots(const RemainingJob& job, const SlotsRule& rule,
                                        const SlotsToCome& to_come = {});

// The most that was wanted within the last `hold`: it rises at once, and falls only when less was enough for so long.
// Nodes that come and go with every job would be paid for while they start and stop.
class HeldSlots {
 public:
  explicit HeldSlots(Duration hold) : hold_(hold) {}
  std::uint32_t update(TimePoint now, std::uint32_t wanted);

 private:
  const Duration hold_;
  std::deque<std::pair<TimePoint, std::uint32_t>> seen_;  // what may be the most in time, falling
};

// Slots that were wanted and are not there yet, and how long others took to come, of which who adds nodes says nothing.
class AwaitedSlots {
 public:
  // `there`: slots of the cluster.
  void update(TimePoint now, std::uint32_t there, std::uint32_t wanted);
  // From when they were wanted until they came, in the median of the last hour's. 0: none came then. So one that took
  // very long is forgotten, although for a while no deadline may seem worth another.
  Duration start() const;
  SlotsToCome to_come(TimePoint now, TimePoint submitted) const;

 private:
  static constexpr std::size_t kStarts = 16;
  static constexpr Duration kRemembered = std::chrono::hours(1);
  static constexpr Duration kLongest = std::chrono::minutes(15);  // beyond, there may be a limit to slots

  std::deque<std::pair<TimePoint, std::uint32_t>> awaited_;  // since when, up to which size of the cluster; rising
  std::deque<std::pair<TimePoint, double>> starts_;          // when they came, after how many seconds
  std::uint32_t there_ = 0;
  std::uint32_t most_ = 0;  // that were there since the first were wanted: up to here they come back and do not start
};

// What all running jobs need. The owner has it look every so often, which takes a small part of its thread: at a few
// jobs each time, and at large ones more rarely.
class SlotsWanted {
 public:
  explicit SlotsWanted(SlotsRule rule = {}) : rule_(rule), held_(rule.hold) {}

  void look(const Scheduler& scheduler, TimePoint now);
  // 0: no job has run for a while. A job without a deadline wants one slot, one of which nothing is known what there
  // is.
  std::uint32_t count() const { return count_; }

 private:
  struct Job {
    NeededSlots needed;
    TimePoint next;  // when to look again
  };

  static constexpr std::size_t kTasksALook = 1000;  // that are not done; a job more may begin below it
  static constexpr std::size_t kJobsALook = 32;
  // Between two looks at a job: so long for each task that is not done. A look takes tens of milliseconds at most.
  static constexpr Duration kApartForTask = std::chrono::milliseconds(5);
  static constexpr Duration kLeastApart = std::chrono::seconds(1);
  static constexpr Duration kMostApart = std::chrono::seconds(15);

  std::size_t look_at(const Scheduler& scheduler, JobId id, TimePoint now);  // tasks that are not done

  // After a restart of the master workers come back, which have been there all the time.
  static constexpr Duration kSettled = std::chrono::minutes(1);

  const SlotsRule rule_;
  std::optional<TimePoint> began_;
  HeldSlots held_;
  AwaitedSlots awaited_;
  std::map<JobId, Job> jobs_;
  JobId next_;  // where to go on
  std::uint32_t count_ = 0;
};

}  // namespace ontime::scheduler
