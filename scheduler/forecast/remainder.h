#pragma once
// What is left of a job, lived through in a hundred scenarios or so: attempts that run come to their end, slots become
// free and are given to what waits, in order, and late segments are rescued with slots that nothing waits for.
//
// In each scenario everything that is not known is drawn: how long each segment takes, and how wrong the distribution
// of these times may be. The draws come from a fixed sequence (Luck), so the same job has the same forecast.
//
// What is alike may be given as one with a count: then its slots become free at one time, drawn as narrowly as the mean
// of so many is, while the last of them is the greatest of so many draws.

#include <cstdint>
#include <limits>
#include <vector>

#include "scheduler/math/fitted_tail.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {

// Instants in seconds after the job's submission.

// When one attempt will have mapped a segment: in a lognormal time with median e^ln_scale behind `origin`, or in one of
// the job's tail for e^ln_scale bytes, given that it was not done by now.
struct Racing {
  enum class Kind : std::uint8_t { Paced, Young };
  Kind kind = Kind::Paced;
  double origin = 0;
  double ln_scale = 0;
  double spread = 0;        // of Paced
  double ln_condition = 0;  // of Young: ln P(not done by now)
  double slowness = 0;      // of Young: its node's, a natural logarithm
};

struct HeldWork {
  std::uint64_t name = 0;  // of its draws
  double count = 1;
  std::uint32_t first = 0;   // of its attempts in Remainder::racing
  std::uint32_t racers = 0;  // 0: all of them stand still
  double slots = 1;          // that it holds
  double slowness = 0;       // of their nodes, a natural logarithm: 0 as usual
  double bytes = 0;          // of the whole segment
  double bytes_left = 0;
  double ready = 0;    // from when on a policy can tell how fast it is
  double started = 0;  // when the first of its attempts began to map
  bool taken = false;  // all of it: nothing of it can be given away any more, but it can be raced
  // All of them stand still: when the last one is ended for it.
  double ended_at = std::numeric_limits<double>::infinity();
  double until = std::numeric_limits<double>::infinity();  // the last of their workers leaves
};

struct WaitingWork {
  std::uint64_t name = 0;
  double count = 1;
  double bytes = 0;
  double from = 0;  // the attempt before is cut then, as its worker leaves
};

// How much more the time of a few bytes varies than the time of many: where speeds are drawn anew now and then, as with
// each long record, the draws of a whole split average out and those of a small piece do not.
struct Grain {
  double keeps = 1;  // the share of the variance that stays with an attempt, whatever it maps
  double bytes = 0;  // that are mapped between two draws
  double taken = 0;  // bytes that are taken at a time: a record, if records are long
  double whole = 0;  // bytes of the splits whose times are known

  // Standard deviation of ln time for so many bytes, against a whole split's. At least 1.
  double of(double piece) const;
  // The share of what makes a piece take longer than usual that belongs to its bytes: who maps them again, or only the
  // slowest of them, takes as long.
  double sticks(double piece) const;
};

struct FreeSlots {
  double count = 0;
  double slowness = 0;
  double until = std::numeric_limits<double>::infinity();  // their workers leave
  bool warm = false;                                       // the job's processes are there
};

// Slots of other jobs' attempts.
struct SlotsOfOthers {
  double at = 0;  // when they become free, in the median
  double count = 0;
  double until = std::numeric_limits<double>::infinity();
};

// Attempts of another job that wait.
struct WorkOfOthers {
  double duration = 0;  // of each, in the median
  double count = 0;
};

struct Remainder {
  double now = 0;
  double deadline = 0;                                    // 0: none
  double launch = 1;                                      // seconds, in the median
  double warm = 1;                                        // the same where an attempt of the job has left its process
  double look = 1;                                        // seconds until a policy sees what an attempt shows
  double samples = 0;                                     // attempts that the tail rests on; 0: it is certain
  bool at_once = false;                                   // segments are taken at once, as HeldWork::taken
  double slow = std::numeric_limits<double>::infinity();  // seconds from which on such a segment is late
  Rescue rescue;
  RescueRules rules;    // of Rescue::Kind::Divide
  bool shares = false;  // its policy divides what is left among slots that nothing waits for, late or not
  double start = 0;     // seconds of a fresh attempt that what is divided must make good for; 0: starts cost little
  std::vector<Racing> racing;
  std::vector<HeldWork> held;
  std::vector<WaitingWork> waiting;  // in the order in which they are launched
  double within = 1;  // of how far attempts' ln times are from the usual, the share that is not their nodes'
  Grain grain;
  std::vector<FreeSlots> free;
  std::vector<SlotsOfOthers> others;
  double withdrawn = 0;              // slots that nobody gets once they are free, the first ones
  std::vector<WorkOfOthers> ahead;   // gets slots before what waits here
  std::vector<WorkOfOthers> behind;  // afterwards, but before slots count as free

  std::uint32_t scenarios = 128;  // at most; a power of two

  // In each scenario: when all is done. Infinite where something never goes on. Ascending.
  std::vector<double> ends(const math::FittedTail& tail) const;
};

inline constexpr double kSoonestEnd = 0.01;  // seconds; nothing is expected to be done earlier than that

// Of the ends of scenarios, which are ascending: between the two nearest, where scenario i stands for quantile
// (i + 0.5) / n. Not between a finite end and an infinite one.
double quantile(const std::vector<double>& ends, double q);
// The share of them before the deadline. Each is smeared a little: a hundred scenarios would otherwise give steps of a
// hundredth that jump from one report to the next.
double share_before(const std::vector<double>& ends, double now, double deadline);

}  // namespace ontime::scheduler
