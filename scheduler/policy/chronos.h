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
#include <map>
#include <optional>

#include "scheduler/policy/chronos_plan.h"
#include "scheduler/policy/later_tasks.h"
#include "scheduler/policy/pieces.h"
#include "scheduler/policy/policy.h"

namespace ontime::scheduler {

// A plan in the making.
struct ChronosTurn {
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
  virtual void begin(ChronosTurn& turn, const JobView& job, const ChronosChoice* choice);
  // Its durations were not known then and are known now.
  virtual void learn(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice);
  // The piece will not be done before D as things are; nothing is in change there.
  virtual Verdict help(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice, const Piece& piece) = 0;

 private:
  struct JobState {
    bool is_begun = false;
    std::optional<ChronosChoice> choice;
    std::uint32_t fresh = 0;  // tasks from here on have not been judged
    LaterTasks again;         // to be judged later
    LaterTasks racing;        // to be settled at tau_kill
  };

  void follow(ChronosTurn& turn, const JobView& job, JobState& state);
  bool is_ready(ChronosTurn& turn, const JobView& job, JobState& state);
  void judge_fresh(ChronosTurn& turn, const JobView& job, JobState& state);
  void judge_again(ChronosTurn& turn, const JobView& job, JobState& state);
  void settle_races(ChronosTurn& turn, const JobView& job, JobState& state);
  void judge(ChronosTurn& turn, const JobView& job, JobState& state, std::uint32_t task);
  Verdict help_late(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice, std::uint32_t task);
  // When to look at the task's race again; nothing when it is settled.
  std::optional<TimePoint> settle(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice,
                                  std::uint32_t task);
  TimePoint race_ends(const Piece& piece, const ChronosChoice& choice) const;

  ChronosSettings settings_;
  std::map<JobId, JobState> jobs_;
};

}  // namespace ontime::scheduler
