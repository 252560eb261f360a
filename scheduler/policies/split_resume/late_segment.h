#pragma once
// An open segment that will be late, and how split-resume would save it: the attempt that is ahead keeps what it can do
// in time at its own pace, the rest goes to fresh attempts.

#include <cstdint>
#include <variant>
#include <vector>

#include "common/base/byte_range.h"
#include "scheduler/core/outlook.h"
#include "scheduler/core/reason.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/split_resume/division.h"
#include "scheduler/policies/view.h"

namespace ontime::scheduler {

struct RescueRules {
  double safety = 0.02;  // share of D that is kept in reserve: late is what ends after (1 - safety) D
  double keep = 0.8;     // share of the time left that the attempt that is ahead is trusted with
  // An attempt that needs more than so many times the median time per byte keeps nothing: its slot is worth more to a
  // fresh one.
  double slow = 2;
  double min_piece = 4;  // launches that half of the attempts at a piece must last
  double spread = 0.1;   // how far speeds wander: standard deviation of ln(real / estimated time to go)
  double recent = 1;     // weight of an attempt's recent speed in its estimate; the rest: its mean speed
  // Copies duplicate work and a late segment can be divided again, so pieces are raced only if the time left is shorter
  // than so many times a check and a launch; by at most `copies` attempts each.
  double last_chance = 4;
  std::uint32_t copies = 4;
  double check = 0.05;     // of D, from one check to the next
  std::uint32_t max = 10;  // fresh attempts per late segment and decision

  // Instants in seconds after submission.
  double due(const JobView& job) const { return job.deadline() * (1 - safety); }
};

struct LateSegment {
  TaskId task;
  ByteRange range;        // the segment
  double completion = 0;  // when it is expected to be sealed, seconds after submission
  std::uint64_t cut = 0;  // the rest begins here
  bool is_part = false;   // of a task that was divided before
  bool race = false;      // the rest is too small to be given away: the attempt that is ahead races for it
  RemainingWork remaining;
};

// The attempt that a cut is asked of: the one that has got farthest.
const Racer& leader_of(const OpenSegment& segment);

// What can be done for the piece, or why nothing is.
std::variant<LateSegment, Reason> look_at(const View& view, const JobView& job, const OpenSegment& segment,
                                          const math::Durations& durations, const RescueRules& rules);

// Borders that divide [from, end) into pieces in proportion to `shares`; fewer if it is too short.
std::vector<std::uint64_t> borders_of(std::uint64_t from, std::uint64_t end, const std::vector<double>& shares);

}  // namespace ontime::scheduler
