#pragma once
// What clone, s-restart and s-resume have in common: r is chosen when a job is first planned for; every task is judged
// once, at tau_est; wherever attempts race, all but the best are ended at tau_kill. Chronos, section III and section
// VI.
//
// Where the paper leaves the live cluster open:
//   - A task's time begins with its own launch, not with the job's: with more tasks than slots they begin in waves.
//   - t_min unknown at submission: r is chosen as soon as attempts of the job have shown it.
//   - A task whose pace is not known at tau_est, or for which no slot is free, is looked at again until it is.
//   - Extra attempts race for tau_kill - tau_est from their own first record (or launch) on, however late they came.
//   - An attempt that stands still is judged as soon as that is known.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "scheduler/policies/chronos/chronos_plan.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// Tasks of a job to look at again, each at its time. O(log n) each, so that a plan costs what is due and not what
// waits.
class LaterTasks {
 public:
  void add(std::uint32_t task, TimePoint at) { queue_.emplace(at, task); }
  // TimePoint::max() if there are none.
  TimePoint next() const { return queue_.empty() ? TimePoint::max() : queue_.top().first; }
  // The one that has been due for longest. REQUIRES: there is one.
  std::uint32_t take() {
    const std::uint32_t task = queue_.top().second;
    queue_.pop();
    return task;
  }

 private:
  using Entry = std::pair<TimePoint, std::uint32_t>;  // the earliest is first, then the lowest index
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

// A plan in the making.
struct ChronosRound {
  const View& view;
  Plan plan;
  std::uint32_t budget = 0;  // copies that may still be asked for
  std::uint32_t effort = 0;  // what may still be looked at in this plan; the rest comes with the next, at once
  TimePoint next = TimePoint::max();

  void come_back(TimePoint at) { next = std::min(next, at); }
};

class Chronos : public Policy {
 public:
  explicit Chronos(ChronosSettings settings) : settings_(std::move(settings)) {}
  Plan plan(const View& view) final;

 protected:
  enum class Verdict { Settled, LookAgain, Racing };  // of a task, for now

  const ChronosSettings& settings() const { return settings_; }
  // The job is planned for the first time; its durations may be known already. Says in a Note what was chosen.
  virtual void begin(ChronosRound& round, const JobView& job, const ChronosChoice* choice);
  // Its durations were not known then and are known now.
  virtual void on_durations_known(ChronosRound& round, const JobView& job, const ChronosChoice& choice);
  // The segment will not be done before D as things are; nothing is in change there.
  virtual Verdict help(ChronosRound& round, const JobView& job, const ChronosChoice& choice,
                       const OpenSegment& segment) = 0;

 private:
  struct JobState {
    bool is_begun = false;
    std::optional<ChronosChoice> choice;
    std::uint32_t fresh = 0;  // tasks from here on have not been judged
    LaterTasks again;         // to be judged later
    LaterTasks racing;        // to be settled at tau_kill
  };

  void follow(ChronosRound& round, const JobView& job, JobState& state);
  bool is_ready(ChronosRound& round, const JobView& job, JobState& state);
  void judge_fresh(ChronosRound& round, const JobView& job, JobState& state);
  void judge_again(ChronosRound& round, const JobView& job, JobState& state);
  void settle_races(ChronosRound& round, const JobView& job, JobState& state);
  void judge(ChronosRound& round, const JobView& job, JobState& state, std::uint32_t task);
  Verdict help_late(ChronosRound& round, const JobView& job, const ChronosChoice& choice, std::uint32_t task);
  // When to look at the task's race again; nothing when it is settled.
  std::optional<TimePoint> settle(ChronosRound& round, const JobView& job, const ChronosChoice& choice,
                                  std::uint32_t task);
  TimePoint race_ends(const OpenSegment& segment, const ChronosChoice& choice) const;

  ChronosSettings settings_;
  std::map<JobId, JobState> jobs_;
};

// Chronos' Clone (section III, Theorems 1 and 2): every task starts with r extra attempts; at tau_kill the one that
// will be done first goes on and the others are ended.
//
// Parameters: chronos_plan.h, without tau_est. r is the optimum of eq. 26, but no more than the free slots allow at
// submission: clones that had to wait for slots would only hold up other jobs. When t_min is not known at submission,
// neither from a profile nor from a flag, every task gets one. Declines jobs without a deadline.

class Clone final : public Chronos {
 public:
  explicit Clone(Parameters& parameters) : Chronos(chronos_settings(chronos::Strategy::Clone, parameters)) {}

 protected:
  void begin(ChronosRound& round, const JobView& job, const ChronosChoice* choice) override;
  void on_durations_known(ChronosRound& round, const JobView& job, const ChronosChoice& choice) override;
  Verdict help(ChronosRound&, const JobView&, const ChronosChoice&, const OpenSegment&) override {
    return Verdict::Settled;
  }
};

// Chronos' Speculative-Restart (section III, Theorems 3 and 4): a task that is expected at tau_est to miss D gets r
// extra attempts that begin its split anew, the original goes on; at tau_kill the one that will be done first goes on
// and the others are ended.
//
// Parameters: chronos_plan.h. When fewer slots are free than r, the straggler gets those. Declines jobs without a
// deadline, jobs for which r = 0 is best (not-worth-it) or any r worthless (hopeless), tasks with a compressed input
// (no-estimate), and, for the time being, tasks for which no slot is free.

class SRestart final : public Chronos {
 public:
  explicit SRestart(Parameters& parameters) : Chronos(chronos_settings(chronos::Strategy::Restart, parameters)) {}

 protected:
  Verdict help(ChronosRound& round, const JobView& job, const ChronosChoice& choice,
               const OpenSegment& segment) override;
};

// Chronos' Speculative-Resume (section III, Theorems 5 and 6): a task that is expected at tau_est to miss D is cut
// where its original will be when fresh attempts are ready (b_new of section VI-B, eq. 31 corrected); the original
// seals what is before the cut and ends, r + 1 fresh attempts race for the rest. At tau_kill the one that will be done
// first goes on and the others are ended.
//
// Parameters: chronos_plan.h, and handover: `predicted` (default, the paper's) or `ready`. When fewer slots are free
// than r + 1, the rest gets those. Declines jobs without a deadline, jobs for which any r is worthless (hopeless),
// tasks with a compressed input (no-estimate), stragglers that are done before a fresh attempt is launched
// (remaining-shorter-than-launch), and, for the time being, tasks for which no slot is free.

class SResume final : public Chronos {
 public:
  explicit SResume(Parameters& parameters) : Chronos(chronos_settings(chronos::Strategy::Resume, parameters)) {}

 protected:
  Verdict help(ChronosRound& round, const JobView& job, const ChronosChoice& choice,
               const OpenSegment& segment) override;
};

}  // namespace ontime::scheduler
