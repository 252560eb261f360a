// Rescues of work that is late or slow in a scenario: what the job's policy would do about it, and with which slots.

#include <algorithm>
#include <cmath>

#include "scheduler/forecast/scenario.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {
namespace {

using math::kInfinity;

constexpr int kRescuesMost = 4;  // of a segment, one after another: bounds what a scenario costs
constexpr int kReplacedMost = 3;

}  // namespace

SavedByReplacing::SavedByReplacing(const math::FittedTail& tail) : median_(tail.median()) {
  for (std::size_t i = 0; i <= kCells; ++i) {
    const double pace = median_ * std::exp(static_cast<double>(i) / kPerFactorE);
    shares_.push_back(1 - tail.mean_capped(pace) / pace);
  }
}

double SavedByReplacing::at(double pace) const {
  if (!(pace > median_)) return 0;
  const double place = std::log(pace / median_) * kPerFactorE;
  return shares_[static_cast<std::size_t>(std::min<double>(kCells, place))];
}

// With a deadline split-resume also begins anew in the slot of an attempt that is slow, late or not, where that saves
// slot time (policies/split_resume/replacement.cpp).
void RemainderScenario::replace(Running& work) const {
  const Rescue& rescue = remainder_.rescue;
  if (rescue.kind != Rescue::Kind::Divide || rescue.trigger != Rescue::Trigger::Late) return;
  if (!remainder_.rules.replace || work.taken || work.stands || work.slots > work.count) return;
  const RescueRules& rules = remainder_.rules;
  const double node = std::exp(std::max(0.0, work.slowness));
  // What would be in time is left alone once nothing waits, as may be so behind what is launched later.
  const bool is_last = remainder_.waiting.empty() || !(work.started < remainder_.now);
  double cost = remainder_.launch + rules.check * std::min(usual(work.whole), remainder_.deadline);
  for (int times = 0; times < kReplacedMost; ++times, cost *= 2) {
    const double at = std::max({work.ready, work.begins + cost - remainder_.launch, remainder_.now}) + remainder_.look;
    const double own = work.ends - at;
    if (!(own > 0) || !(work.ends < kInfinity)) return;
    const double left = work.bytes * own / std::max(1e-9, work.ends - work.begins);
    const double share = saved_.at(own / left / node);
    if (share < kShareSavedLeast || share * own < cost) return;
    const double window = remainder_.deadline * (1 - rules.safety) - at - remainder_.launch;
    if (is_last && work.ends < remainder_.deadline && window < kSafeMedians * usual(left)) return;
    work.name = salted(work.name, kReplaceSalt);
    const double quantile = luck_.draw(work.name, number_);
    work.begins = work.ready = at + launch(work.name, true);
    work.bytes = left;
    work.ends = work.begins + fresh(left, greatest(quantile, work.count), work.slowness);
    work.seems = work.ends;
    work.frees = work.count > 1 ? std::min(work.frees, work.ends) : work.ends;
  }
}

// What the policy would see, by its own trigger. A clone is there from the start, so Always asks only whether the work
// has its copies already.
bool RemainderScenario::is_worth_rescue(const Running& work) const {
  const Rescue& rescue = remainder_.rescue;
  if (rescue.kind == Rescue::Kind::None) return false;
  if (rescue.trigger == Rescue::Trigger::Always) return work.slots <= work.count;
  if (work.stands) return true;
  // A policy that looks only once goes by what it sees now. What becomes late afterwards stays late.
  if (rescue.trigger == Rescue::Trigger::Late) return (rescue.again ? work.ends : work.seems) > remainder_.deadline;
  // Slow: longer to go than a fresh attempt would take, by the median, since no policy knows how its copy will fare.
  const double from = std::max(work.ready, remainder_.now);
  return work.ends - from > remainder_.launch + rescue.factor * fresh(work.whole, 0.5);
}

// The segments that can be cut first are rescued first: policies look in the order of time, so a rescue never gets a
// slot that an earlier one would have taken.
void RemainderScenario::rescue_before(double at) {
  while (!late_.empty() && late_.front().ready <= at) {
    std::pop_heap(late_.begin(), late_.end());
    const Running work = late_.back();
    late_.pop_back();
    rescue(work);
  }
}

// Rescues a segment that is visibly late or slow, with slots that are free by then. The attempts that take it over may
// be late as well.
void RemainderScenario::rescue(const Running& work) {
  const Rescue& rescue = remainder_.rescue;
  double at = std::max({work.ready, remainder_.now, next_copy_});
  if (rescue.age > 0) at = std::max(at, work.started + rescue.age);
  if (at >= work.ends) return settle(work);  // it is done before anybody can help
  // At least one attempt for each that the work stands for, waiting for slots if need be. More only if slots are free
  // by then: a policy asks for as many copies as there are spare slots.
  double attempts = 0;
  taken_.clear();
  const double wanted = (work.taken ? 1 : rescue.attempts) * work.count;
  while (!slots_.empty() && attempts < wanted && (attempts < work.count || slots_.front().at <= at)) {
    taken_.push_back(take(wanted - attempts));
    at = std::max(at, taken_.back().at);
    attempts += taken_.back().count;
  }
  const bool is_warm = std::ranges::all_of(taken_, &Slots::warm);
  Running rest = taken_over(work, at, attempts / work.count, is_warm);
  // Copies that would be later than what runs already are not asked for; the slots stay free. Of what shows no pace
  // nobody can tell: it is raced, and may be raced again.
  if (work.taken) rest.ends = std::min(rest.ends, work.ends);
  const bool is_better = attempts >= work.count && (work.taken || rest.ends < work.ends);
  for (const Slots& slots : taken_)
    give_back(is_better ? rest.ends : slots.at, slots.count, slots.slowness, slots.until, is_better || slots.warm);
  // It may pay later, when more slots are free. Not if there are none at all, since that does not change any more.
  if (!is_better) return slots_.empty() ? settle(work) : try_again(work, std::max(at + look_, next_slot()));
  if (rescue.pause > 0) next_copy_ = at + rescue.pause;
  if (work.owed > 0) give_back(std::min(work.frees, rest.ends), work.owed, work.slowness, work.until, false);
  rest.owed = 0;  // the slots of the copies were given back above, at the end that counts
  try_again(rest, rest.ready + (work.taken ? remainder_.slow : look_));
}

// Not before then, if it is late or slow as it is now.
void RemainderScenario::try_again(Running work, double at) {
  ++work.rescues;
  if (!remainder_.rescue.again || work.rescues >= kRescuesMost || at >= work.ends || !is_worth_rescue(work))
    return settle(work);
  work.ready = at;
  add_late(work);
}

// The rest of a segment with so many fresh attempts that are launched then.
RemainderScenario::Running RemainderScenario::taken_over(const Running& work, double at, double attempts,
                                                         bool warm) const {
  const Rescue::Kind kind = work.taken ? Rescue::Kind::Restart : remainder_.rescue.kind;
  Running rest = work;
  rest.stands = false;
  rest.begins = rest.started = rest.ready = at + launch(work.name + kRescueSalt, warm);
  rest.name = salted(work.name, kRescueSalt);
  if (attempts < 1) return rest;
  // What is left when the fresh attempts begin: the attempt goes on at its own pace until then. Of work that stands
  // still nothing is mapped meanwhile.
  const double whole = std::max(1e-9, work.ends - work.begins);
  const double left = work.ends < kInfinity ? (work.ends - rest.begins) / whole : 1;
  rest.bytes = kind == Rescue::Kind::Restart ? work.whole : work.bytes * std::clamp(left, 0.0, 1.0);
  const double sticks = remainder_.grain.sticks(rest.bytes);
  const double excess = work.ends < kInfinity ? work.ends - rest.begins - usual(rest.bytes) : 0;
  const double quantile = luck_.draw(salted(work.name, kRescueSalt + 1), number_);
  if (kind != Rescue::Kind::Divide) {  // the fastest of them: 1 - (1 - q)^(1/n)
    rest.ends = rest.begins + fresh(rest.bytes, 1 - std::pow(1 - quantile, 1 / attempts));
  } else {  // an attempt that is not too slow keeps a part
    // One that has taken nothing yet is raced, or with a deadline gives away all.
    const bool has_begun = work.begins <= at;
    const bool keeps = has_begun && work.ends - work.begins < kTooSlow * fresh(work.bytes, 0.5);
    const double parts = keeps ? attempts + 1 : has_begun || !remainder_.shares ? attempts : 1;
    rest.bytes /= parts;
    rest.ends = rest.begins + fresh(rest.bytes, greatest(quantile, attempts));
    if (keeps) rest.ends = std::max(rest.ends, rest.begins + std::max(0.0, work.ends - rest.begins) / parts);
    if (!has_begun) rest.ends = std::min(rest.ends, work.ends);
  }
  rest.ends += sticks * std::max(0.0, excess);
  rest.whole = rest.bytes;  // a copy of the rest is compared with a fresh attempt at the rest
  return rest;
}

}  // namespace ontime::scheduler
