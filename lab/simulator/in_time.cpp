#include "lab/simulator/in_time.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

namespace ontime::lab {
namespace {

constexpr double kTolerance = 1e-9;        // of an interval or a count
constexpr std::size_t kTogetherMax = 500;  // demands; more in a row are looked at in parts, as if they shared nothing

using Places = std::vector<std::size_t>;

// What is still free in each interval from where one of some demands begins to where one ends. All can be done exactly
// if in none of them more is wanted than there is (docs/research/bound.md).
class FreeTime {
 public:
  FreeTime(const std::vector<Demand>& demands, const Places& places) {
    for (const std::size_t place : places) {
      begins_.push_back(demands[place].from);
      ends_.push_back(demands[place].to);
    }
    std::ranges::sort(begins_);
    std::ranges::sort(ends_);
    free_.reserve(begins_.size() * ends_.size());
    for (const double begin : begins_) {
      for (const double end : ends_) free_.push_back(end > begin ? (end - begin) * (1 + kTolerance) : kNone);
    }
  }

  // Takes as much of it as there is, and says how much.
  double take(const Demand& demand) {
    const auto rows = static_cast<std::size_t>(std::ranges::upper_bound(begins_, demand.from) - begins_.begin());
    const auto first = static_cast<std::size_t>(std::ranges::lower_bound(ends_, demand.to) - ends_.begin());
    const std::size_t columns = ends_.size();
    double most = demand.work;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t at = row * columns + first; at < (row + 1) * columns; ++at) most = std::min(most, free_[at]);
    }
    if (most <= 0) return 0;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t at = row * columns + first; at < (row + 1) * columns; ++at) free_[at] -= most;
    }
    return most;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();  // no demand lies in such an interval

  std::vector<double> begins_;
  std::vector<double> ends_;
  std::vector<double> free_;  // by begin, then by end
};

// A server that always works while there is work is idle between two of these: no interval over that time is short of
// anything that its two sides are not.
std::vector<Places> busy_periods(const std::vector<Demand>& demands, Places places) {
  std::ranges::sort(places, {}, [&](std::size_t place) { return demands[place].from; });
  std::vector<Places> periods;
  double busy_until = -std::numeric_limits<double>::infinity();
  for (const std::size_t place : places) {
    const Demand& demand = demands[place];
    if (periods.empty() || demand.from >= busy_until || periods.back().size() >= kTogetherMax) periods.emplace_back();
    busy_until = std::max(busy_until, demand.from) + demand.work;
    periods.back().push_back(place);
  }
  return periods;
}

}  // namespace

std::vector<bool> most_in_time(const std::vector<Demand>& demands) {
  Places possible;
  for (std::size_t place = 0; place < demands.size(); ++place) {
    const Demand& demand = demands[place];
    if (demand.work <= (demand.to - demand.from) * (1 + kTolerance)) possible.push_back(place);
  }
  std::vector<double> shares(demands.size(), 0);
  std::vector<bool> are_in_time(demands.size(), false);
  for (Places& period : busy_periods(demands, std::move(possible))) {
    FreeTime free(demands, period);
    // What can be done of each set of them is a polymatroid's rank: the greedy choice by value for time is best.
    std::ranges::stable_sort(period, {}, [&](std::size_t place) { return demands[place].work; });
    double count = 0;
    for (const std::size_t place : period) {
      shares[place] = free.take(demands[place]) / demands[place].work;
      count += shares[place];
    }
    std::ranges::stable_sort(period, std::ranges::greater(), [&](std::size_t place) { return shares[place]; });
    period.resize(std::min(period.size(), static_cast<std::size_t>(std::floor(count + kTolerance * 1000))));
    for (const std::size_t place : period) are_in_time[place] = true;
  }
  return are_in_time;
}

std::vector<double> shortest_first(const std::vector<Demand>& demands) {
  Places order(demands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t place) { return demands[place].from; });
  std::vector<double> ends(demands.size(), 0);
  std::set<std::pair<double, std::size_t>> left;  // of work
  double now = 0;
  for (auto next = order.begin(); next != order.end() || !left.empty();) {
    if (left.empty()) now = std::max(now, demands[*next].from);
    for (; next != order.end() && demands[*next].from <= now; ++next) left.emplace(demands[*next].work, *next);
    const auto [work, place] = *left.begin();
    left.erase(left.begin());
    const double until = next == order.end() ? now + work : std::min(now + work, demands[*next].from);
    if (until < now + work)
      left.emplace(work - (until - now), place);
    else
      ends[place] = until;
    now = until;
  }
  return ends;
}

}  // namespace ontime::lab
