#include "scheduler/forecast/scenario.h"

#include <utility>

#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler {
namespace {

using math::kInfinity;

// The spread of ln of a launch, and of another job's attempt: assumed, not fitted. It hardly matters, as both are added
// to times that vary much more.
constexpr double kLaunchSpread = 0.3;
// A tail that was fitted to n attempts is not the true one: ln of its hazard is off by this over the root of n. A
// Pareto shape alone is off by 1 / sqrt(n); that t_min and the kind of tail are chosen by the same attempts adds to
// that. Without it forecasts from few attempts claim too much.
constexpr double kHazardError = 1.6;
constexpr double kOthersSpread = 0.3;
constexpr double kTurnsMost = 8;           // attempts in a row on a slot that are told apart
constexpr double kTurnsLeft = 4;           // of those, if there are more: the last ones
constexpr double kLooksOfDeadline = 0.05;  // of it, between a policy's looks

// Scenarios times things to draw for: this keeps a forecast below a few milliseconds. Large jobs need fewer scenarios,
// because with many tasks luck averages out within each of them.
constexpr double kDrawsMost = 60'000;
constexpr std::uint32_t kScenariosLeast = 32;

std::uint32_t scenarios_for(const Remainder& remainder) {
  const double parts = 1 + static_cast<double>(remainder.racing.size() + remainder.waiting.size() +
                                               remainder.others.size() + remainder.ahead.size());
  std::uint32_t scenarios = remainder.scenarios;
  while (scenarios > kScenariosLeast && scenarios * parts > kDrawsMost) scenarios /= 2;
  return scenarios;
}

// A draw that varies as the mean of so many does, by 1 / sqrt(n) about the middle. Slots of segments that are alike
// become free at one time in a scenario; drawn like a single segment, the whole cluster would be lucky or unlucky at
// once.
double mean_like(double quantile, double count) {
  return count > 1 ? 0.5 + (quantile - 0.5) / std::sqrt(count) : quantile;
}

}  // namespace

double RemainderScenario::launch(std::uint64_t name, bool warm) const {
  return (warm ? remainder_.warm : remainder_.launch) * std::exp(kLaunchSpread * score(salted(name, kLaunchSalt)));
}

// Dividing the hazard by hazard_ makes all times of this scenario longer or shorter together, as an error of the fit
// does: P(T > t) becomes P(T > t)^hazard_, which for a Pareto tail is another shape.
double RemainderScenario::ln_time(double quantile) const {
  return ln_times_.at_hazard(-std::log1p(-quantile) / hazard_);
}

// On a node of that slowness: what nodes explain of the tail is left out, and the node's own comes instead.
double RemainderScenario::ln_time_within(double bytes, double quantile, double slowness) const {
  const double spread = remainder_.within * remainder_.grain.of(bytes);
  return slowness + ln_usual_ + spread * (ln_time(quantile) - ln_usual_);
}

double RemainderScenario::fresh(double bytes, double quantile, double slowness) const {
  return bytes * std::exp(ln_time_within(bytes, quantile, slowness));
}

double RemainderScenario::racing(const Racing& racer, double quantile) const {
  if (racer.kind == Racing::Kind::Paced)
    return racer.origin + std::exp(racer.ln_scale + racer.spread * normal_scores()(quantile));
  // Given that it was not done by now: P(T > t | T > t0) = q is P(T > t) = q P(T > t0).
  const double conditional = 1 - std::exp(racer.ln_condition) * (1 - quantile);
  return std::max(
      remainder_.now,
      racer.origin + std::exp(racer.ln_scale + ln_time_within(std::exp(racer.ln_scale), conditional, racer.slowness)));
}

// Slots are counted and not listed: those that become free at one time stay together until somebody takes a part.
RemainderScenario::Slots RemainderScenario::take(double count) {
  std::pop_heap(slots_.begin(), slots_.end());
  Slots& first = slots_.back();
  const Slots taken{first.at, std::min(first.count, count), first.slowness, first.until, first.warm};
  if (first.count > count) {
    first.count -= count;
    std::push_heap(slots_.begin(), slots_.end());
  } else {
    slots_.pop_back();
  }
  return taken;
}

// Slots that never become free are left out, so that an empty heap means that everybody stands still. So is a count of
// 0, as of work whose slots are counted elsewhere: else they would be given to segments, of which 0 / 0 attempts ran.
// Whose worker has left by then are gone, too.
void RemainderScenario::give_back(double at, double count, double slowness, double until, bool warm) {
  if (!(at < kInfinity) || !(at < until) || !(count > 0)) return;
  slots_.push_back({at, count, slowness, until, warm});
  std::push_heap(slots_.begin(), slots_.end());
}

double RemainderScenario::live_through(std::uint32_t number) {
  number_ = number;
  hazard_ = remainder_.samples > 0 ? std::exp(kHazardError / std::sqrt(remainder_.samples) * score(kTailSalt)) : 1;
  const Rescue& rescue = remainder_.rescue;
  // A policy that looks every so often sees a segment half an interval late on average.
  look_ = rescue.trigger == Rescue::Trigger::Late ? kLooksOfDeadline * remainder_.deadline / 2 : remainder_.look;
  // One object lives through all scenarios, which spares each of them its allocations.
  last_ = next_copy_ = remainder_.now;
  ln_usual_ = ln_time(0.5);
  slots_.clear();
  rests_.clear();
  late_.clear();
  ending_.clear();
  for (const FreeSlots& free : remainder_.free)
    give_back(remainder_.now, free.count, free.slowness, free.until, free.warm);
  finish_held();
  for (std::size_t i = 0; i < remainder_.others.size(); ++i) {
    const SlotsOfOthers& other = remainder_.others[i];
    const double left = std::max(0.0, other.at - remainder_.now);
    give_back(remainder_.now + left * std::exp(kOthersSpread * score(salted(i, kOthersSalt))), other.count, 0,
              other.until, false);
  }
  for (double left = remainder_.withdrawn; left > 0 && !slots_.empty();) left -= take(left).count;
  // In the order in which the ResourceManager serves: what comes before in the queue, this job's own, and what comes
  // after, before slots count as free for copies. A policy that divides does not wait for the others: what is late
  // overtakes them.
  serve(remainder_.ahead, kOthersSalt + 1);
  serve_waiting();
  if (!late_.empty() && !overtakes()) serve(remainder_.behind, kOthersSalt + 2);
  rescue_before(kInfinity);
  if (remainder_.shares) share_rest();
  return last_;
}

void RemainderScenario::finish_held() {
  for (const HeldWork& work : remainder_.held) {
    Running running;
    running.begins = remainder_.now;
    running.started = work.started;
    running.ends = running.seems = kInfinity;
    running.ready = work.ready;
    running.count = work.count;
    running.slots = work.slots;
    running.slowness = work.slowness;
    running.until = work.until;
    running.bytes = work.bytes_left;
    running.whole = work.bytes;
    running.taken = work.taken;
    running.name = work.name;
    // The segment ends with the first of its attempts. For work that stands for many, `ends` is the end of the last of
    // them, which decides when the job is done, and `frees` is when a typical one leaves its slot.
    double slots = kInfinity;
    for (std::uint32_t i = 0; i < work.racers; ++i) {
      const Racing& racer = remainder_.racing[work.first + i];
      const double quantile = luck_.draw(salted(work.name, kSlotSalt + 8 * i), number_);
      const double end = racing(racer, mean_like(quantile, work.count));
      slots = std::min(slots, end);
      running.ends = std::min(running.ends, work.count > 1 ? racing(racer, greatest(quantile, work.count)) : end);
      // A young attempt shows no pace, so its own end stands in. Of the others a policy sees the median that their pace
      // leads to.
      if (racer.kind == Racing::Kind::Young) {
        running.begins = racer.origin;
        running.bytes = work.bytes;
        running.seems = std::min(running.seems, running.ends);
      } else {
        running.seems = std::min(running.seems, racer.origin + std::exp(racer.ln_scale));
      }
    }
    running.frees = slots;
    if (work.racers == 0) begin_again(work, running);
    if (!is_cut(running)) watch(running);
  }
}

// An attempt that stands still is ended for it (timers.h), and its slot goes on with the whole segment: what it had
// mapped and not sealed is lost.
void RemainderScenario::begin_again(const HeldWork& work, Running& running) const {
  running.stands = true;  // a policy sees that at once, whether or not anybody ends the attempt
  if (!(work.ended_at < kInfinity)) return;
  running.begins = std::max(remainder_.now, work.ended_at) + launch(work.name, false);
  running.bytes = work.bytes;
  running.frees = running.ends = running.begins + fresh(work.bytes, luck_.draw(salted(work.name, kSlotSalt), number_));
}

// Either it ends as it is, or its policy will see that it is late or slow.
void RemainderScenario::watch(Running work) {
  replace(work);
  if (!is_worth_rescue(work)) {
    work.owed = work.slots;
    return settle(work);
  }
  if (remainder_.rescue.trigger != Rescue::Trigger::Always) {
    work.ready = std::max(work.ready + remainder_.look, remainder_.now) + look_;
  }
  // Its slots become free when it ends, which a rescue may change. Where rescues come before what waits that is still
  // open now, so they are given back then; otherwise what waits is served first and needs to know.
  if (overtakes())
    work.owed = work.slots;
  else
    give_back(work.frees, work.slots, work.slowness, work.until, work.leaves_process());
  add_late(work);
}

// No rescue changes its end any more: the job is not done before it, and its slots are free then.
void RemainderScenario::settle(const Running& work) {
  if (remainder_.shares)
    ending_.push_back(work);
  else
    last_ = std::max(last_, work.ends);
  if (work.owed > 0) give_back(work.frees, work.owed, work.slowness, work.until, work.leaves_process());
}

void RemainderScenario::add_late(const Running& work) {
  late_.push_back(work);
  std::push_heap(late_.begin(), late_.end());
}

double RemainderScenario::slots_in_all() const {
  double count = 0;
  for (const Slots& slots : slots_) count += slots.count;
  return count;
}

// The mean time of an attempt, by the midpoints of equal shares. That leaves out the far end: a tail with an infinite
// mean would make it infinite, though no scenario has that many attempts.
double RemainderScenario::mean_time(double bytes) const {
  constexpr int kParts = 64;
  double sum = 0;
  for (int i = 0; i < kParts; ++i) sum += fresh(bytes, (i + 0.5) / kParts);
  return sum / kParts;
}

// Other jobs' work takes slots in the order of the queue. Only when their slots are free again matters here, so their
// attempts have no tail of their own: a lognormal of the usual length will do.
void RemainderScenario::serve(const std::vector<WorkOfOthers>& others, std::uint64_t name) {
  std::uint64_t turn = salted(0, name);
  const double slots = slots_in_all();
  for (const WorkOfOthers& work : others) {
    double left = work.count;
    if (slots > 0 && left > kTurnsMost * slots) {
      flow(left - kTurnsLeft * slots, remainder_.launch + work.duration, false);
      left = kTurnsLeft * slots;
    }
    while (left > 0 && !slots_.empty()) {
      const Slots taken = take(left);
      const double spread = kOthersSpread / std::sqrt(taken.count);
      const double duration = work.duration * std::exp(spread * score(++turn));
      give_back(taken.at + remainder_.launch + duration, taken.count, taken.slowness, taken.until, false);
      left -= taken.count;
    }
  }
}

// What is launched then. A policy can tell nothing of it before it has begun.
RemainderScenario::Running RemainderScenario::fresh_work(const WaitingWork& work, std::uint64_t name, double begins,
                                                         double ends, double count) const {
  Running running;
  running.begins = running.started = running.ready = begins;
  running.taken = remainder_.at_once;
  if (running.taken) running.ready += remainder_.slow;
  running.ends = running.seems = running.frees = ends;
  running.count = running.slots = count;
  running.bytes = running.whole = work.bytes;
  running.name = name;
  return running;
}

// The first of very many that wait; returns how many segments of the list that takes.
std::size_t RemainderScenario::serve_bulk() {
  const double slots = slots_in_all();
  double waiting = 0;
  for (const WaitingWork& work : remainder_.waiting) waiting += work.count;
  if (!(slots > 0) || waiting <= kTurnsMost * slots) return 0;
  std::size_t served = 0;
  WaitingWork bulk;
  for (const WaitingWork& work : remainder_.waiting) {
    if (waiting - bulk.count - work.count < kTurnsLeft * slots) break;
    bulk.bytes += work.bytes * work.count;
    bulk.count += work.count;
    ++served;
  }
  if (served == 0) return 0;
  bulk.bytes /= bulk.count;
  const double each = remainder_.warm + mean_time(bulk.bytes);
  const double from = slots_.front().at;
  const double to = flow(bulk.count, each, true);
  // The bulk begins evenly between the first free slot and the level. In parts, because the last end of all of them
  // depends on when the unlucky one began.
  for (int i = 0; i < kFlowParts; ++i) {
    const double count = bulk.count / kFlowParts;
    const std::uint64_t name = salted(static_cast<std::uint64_t>(i), kMostSalt);
    const double begins = from + (to - from) * (i + 0.5) / kFlowParts;
    const double last = begins + fresh(bulk.bytes, greatest(luck_.draw(name, number_), count));
    Running work = fresh_work(bulk, name, begins, last, count);
    work.slots = 0;  // they are in what flows
    watch(work);
  }
  return served;
}

// Each on the slot that becomes free first, as the ResourceManager serves. Where rescues overtake the queue, those that
// are known to be needed by then go first.
void RemainderScenario::serve_waiting() {
  for (std::size_t next = serve_bulk(); next < remainder_.waiting.size(); ++next)
    serve_waiting(remainder_.waiting[next]);
  // NOLINTNEXTLINE(modernize-loop-convert): serving may add rests
  for (std::size_t next = 0; next < rests_.size(); ++next) serve_waiting(WaitingWork{rests_[next]});
}

void RemainderScenario::serve_waiting(const WaitingWork& work) {
  double left = work.count;
  std::uint64_t name = work.name;
  while (left > 0) {
    if (overtakes()) rescue_before(next_slot());
    if (slots_.empty()) {  // everybody stands still, or has left
      watch(fresh_work(work, name, kInfinity, kInfinity, left));
      break;
    }
    const Slots taken = take(left);
    const std::uint64_t own = std::exchange(name, salted(name, kMostSalt));
    const double quantile = luck_.draw(salted(own, kSlotSalt), number_);
    const double begins = std::max(taken.at, work.from) + launch(own, taken.warm);
    if (begins >= taken.until) continue;
    left -= taken.count;
    const double slot = begins + fresh(work.bytes, mean_like(quantile, taken.count), taken.slowness);
    const double last =
        taken.count > 1 ? begins + fresh(work.bytes, greatest(quantile, taken.count), taken.slowness) : slot;
    Running running = fresh_work(work, own, begins, last, taken.count);
    running.frees = slot;
    running.slowness = taken.slowness;
    running.until = taken.until;
    if (!is_cut(running)) watch(running);
  }
}

// All scenarios -------------------------------------------------------------------------------------------------------

const Quantiles& normal_scores() {
  static const Quantiles scores(math::normal_quantile);
  return scores;
}

std::vector<double> Remainder::ends(const math::FittedTail& tail) const {
  const Luck luck(scenarios_for(*this));
  // Tabulated once for all scenarios: a quantile of a fitted tail costs a search.
  const Quantiles ln_times([&](double q) { return std::log(tail.quantile(q)); });
  const SavedByReplacing saved(tail);
  RemainderScenario scenario(*this, luck, ln_times, saved);
  std::vector<double> ends;
  ends.reserve(luck.scenarios());
  for (std::uint32_t number = 0; number < luck.scenarios(); ++number) ends.push_back(scenario.live_through(number));
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace ontime::scheduler
