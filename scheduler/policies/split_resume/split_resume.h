#pragma once
// split-resume (docs/research/split-resume.md): how a rest is divided, which late segments are saved, and the policy.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "common/base/byte_range.h"
#include "scheduler/core/outlook.h"
#include "scheduler/math/fitted_tail.h"
#include "scheduler/policies/decision.h"
#include "scheduler/policies/node_effects.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// PoCD of a task whose rest is divided into s pieces, each raced by c fresh attempts:
//
//   R = [1 - ((1 - phi) t_min / (s (D - tau - t_lau)))^(beta c)]^s
//
// A copy is never faster than t_min, so copies alone cannot save a task with (1 - phi) t_min >= D - tau - t_lau; a
// divided rest can be worked off in any time, given the slots. s = 1 is Shed+'s eq. 9 without the attempt that is kept.

// ln R of s >= 1 pieces, not necessarily whole, each raced by c > 0 attempts, from ln((1 - phi) t_min / (D - tau -
// t_lau)); good to the precision of ln_share and of ln s, so not where a piece just fits into its time. A piece's odds
// are clamped to a probability.
double ln_divided_pocd(double ln_share, double beta, double s, double c);

// How many fresh attempts the rest of each late piece gets, and how they share it: s pieces raced by c attempts each.
// The value of n slots is not concave in n (two pieces may be as late as one, three in time), so a grant looks ahead:
// it climbs each rest's upper hull. O((rests + slots) log rests).

inline constexpr std::uint32_t kSlotsPerGrantMax = 64;

// What may be handed to fresh attempts, and what it is worth. Times in seconds.
struct RemainingWork {
  double work = 0;               // what a perfect attempt takes for it: (1 - phi) t_min
  double window = 0;             // D - tau - t_lau
  double beta = 2;               // shape of the execution times, if they are Pareto
  std::uint32_t pieces_max = 1;  // more are not worth their launches
  std::uint32_t copies_max = 1;  // c is not above it
  double ln_before = 0;          // ln P(it is in time) if nothing is done
  double gain_min = 0;           // in ln PoCD per slot, on top of what the rules ask for
  // If execution times are not Pareto: their distribution, in seconds per byte, and ln of what an attempt at all of the
  // rest may take of them.
  const math::FittedTail* tail = nullptr;
  double ln_time = 0;

  // Not even a perfect attempt at one of the smallest pieces would be in time.
  bool is_hopeless() const { return !(work < static_cast<double>(pieces_max) * window); }
};

struct Division {
  std::uint32_t pieces = 0;  // s; 0: nothing is done
  std::uint32_t copies = 0;  // c: attempts per piece
  double ln_pocd = -std::numeric_limits<double>::infinity();

  std::uint32_t slots() const { return pieces * copies; }
};

// The best division with at most 0, 1, ..., slots_max slots; each at least as good as the one before.
// slots_max is at most kSlotsPerGrantMax.
std::vector<Division> ladder_of(const RemainingWork& remaining, std::uint32_t slots_max);

struct GrantRules {
  std::uint32_t slots_max = 10;  // per rest, or its pieces_max if that is more; at most kSlotsPerGrantMax
  double gain_min = 0;           // in ln PoCD per slot; less is not worth a slot
};

// One division per remainder, in their order, with at most `slots` slots together: always the stretch of some
// remainder's hull that gains most per slot; ties go to the earlier one.
std::vector<Division> grant(std::span<const RemainingWork> remainders, std::uint32_t slots, const GrantRules& rules);

// When a job's segments should be sealed, in seconds after its submission.
struct Target {
  // Without a deadline: what is given away at the end needs a launch, and must last longer than that, and attempts are
  // slower than half of the others (docs/research/split-resume.md has what was measured).
  static constexpr double kLaunches = 3;
  static constexpr double kSlack = 1.25;

  double at = std::numeric_limits<double>::infinity();   // its deadline, or what stands for one
  double due = std::numeric_limits<double>::infinity();  // late is what ends after that
  bool is_deadline = true;
  double interval = 1;  // seconds from one check to the next
  bool operator==(const Target&) const = default;
};

struct RescueRules {
  double safety = 0.02;  // share of D that is kept in reserve: late is what ends after (1 - safety) D
  double keep = 0.8;     // share of the time left that the attempt that is ahead is trusted with
  // An attempt that needs more than so many times the median time per byte keeps nothing: its slot is worth more to a
  // fresh one.
  double slow = 2;
  double min_piece = 4;  // launches that half of the attempts at a piece must last
  // In ln PoCD, for a slot that would have to be launched on for as long as is left behind that: in proportion for
  // shorter launches, or where one in a process that is kept takes time too.
  double launch_gain = 1;
  double spread = 0.1;  // how far speeds wander: standard deviation of ln(real / estimated time to go)
  double recent = 1;    // weight of an attempt's recent speed in its estimate; the rest: its mean speed
  // Copies duplicate work and a late segment can be divided again, so pieces are raced only if the time left is shorter
  // than so many times a check and a launch; by at most `copies` attempts each.
  double last_chance = 4;
  std::uint32_t copies = 4;
  double check = 0.02;     // of D, or of what half of the attempts at a split take, from one check to the next
  std::uint32_t max = 10;  // fresh attempts per late segment and decision, unless it needs more to be in time
  bool replace = true;     // attempts, where that saves slot time

  // Seconds that half of the attempts at a piece must last, if `window` is left for it; > 0. Less if time is short: a
  // piece that turns out to be slow could not be divided again otherwise.
  double shortest_piece(double window, const math::Durations& durations) const;
};

// Where the job's deadline does not count, its target is when all that it has left could be done, shared among its own
// slots and `free` others. That moves from check to check. O(tasks) then.
Target target_of(const View& view, const JobView& job, bool by_deadline, std::uint32_t free,
                 const math::Durations& durations, const RescueRules& rules);

// An open segment that will be late, and how split-resume would save it: the attempt that is ahead keeps what it can do
// in time at its own pace, the rest goes to fresh attempts.
struct LateSegment {
  TaskId task;
  ByteRange range;        // the segment
  double completion = 0;  // when it is expected to be sealed, seconds after submission
  std::uint64_t cut = 0;  // the rest begins here
  bool is_part = false;   // of a task that was divided before
  bool race = false;      // the rest is too small to be given away: the attempt that is ahead races for it
  bool whole = false;     // it has stopped close to the end: fresh ones race for the segment from its begin on
  RemainingWork remaining;
  std::optional<Speculate> replacement;  // if no slot is granted
};

// The attempt that a cut is asked of: the one that has got farthest.
const Racer& leader_of(const OpenSegment& segment);

// What can be done for the segment, or why nothing is.
std::variant<LateSegment, Reason> look_at(const View& view, const JobView& job, const OpenSegment& segment,
                                          const Target& target, const math::Durations& durations,
                                          const RescueRules& rules);

// Where an attempt should be by now: its last report may be a heartbeat old. Not beyond the segment's end.
double position_of(const Racer& racer, const OpenSegment& segment, double now);

// Slower than half of the attempts by more than so many times the error of its pace.
inline constexpr double kErrors = 2;
bool is_surely_slow(const Pace& pace, const math::Durations& durations);

// A copy of the whole segment for an attempt that has been in its start, or in its first record, for so long that a
// fresh one is expected to be done before it. It goes on: nobody knows what it has done already.
std::optional<Speculate> race_of_long_start(const JobView& job, const OpenSegment& segment,
                                            const math::Durations& durations, double now);

// Only one with so many seconds to go may be raced for that: what a fresh attempt usually takes. Infinite if nothing is
// known.
double fresh_attempt(const JobView& job, const math::Durations& durations);

// Slot seconds that a fresh attempt at so many bytes is expected to save against one that takes `pace` seconds for
// each. The fresh one is replaced itself as soon as it turns out to be as slow: bytes E[max(0, pace - T)]. What
// replacing costs is not taken off.
double saved_by_replacing(double bytes, double pace, const math::Durations& durations);

// Less of the time left is not worth stopping an attempt for: where attempts hardly differ, every second one would be.
inline constexpr double kShareSavedLeast = 0.15;
// What would be in time is replaced only if so many times what half of the attempts take is left: a fresh one that has
// bad luck can still be replaced or divided then.
inline constexpr double kSafeMedians = 2;

// Whether that is more than the cost, in slot seconds, and a good part of the time that is left.
bool pays_to_replace(double bytes, double pace, double cost, const math::Durations& durations);

// The one attempt at a segment that will be in time, which runs and shows a pace, will not be replaced before it is
// reported again, or what the job's attempts take, the target, or whether all tasks were launched has changed. May be
// false of one that will not. REQUIRES: durations.t_min > 0.
bool will_not_be_replaced(const JobView& job, const OpenSegment& segment, const Target& target,
                          const math::Durations& durations, double now);
inline constexpr double kRoundedUp = 1 + 1e-6;  // by more than sums differ by their rounding

// An attempt stops where it stands, and a fresh one takes over all that it has left, in its slot: where that saves slot
// time, and does not put at risk what would be in time.
std::optional<Speculate> replacement_of(const View& view, const JobView& job, const OpenSegment& segment,
                                        const Target& target, const math::Durations& durations,
                                        const RescueRules& rules, const NodeEffectsOnDemand& nodes);

// Dividing tasks before their first launch, where even a perfect run of the whole split would be late, or its odds are
// poor and slots are free.
struct StartRules {
  // Tasks are divided, while slots are free, until the job's PoCD would reach `pocd` or half of the attempts at a piece
  // would take no more than `share` of the time left: what is late after that is divided then.
  double pocd = 0.9;
  double share = 0.5;
  std::uint32_t max = 32;  // pieces per task, unless it needs more to be in time and slots are free for them
};

// Tasks from this index on have never been launched. O(log tasks): tasks are launched in order.
std::uint32_t first_unlaunched(const Job& job);
std::uint32_t unlaunched(const JobView& job);  // how many they are

// Adds the divisions for the job's tasks that wait for their first launch. Returns by how many attempts more wait now.
std::uint32_t divide_at_start(const View& view, const JobView& job, const Target& target,
                              const math::Durations& durations, std::uint32_t slots, const RescueRules& rules,
                              const StartRules& start, Plan& plan);

// The same for segments that wait for a slot, of tasks that were divided or launched before: a piece that was short
// enough when it was made may be too long for the time that is left now. Not where the launches would take more than
// half of the work: others want the slots. O(segments that wait), or O(1) if a perfect attempt at one of `largest`
// bytes would be in time.
std::uint32_t divide_waiting(const View& view, const JobView& job, const Target& target,
                             const math::Durations& durations, double largest, const RescueRules& rules,
                             const StartRules& start, Plan& plan);
// No segment of the job is larger, in bytes. Infinite: nobody knows. O(inputs).
double largest_segment(const JobSpec& spec);

// Borders that divide [from, end) into pieces in proportion to `shares`; fewer if it is too short.
std::vector<std::uint64_t> borders_of(std::uint64_t from, std::uint64_t end, const std::vector<double>& shares);

// Shares for the pieces of a division, by the speeds of the nodes that get them, which are taken from the end.
std::vector<double> shares_of(const Division& division, std::vector<double>& speeds);
Speculate speculation_at(const LateSegment& late, const Division& division, const std::vector<double>& shares,
                         Handover handover);

std::unique_ptr<Policy> make_split_resume(Parameters& parameters);
// The same plans at more cost, for tests: it looks at each task that could be wrong, whatever earlier looks have found.
std::unique_ptr<Policy> make_forgetful_split_resume(Parameters& parameters);

}  // namespace ontime::scheduler
