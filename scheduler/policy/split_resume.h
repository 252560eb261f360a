#pragma once
// Our own policy. A copy is never faster than t_min, however many there are; a remainder that is divided is. Each late
// piece of a task is cut: the attempt that works on it keeps what it can do in time at its own pace, the rest is
// divided into s segments, each raced by c fresh attempts. (s, c) maximises the piece's PoCD,
//
//   [1 - ((1 - phi) t_min / (s (D - tau - t_lau)))^(beta c)]^s      (pocd/divided_pocd.h)
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

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/policy/late_piece.h"
#include "scheduler/policy/parameters.h"
#include "scheduler/policy/policy.h"
#include "scheduler/policy/start_division.h"

namespace ontime::scheduler {

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
  estimate::DurationHints durations;
};

class SplitResume final : public Policy {
 public:
  explicit SplitResume(const SplitResumeSettings& settings) : settings_(settings) {}
  static std::unique_ptr<Policy> make(Parameters& parameters);

  JobOrder order() const override { return settings_.order; }
  Plan plan(const View& view) override;

 private:
  struct Found {  // late pieces of all jobs, and the pieces that could be saved but get no slot now
    std::vector<LatePiece> pieces;
    bool lacks_slots = false;
    std::uint32_t ending = 0;    // attempts that are expected to be done before the next check but one
    std::uint32_t promised = 0;  // fresh attempts that wait for a slot already
  };
  struct Known {  // of a job; nothing here is lost by beginning afresh
    estimate::Durations durations;
    std::vector<float> progress;         // by task, at the last check: who has slowed down since
    double looked_at = 0;                // seconds after submission
    std::vector<std::uint32_t> divided;  // tasks with several pieces, whose progress hides a slow one; ascending
  };

  bool begin_jobs(const View& view, bool is_due, std::uint32_t& promised, Plan& plan);
  void find_late(const View& view, const JobView& job, Known& known, Found& found, Plan& plan) const;
  void look_at_task(const View& view, const JobView& job, const Known& known, std::uint32_t task, double horizon,
                    Found& found, Plan& plan) const;
  void save(const View& view, std::uint32_t slots, Found& found, Plan& plan) const;
  void speculate(const LatePiece& late, const Division& division, const std::vector<double>& shares, Plan& plan) const;
  std::optional<TimePoint> next_check(const View& view, bool lacks_slots) const;

  SplitResumeSettings settings_;
  std::map<JobId, Known> known_;
  std::optional<TimePoint> due_;
};

}  // namespace ontime::scheduler
