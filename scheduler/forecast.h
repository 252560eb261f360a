#pragma once
// When a running job will be done, and how likely it makes its deadline (its live PoCD), as things stand and with what
// its policy is known to do about pieces that will be late.
//
// Every open segment gets a distribution of its completion:
//   running, pace known   what is left takes a lognormal time: its median is bytes left / pace; its spread (standard
//                         deviation of the logarithm) falls from what the job's speeds show to kSpreadLeast, linearly
//                         in the share of its bytes that it has mapped. What the speeds show: the root of the mean of
//                         ln(speed of late / mean speed)^2 over running attempts, kSpreadUsual counting as one more
//   running, too young    the tail of execution times, given that the attempt has run so long already
//   standing still        never
//   waiting               its turn in the queue, the mean launch time, the tail. Slots become free evenly: one every
//                         (mean duration / slots of the job)
// The tail is the one that fits what was seen of the application best (estimate/tail_choice.h), whatever its policy
// goes by. Attempts of a race are independent, and so are segments: P(segment not done) is the product over its
// attempts, P(job done) the product over its segments, in logarithms.
//
// Policies that save late pieces (Rescue): at the deadline a segment is open only if its rescue failed as well. That
// begins a launch from now (of what waits: two launches behind its own) with what is left now; as many fresh attempts
// as the policy grants and the slots allow, which are the free ones and those of the job's attempts that are in time,
// shared among the segments expected to be late. Before the deadline nothing is saved.
//
// O(open tasks): segments that look alike are counted and not listed, so asking costs milliseconds for 100,000 tasks.

#include <cstdint>
#include <limits>
#include <optional>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/estimate/durations.h"
#include "scheduler/policy/view.h"
#include "scheduler/scheduler.h"

namespace ontime::scheduler {

inline constexpr double kSpreadUsual = 0.4;
inline constexpr double kSpreadLeast = 0.01;

// Instants in seconds after the job's submission.
struct Forecast {
  // Probability of completion before the deadline. NaN: there is none, or nothing can be said.
  double pocd = std::numeric_limits<double>::quiet_NaN();
  // When it will be done: it is earlier than low and later than high with probability 0.1 each. NaN: nothing can be
  // said. Infinite: somebody stands still.
  double low = std::numeric_limits<double>::quiet_NaN();
  double median = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::uint32_t waiting = 0;   // open segments that nobody works on
  std::uint32_t standing = 0;  // whose attempts all stand still
  std::uint32_t unknown = 0;   // about which nothing can be said
  estimate::Durations durations;
};

Forecast forecast(const View& view, const JobView& job, const estimate::Durations& durations);

// Of any job of the scheduler; nothing once it has ended.
std::optional<Forecast> forecast(const Scheduler& scheduler, JobId job, TimePoint now);

}  // namespace ontime::scheduler
