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
};

struct HeldWork {
  std::uint64_t name = 0;  // of its draws
  double count = 1;
  std::uint32_t first = 0;   // of its attempts in Remainder::racing
  std::uint32_t racers = 0;  // 0: all of them stand still
  double slots = 1;          // that it holds
  double bytes = 0;          // of the whole segment
  double bytes_left = 0;
  double ready = 0;    // from when on a policy can tell how fast it is
  double started = 0;  // when the first of its attempts began to map
  // All of them stand still: when the last one is ended for it.
  double ended_at = std::numeric_limits<double>::infinity();
};

struct WaitingWork {
  std::uint64_t name = 0;
  double count = 1;
  double bytes = 0;
};

// Slots of other jobs' attempts.
struct SlotsOfOthers {
  double at = 0;  // when they become free, in the median
  double count = 0;
};

// Attempts of another job that wait.
struct WorkOfOthers {
  double duration = 0;  // of each, in the median
  double count = 0;
};

struct Remainder {
  double now = 0;
  double deadline = 0;  // 0: none
  double launch = 1;    // seconds, in the median
  double samples = 0;   // attempts that the tail rests on; 0: it is certain
  Rescue rescue;
  bool shares = false;  // its policy divides what is left among slots that nothing waits for, late or not
  double start = 0;     // seconds of a fresh attempt that what is divided must make good for; 0: starts cost little
  std::vector<Racing> racing;
  std::vector<HeldWork> held;
  std::vector<WaitingWork> waiting;  // in the order in which they are launched
  double free_slots = 0;
  std::vector<SlotsOfOthers> others;
  std::vector<WorkOfOthers> ahead;   // gets slots before what waits here
  std::vector<WorkOfOthers> behind;  // afterwards, but before slots count as free

  // In each scenario: when all is done. Infinite where something never goes on. Ascending.
  std::vector<double> ends(const math::FittedTail& tail) const;
};

}  // namespace ontime::scheduler
