#include "scheduler/math/allocation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "common/base/check.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler::math {

bool may_grow(std::uint32_t copies, CopyLimit limit) { return !limit || copies < *limit; }

std::int64_t copies_available(double lambda, double machines, std::uint64_t tasks, std::uint64_t jobs) {
  const double usable = std::floor(lambda * machines + 1e-9);  // lambda is a decimal fraction, not a binary one
  return static_cast<std::int64_t>(usable) - static_cast<std::int64_t>(tasks) - static_cast<std::int64_t>(jobs);
}

double TaskOdds::ln_pocd(double copies) const { return ln_one_minus_exp(ln_kept + times(copies, ln_copy)); }

namespace {

std::uint64_t useful_capacity(std::span<const Ladder> ladders, std::uint64_t capacity) {
  std::uint64_t wanted = 0;
  for (const Ladder& ladder : ladders) wanted += ladder.step_cost * (ladder.value.size() - 1);
  return std::min(wanted, capacity);
}

double total_value(std::span<const Ladder> ladders, const std::vector<std::uint32_t>& steps) {
  double sum = 0;
  for (std::size_t i = 0; i < ladders.size(); ++i) sum += ladders[i].value[steps[i]];
  return sum;
}

// A stretch of a ladder's upper hull: between its ends no step is worth more per slot than the stretch as a whole.
struct Stretch {
  double rate;  // value per slot
  std::uint32_t ladder;
  std::uint32_t from;
  std::uint32_t to;
};

void append_hull(const Ladder& ladder, std::uint32_t index, std::vector<Stretch>& stretches) {
  std::vector<std::uint32_t> corner{0};
  const auto rate = [&](std::uint32_t from, std::uint32_t to) {
    return (ladder.value[to] - ladder.value[from]) / static_cast<double>((to - from) * ladder.step_cost);
  };
  for (std::uint32_t step = 1; step < ladder.value.size(); ++step) {
    while (corner.size() > 1 && rate(corner[corner.size() - 2], corner.back()) <= rate(corner.back(), step)) {
      corner.pop_back();
    }
    corner.push_back(step);
  }
  for (std::size_t i = 0; i + 1 < corner.size(); ++i) {
    const double gain = rate(corner[i], corner[i + 1]);
    if (gain > 0) stretches.push_back({gain, index, corner[i], corner[i + 1]});
  }
}

// As many steps of the stretch as fit, as long as they lead upwards.
std::uint32_t highest_that_fits(const Ladder& ladder, const Stretch& stretch, std::uint64_t left) {
  const auto reach = std::min<std::uint64_t>(stretch.to, stretch.from + left / ladder.step_cost);
  std::uint32_t best = stretch.from;
  for (std::uint32_t step = stretch.from + 1; step <= reach; ++step) {
    if (ladder.value[step] > ladder.value[best]) best = step;
  }
  return best;
}

}  // namespace

Climb climb_exactly(std::span<const Ladder> ladders, std::uint64_t capacity) {
  const auto slots = static_cast<std::size_t>(useful_capacity(ladders, capacity));
  std::vector<double> best(slots + 1, 0);  // of the ladders so far, within so many slots
  std::vector<std::vector<std::uint32_t>> choice(ladders.size(), std::vector<std::uint32_t>(slots + 1));
  std::vector<double> next(slots + 1);
  for (std::size_t i = 0; i < ladders.size(); ++i) {
    const Ladder& ladder = ladders[i];
    for (std::size_t within = 0; within <= slots; ++within) {
      next[within] = -kInfinity;
      for (std::uint32_t step = 0; step < ladder.value.size() && step * ladder.step_cost <= within; ++step) {
        const double value = best[within - step * ladder.step_cost] + ladder.value[step];
        if (value > next[within]) {
          next[within] = value;
          choice[i][within] = step;
        }
      }
    }
    std::swap(best, next);
  }
  Climb climb{std::vector<std::uint32_t>(ladders.size()), 0, 0, true};
  std::size_t left = slots;
  for (std::size_t i = ladders.size(); i-- > 0;) {
    climb.steps[i] = choice[i][left];
    left -= climb.steps[i] * ladders[i].step_cost;
  }
  climb.value = climb.bound = total_value(ladders, climb.steps);
  return climb;
}

Climb climb_by_hull(std::span<const Ladder> ladders, std::uint64_t capacity) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < ladders.size(); ++i) append_hull(ladders[i], static_cast<std::uint32_t>(i), stretches);
  std::stable_sort(stretches.begin(), stretches.end(), [](auto& a, auto& b) { return a.rate > b.rate; });
  Climb climb{std::vector<std::uint32_t>(ladders.size()), 0, 0, true};
  std::uint64_t left = capacity;
  for (const Stretch& stretch : stretches) {
    std::uint32_t& steps = climb.steps[stretch.ladder];
    if (steps != stretch.from) continue;  // the ladder's stretch before this one did not fit
    const Ladder& ladder = ladders[stretch.ladder];
    if (climb.exact && (stretch.to - stretch.from) * ladder.step_cost > left) {
      // Were steps divisible, this stretch would take all that is left and the choice would be the best.
      climb.exact = left == 0;
      climb.bound = total_value(ladders, climb.steps) + stretch.rate * static_cast<double>(left);
      if (climb.exact) break;
    }
    const std::uint32_t reached = highest_that_fits(ladder, stretch, left);
    left -= (reached - stretch.from) * ladder.step_cost;
    steps = reached;
  }
  climb.value = total_value(ladders, climb.steps);
  climb.bound = climb.exact ? climb.value : std::max(climb.bound, climb.value);
  return climb;
}

Climb best_climb(std::span<const Ladder> ladders, std::uint64_t capacity) {
  std::uint64_t rungs = 0;
  for (const Ladder& ladder : ladders) {
    ONTIME_CHECK(!ladder.value.empty() && ladder.step_cost > 0, "a ladder has a step 0, and steps cost something");
    rungs += ladder.value.size();
  }
  const std::uint64_t slots = useful_capacity(ladders, capacity);
  const bool small = slots < kExactCells && rungs <= kExactCells / (slots + 1);
  return small ? climb_exactly(ladders, slots) : climb_by_hull(ladders, slots);
}

}  // namespace ontime::scheduler::math
