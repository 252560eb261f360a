#pragma once
// The parameters of split-resume; docs/research/split-resume.md lists them.

#include <string>

#include "scheduler/math/durations.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {

struct SplitResumeSettings {
  explicit SplitResumeSettings(Parameters& parameters) {
    rescue.check = parameters.number("check", rescue.check, 0.001, 1);
    rescue.safety = parameters.number("safety", rescue.safety, 0, 0.9);
    rescue.keep = parameters.number("keep", rescue.keep, 0, 1);
    rescue.slow = parameters.number("slow", rescue.slow, 1, 1e9);
    rescue.min_piece = parameters.number("min_piece", rescue.min_piece, 0, 1000);
    rescue.launch_gain = parameters.number("launch_gain", rescue.launch_gain, 0, 100);
    rescue.spread = parameters.number("spread", rescue.spread, 0.001, 10);
    rescue.max = parameters.count("max", rescue.max, 1, kSlotsPerGrantMax);
    ahead = parameters.number("ahead", ahead, 0, 100);
    rescue.recent = parameters.number("recent", rescue.recent, 0, 1);
    grant.slots_max = rescue.max;
    rescue.copies = parameters.count("copies", rescue.copies, 1, kSlotsPerGrantMax);
    rescue.last_chance = parameters.number("last_chance", rescue.last_chance, 0, 1e6);
    grant.gain_min = parameters.number("gain", 0.001, 0, 100);
    start.pocd = parameters.number("start", start.pocd, 0, 1);
    start.share = parameters.number("start_share", start.share, 0.01, 1);
    by_speed = parameters.flag("by_speed", by_speed);
    start.max = parameters.count("start_max", start.max, 1, 1000);
    const std::string given = parameters.choice("order", "edf", {"edf", "fifo", "srpt"});
    if (given == "fifo") order = JobOrder::Fifo;
    if (given == "srpt") order = JobOrder::ShortestRemaining;
    handover = parameters.handover(handover);
    durations = parameters.durations();
    durations.early = true;  // what is known too late cannot be divided in time
    durations.tail = parameters.tail(math::TailRule::Auto);
    // A Pareto that is fitted to durations of another kind expects so much of fresh attempts that it replaces nearly
    // all.
    rescue.replace = parameters.flag("replace", durations.tail == math::TailRule::Auto);
  }

  RescueRules rescue;
  // Late pieces overtake tasks that wait for their first launch: slots that attempts are expected to free within so
  // many checks are promised to them. 0: only slots that are free and that nothing waits for.
  double ahead = 1.25;
  bool by_speed = true;  // pieces in proportion to the speeds of the free nodes
  GrantRules grant;
  StartRules start;
  JobOrder order = JobOrder::EarliestDeadline;
  Handover handover = Handover::Predicted;
  math::DurationHints durations;
};

}  // namespace ontime::scheduler
