#include "scheduler/forecast/remaining_job.h"

#include <algorithm>
#include <vector>

#include "scheduler/math/numeric.h"

namespace ontime::scheduler {
namespace {

using math::kInfinity;

// Ends come a little later than they should, as the campaign of docs/research/calibration.md shows: by so much of what
// lies between the 0.1 quantile and the median.
constexpr double kLeaning = 0.06;

// Who asks about other numbers of slots asks ten times.
constexpr std::uint32_t kScenariosOfSearch = 32;

}  // namespace

bool RemainingJob::has_a_slot() const {
  return slots > 0 || !remainder.held.empty() || !remainder.free.empty() || !remainder.others.empty();
}

// What can be said without scenarios is said first: a deadline that has passed is missed, whatever is not known. Then
// nothing is said where a part is unknown, because the last end is what counts and it may be that part's.
Forecast RemainingJob::forecast() const {
  Forecast made = counted;
  const double now = remainder.now;
  if (is_mapped()) {
    made.low = made.median = made.high = now;
    if (has_deadline()) made.pocd = now < remainder.deadline ? 1 : 0;
    return made;
  }
  const bool has_passed = has_deadline() && now >= remainder.deadline;
  if (has_passed || (has_deadline() && soonest >= remainder.deadline)) made.pocd = 0;
  if (!remainder.waiting.empty() && !has_a_slot()) {
    made.unknown += made.waiting;
    return made;
  }
  const bool is_saved = remainder.rescue.kind != Rescue::Kind::None;
  if (stands_for_ever && !is_saved) {
    made.low = made.median = made.high = kInfinity;
    if (has_deadline()) made.pocd = 0;
    return made;
  }
  if (made.unknown > 0) return made;
  std::vector<double> ends = remainder.ends(tail);
  // Shifted by a share of the early half of the spread: a forecast that is certain needs no correction, and the late
  // half has outliers that would shift it too far.
  const double lead = quantile(ends, 0.5) - quantile(ends, 0.1);
  if (lead < kInfinity) {
    for (double& end : ends) end = std::max(now, end - kLeaning * lead);
  }
  made.low = quantile(ends, 0.1);
  made.median = quantile(ends, 0.5);
  made.high = quantile(ends, 0.9);
  if (has_deadline() && !has_passed) made.pocd = share_before(ends, now, remainder.deadline);
  return made;
}

void RemainingJob::add_slots(double count, double at) {
  if (!(count > 0)) return;
  if (at > remainder.now)
    remainder.others.push_back({at, count});
  else
    remainder.free.push_back({count, 0});
}

RemainingJob RemainingJob::with_slots(std::uint32_t count, const SlotsToCome& to_come) const {
  RemainingJob other = *this;
  other.slots = count;
  other.remainder.scenarios = kScenariosOfSearch;
  double left = count > slots ? count - slots : 0;
  for (const SlotsOfOthers& called : to_come.called) {
    const double comes = std::min(left, called.count);
    other.add_slots(comes, called.at);
    left -= comes;
  }
  other.add_slots(left, to_come.later);
  if (count < slots) other.remainder.withdrawn = static_cast<double>(slots - count);
  return other;
}

}  // namespace ontime::scheduler
