#pragma once
// When a running job will be done, and how likely it makes its deadline (its live PoCD), with what its policy is known
// to do about segments that are late or slow, and the slots that it will have for that.
//
// What is left of the job is lived through in up to 128 scenarios (forecast/remainder.h):
//   running, pace known   what is left takes a lognormal time around what its pace says, as narrowly as speeds have
//                         held in this job (forecast/evidence.h), and what sealing has taken others of the job:
//                         where speeds are drawn anew while attempts run, the recent one counts until this happens, and
//                         the usual one from then on
//   running, too young    the tail of execution times, given that the attempt has run so long already
//   standing still        until it is ended for that, and then anew; never, if it is not ended and the
//                         policy does not rescue it
//   waiting               in order, each with its own bytes, on the slot that becomes free first: those of this job's
//                         attempts by their own times, and those of other jobs after what comes before in the queue
//                         (forecast/evidence.h)
//   on a worker that      is cut when it leaves, and its rest waits; the slot is gone then, and whether another worker
//   will leave            comes is not foreseen
//   late or slow          what its policy does (Rescue in policies/policy.h), once it can be told and slots are free
//                         that no work of any job waits for; what is divided goes before what waits. With a deadline
//                         split-resume also begins slow attempts anew in their own slots
// The tail is the one that fits best (math/fitted_tail.h) what earlier jobs of the application, ended attempts of
// this one and those that run have shown, whatever its policy goes by; that it was fitted to few of them counts.
//
// docs/research/calibration.md says how good that is. Jobs that will be submitted later are not foreseen.
//
// O(open tasks): segments that look alike are counted and not listed, and there are fewer scenarios where there is
// much, so asking costs milliseconds for 100,000 tasks.

#include <cstdint>
#include <limits>
#include <optional>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/math/durations.h"

namespace ontime::scheduler {

// Instants in seconds after the job's submission.
struct Forecast {
  // Probability of completion before the deadline. NaN: there is none, or nothing can be said. Of an advised job that
  // its map tasks are done by then: of the reducers behind them nothing is known.
  double pocd = std::numeric_limits<double>::quiet_NaN();
  // When it will be done: it is earlier than low and later than high with probability 0.1 each. NaN: nothing can be
  // said. Infinite: somebody stands still and will not be ended for it.
  double low = std::numeric_limits<double>::quiet_NaN();
  double median = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::uint32_t waiting = 0;   // open segments that nobody works on
  std::uint32_t standing = 0;  // whose attempts all stand still
  std::uint32_t unknown = 0;   // about which nothing can be said
  math::Durations durations;
};

// Of any job of the scheduler; nothing once it has ended.
std::optional<Forecast> forecast(const Scheduler& scheduler, JobId job, TimePoint now);

}  // namespace ontime::scheduler
