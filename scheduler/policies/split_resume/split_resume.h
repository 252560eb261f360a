#pragma once
// Dividing tasks before their first launch, where even a perfect run of the whole split would be late, or its odds are
// poor and slots are free.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/split_resume/late_segment.h"

namespace ontime::scheduler {

struct StartRules {
  // Tasks are divided, while slots are free, until the job's PoCD would reach `pocd` or half of the attempts at a piece
  // would take no more than `share` of the time left: what is late after that is divided then.
  double pocd = 0.9;
  double share = 0.5;
  std::uint32_t max = 32;  // pieces per task
};

// Tasks from this index on have never been launched. O(log tasks): tasks are launched in order.
std::uint32_t first_unlaunched(const Job& job);

// Into how many pieces a task is divided of which a perfect attempt takes `work` seconds, when `tasks` such are to be
// launched and `slots` are free for them. 1: not at all.
std::uint32_t pieces_at_start(double work, double window, const math::Durations& durations, std::uint32_t tasks,
                              std::uint32_t slots, const RescueRules& rules, const StartRules& start);

// Adds the divisions for the job's tasks that wait for their first launch, at most as many as there are slots in the
// cluster. Returns by how many attempts more wait now.
std::uint32_t divide_at_start(const View& view, const JobView& job, const math::Durations& durations,
                              std::uint32_t slots, const RescueRules& rules, const StartRules& start, Plan& plan);

// Our own policy. A copy is never faster than t_min, however many there are; a remainder that is divided is. Each late
// piece of a task is cut: the attempt that works on it keeps what it can do in time at its own pace, the rest is
// divided into s segments, each raced by c fresh attempts. (s, c) maximises the piece's PoCD,
//
//   [1 - ((1 - phi) t_min / (s (D - tau - t_lau)))^(beta c)]^s      (division.h)
//
// within the slots that are granted, and slots are granted where they raise the sum of ln PoCD most per slot. A piece
// that turns out to be late is divided again. Tasks are divided before their first launch where even a perfect run
// would be late, or where slots are free and the odds are poor.
//
// Parameters are listed with their defaults in docs/split-resume.md.
//
// Declined: CutPending (a cut or fresh attempts are on their way), NoEstimate (nothing known of t_min, or the end of a
// compressed input), RemainingShorterThanLaunch, CopyWouldBeLater, Hopeless (no division helps), NoFreeSlot,
// NotWorthIt. Jobs without a deadline are left alone.

struct SplitResumeSettings {
  RescueRules rescue;
  // Late pieces overtake tasks that wait for their first launch: slots that attempts are expected to free within so
  // many checks are promised to them. 0: only slots that are free and that nothing waits for.
  double ahead = 0.5;
  bool by_speed = true;  // pieces in proportion to the speeds of the free nodes
  GrantRules grant;
  StartRules start;
  JobOrder order = JobOrder::EarliestDeadline;
  Handover handover = Handover::Predicted;
  math::DurationHints durations;
};

class SplitResume final : public Policy {
 public:
  explicit SplitResume(const SplitResumeSettings& settings) : settings_(settings) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  JobOrder order() const override { return settings_.order; }
  Plan plan(const View& view) override;

 private:
  struct Found {  // late pieces of all jobs, and the pieces that could be saved but get no slot now
    std::vector<LateSegment> late;
    bool lacks_slots = false;
    std::uint32_t ending = 0;    // attempts that are expected to be done before the next check but one
    std::uint32_t promised = 0;  // fresh attempts that wait for a slot already
  };
  struct JobState {  // of a job; nothing here is lost by beginning afresh
    math::Durations durations;
    std::vector<float> progress;         // by task, at the last check: who has slowed down since
    double looked_at = 0;                // seconds after submission
    std::vector<std::uint32_t> divided;  // tasks with several pieces, whose progress hides a slow one; ascending
  };

  bool begin_jobs(const View& view, bool is_due, std::uint32_t& promised, Plan& plan);
  void find_late(const View& view, const JobView& job, JobState& state, Found& found, Plan& plan) const;
  void look_at_task(const View& view, const JobView& job, const JobState& state, std::uint32_t task, double horizon,
                    Found& found, Plan& plan) const;
  void save(const View& view, std::uint32_t slots, Found& found, Plan& plan) const;
  void speculate(const LateSegment& late, const Division& division, const std::vector<double>& shares,
                 Plan& plan) const;
  std::optional<TimePoint> next_check(const View& view, bool lacks_slots) const;

  SplitResumeSettings settings_;
  std::map<JobId, JobState> jobs_;
  std::optional<TimePoint> due_;
};

}  // namespace ontime::scheduler
