// Without a deadline split-resume divides what is left, healthy or not, among slots that nothing waits for: by its rule
// and its test of worth (policies/split_resume/target.cpp, core/worth.cpp), with the times of a scenario.

#include "scheduler/core/worth.h"
#include "scheduler/forecast/scenario.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {
namespace {

constexpr int kLooksMost = 16;       // in which slots become free
constexpr double kLookLeast = 0.02;  // of a segment's time, from one look to the next

// What the work has left then, of what is mapped evenly from its begin to its end.
double left_of(double begins, double ends, double bytes, double at) {
  const double whole = std::max(1e-9, ends - begins);
  return bytes * std::clamp((ends - at) / whole, 0.0, 1.0);
}

}  // namespace

void RemainderScenario::share_rest() {
  double last = remainder_.now;
  double longest = 0;
  for (const Running& work : ending_) {
    last = std::max(last, work.ends);
    longest = std::max(longest, usual(work.whole));
  }
  double free = 0;
  double at = remainder_.now;
  for (int look = 0; look < kLooksMost && !slots_.empty() && last < math::kInfinity; ++look) {
    at = std::max(at, next_slot());
    if (at >= last) break;
    while (next_slot() <= at) {
      const Slots taken = take(math::kInfinity);
      if (at < taken.until) free += taken.count;
    }
    share_at(at, free);
    at += std::max(kLookLeast * longest, (last - at) / (kLooksMost - look));
  }
  for (const Running& work : ending_) last_ = std::max(last_, work.ends);
}

// What ends latest first. Of work that stands for many only the last is divided: it has the job wait.
void RemainderScenario::share_at(double at, double& free) {
  double live = 0;
  double bytes = 0;
  for (const Running& work : ending_) {
    if (work.ends <= at) continue;
    const double count = work.frees > at ? work.count : 1;
    live += count;
    bytes += count * left_of(work.begins, work.ends, work.bytes, at);
  }
  const double time =
      Target::kLaunches * remainder_.launch + Target::kSlack * usual(bytes) / std::max(1.0, live + free);
  std::vector<Running*> late;
  double late_time = 0;
  for (Running& work : ending_) {
    if (work.taken || !(work.ends > at + time)) continue;
    late.push_back(&work);
    late_time += work.ends - at;
  }
  std::ranges::sort(late, [](const Running* a, const Running* b) { return a->ends > b->ends; });
  for (Running* work : late) {
    const double slots = std::floor(std::max(1.0, free * (work->ends - at) / late_time));
    if (slots > free) return;
    late_time -= work->ends - at;
    const auto divided = shared(*work, at, slots, time - remainder_.launch);
    if (!divided) continue;
    free -= divided->slots;
    give_back(divided->ends, divided->slots, 0, math::kInfinity, true);
    *work = *divided;
  }
}

// With fresh attempts in so many slots at most, which begin at once; nothing if it does not pay.
std::optional<RemainderScenario::Running> RemainderScenario::shared(const Running& work, double at, double slots,
                                                                    double window) const {
  const double left = left_of(work.begins, work.ends, work.bytes, at);
  const double begin = remainder_.launch;
  const double own = work.ends - at;  // seconds that it needs for that
  const double usual_time = usual(left);
  if (!(usual_time > 0)) return std::nullopt;
  math::Durations durations;
  durations.launch = begin;
  const double pieces = std::min(
      {slots, RescueRules{}.max * 1.0, std::floor(usual_time / RescueRules{}.shortest_piece(window, durations))});
  if (pieces < 1) return std::nullopt;
  const bool keeps = own < kTooSlow * usual_time;
  // All end together: it maps left / own bytes a second, each fresh one left / usual_time after it has begun.
  const double stuck = remainder_.grain.sticks(left) * std::max(0.0, own - usual_time);
  const double takes = stuck + (keeps ? (1 + pieces * begin / usual_time) / (1 / own + pieces / usual_time)
                                      : begin + usual_time / pieces);
  const double gain = own - takes;
  const double least = remainder_.start > 0 ? least_gain(own, begin, keeps ? pieces * remainder_.start : 0) : 0;
  if (!(gain > least) || takes <= begin) return std::nullopt;
  Running rest = work;
  rest.slots = pieces;
  rest.count = 1;
  rest.begins = at + begin;
  rest.bytes = left * (takes - stuck - begin) / usual_time;
  rest.name = salted(work.name, kRescueSalt);
  const double quantile = luck_.draw(salted(rest.name, kRescueSalt + 1), number_);
  rest.ends = rest.begins + stuck + fresh(rest.bytes, greatest(quantile, pieces));
  if (keeps) rest.ends = std::max(rest.ends, at + takes);
  rest.frees = rest.ends;
  return rest;
}

}  // namespace ontime::scheduler
