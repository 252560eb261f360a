#pragma once
// What a forecast goes by: how well speeds hold, what the job's policy does, how long attempts take, what other jobs
// have to do with the job's turn. Each is estimated from what attempts have shown so far.

#include <limits>
#include <optional>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/job.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/forecast/remainder.h"
#include "scheduler/math/durations.h"
#include "scheduler/policies/node_effects.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// What is expected before anything was seen: standard deviation of ln(time to go / expected), counting as one attempt.
inline constexpr double kSpreadUsual = 0.12;

// How well the speeds of a job's attempts hold.
struct Steadiness {
  double spread = kSpreadUsual;  // of ln(speed from now on / expected) where they do
  double keep = 1;               // how much of what sets an attempt apart stays with it: 1 all, 0 nothing
  double variance = 0;           // of ln of a speed that is drawn anew
  double holds = std::numeric_limits<double>::infinity();  // seconds until it is, in the mean
  double gap = 0;                                          // seconds from one taking of bytes to the next, in the mean
  // Seconds by which attempts end later than their pace has shown: what they have mapped must be sealed and reported.
  double lag = 0;
};

// How steady the speeds of the job's attempts are, also of those that have ended. `fixed`: seconds that a segment takes
// besides its bytes, which are no speed.
Steadiness steadiness_of(const Job& job, double fixed);

// Seconds that a segment takes besides its bytes in a process that has run an attempt of the job before: it may have
// nothing left to load. `cold`: in a new one, which counts until an attempt has begun in an old one.
double fixed_where_warm(const View& view, const JobView& job, double cold);

// ln(recent speed / mean speed); nothing of an attempt that has not mapped for long enough.
std::optional<double> change_of_speed(const Attempt& attempt, double fixed);

inline constexpr double kNodesPerFactorE = 8;  // nodes whose speeds differ by less count as alike

// When the node's worker will leave on its own, in whole seconds after the job's submission; infinite: never.
double leaves_at(const Cluster& cluster, const Job& job, NodeId node);

// What nobody uses, by how fast its nodes are and when their workers leave.
std::vector<FreeSlots> free_slots_of(const View& view, const JobView& job, const NodeEffects& nodes);

// What the job's policy will do about what is late or slow, `now` seconds after submission: nothing for lateness once
// the deadline has passed.
Rescue rescue_of(const JobView& job, double now);

// What the user said about durations, in the names that all policies share.
math::DurationHints hints_of(const JobSpec& spec);
// By which a job under split-resume is divided; of another policy those by default.
RescueRules rescue_rules_of(const JobSpec& spec);

// Durations from earlier jobs and from all attempts of this job. Those that have ended are the fast ones, those that
// run the slow ones: to leave out either would bend the tail.
math::Durations durations_shown(const View& view, const JobView& job, const math::DurationHints& hints);

// When attempts of other jobs leave their slots, and what of theirs gets slots before or after the job.
// `usual`: how long an attempt takes, in seconds, of a job of which nothing is known.
void add_rivals(const Scheduler& scheduler, JobId job, TimePoint now, double usual, Remainder& to);

}  // namespace ontime::scheduler
