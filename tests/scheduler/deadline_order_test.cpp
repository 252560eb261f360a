// Which jobs come last because they cannot all be in time.
#include "scheduler/core/deadline_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace ontime::scheduler {
namespace {

JobId job(std::uint32_t number) { return JobId{number}; }

TEST(DeadlineOrder, WhatFitsStays) {
  const std::vector<Demand> demands{{job(1), 0, 10, 5}, {job(2), 0, 30, 10}};
  EXPECT_TRUE(jobs_left_behind(demands, 4).empty());
}

TEST(DeadlineOrder, ALargeJobDoesNotMakeSmallOnesLate) {
  const std::vector<Demand> demands{{job(1), 0, 100, 10}, {job(2), 0, 20, 11}, {job(3), 0, 20, 12}};
  EXPECT_EQ(jobs_left_behind(demands, 10), (std::set{job(1)}));
}

TEST(DeadlineOrder, AHopelessJobComesLastAlsoWhenItIsSmall) {
  const std::vector<Demand> demands{{job(1), 0, 10, 0.5}, {job(2), 0, 100, 10}};
  EXPECT_EQ(jobs_left_behind(demands, 10), (std::set{job(1)}));
}

TEST(DeadlineOrder, AfterItsDeadlineAJobComesLast) {
  const std::vector<Demand> demands{{job(1), 0, 0, 0}, {job(2), 0, 0, -3}, {job(3), 0, 0, 1}};
  EXPECT_EQ(jobs_left_behind(demands, 10), (std::set{job(1), job(2)}));
}

TEST(DeadlineOrder, TheLowerPriorityGoesFirst) {
  const std::vector<Demand> demands{{job(1), 5, 100, 10}, {job(2), 0, 20, 11}, {job(3), 0, 20, 12}};
  EXPECT_EQ(jobs_left_behind(demands, 10), (std::set{job(2)}));
}

TEST(DeadlineOrder, AJobOfUnknownWorkIsNotLeftBehindForAnother) {
  const std::vector<Demand> demands{{job(1), 0, 0, 10}, {job(2), 1, 100, 20}};
  EXPECT_EQ(jobs_left_behind(demands, 1), (std::set{job(2)}));
}

TEST(DeadlineOrder, AHopelessJobOfHighPriorityMakesNoOtherLate) {
  const std::vector<Demand> demands{{job(1), 0, 10, 10}, {job(2), 5, 1000, 20}};
  EXPECT_EQ(jobs_left_behind(demands, 2), (std::set{job(2)}));
}

bool all_in_time(std::vector<Demand> demands, std::uint32_t slots) {
  std::ranges::sort(demands, {}, &Demand::time_left);
  double work = 0;
  return std::ranges::all_of(demands, [&](const Demand& demand) {
    work += demand.work;
    return work <= demand.time_left * slots;
  });
}

// The most jobs that can be in time together, by trying all sets of them.
int most_in_time(const std::vector<Demand>& demands, std::uint32_t slots) {
  int most = 0;
  for (std::uint32_t set = 0; set < 1u << demands.size(); ++set) {
    std::vector<Demand> chosen;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      if ((set >> i & 1) != 0) chosen.push_back(demands[i]);
    }
    if (all_in_time(chosen, slots)) most = std::max(most, std::popcount(set));
  }
  return most;
}

RC_GTEST_PROP(DeadlineOrder, AsFewJobsAsPossibleAreLeftBehind, ()) {
  const std::uint32_t slots = *rc::gen::inRange(1, 4);
  const auto times = *rc::gen::resize(8, rc::gen::container<std::vector<std::pair<int, int>>>(
                                             rc::gen::pair(rc::gen::inRange(0, 20), rc::gen::inRange(1, 20))));
  std::vector<Demand> demands;
  for (const auto& [work, time_left] : times) {
    demands.push_back({job(static_cast<std::uint32_t>(demands.size()) + 1), 0, double(work), double(time_left)});
  }
  const std::set<JobId> behind = jobs_left_behind(demands, slots);
  std::vector<Demand> kept;
  std::ranges::copy_if(demands, std::back_inserter(kept), [&](const Demand& d) { return !behind.contains(d.job); });
  RC_ASSERT(all_in_time(kept, slots));
  RC_ASSERT(static_cast<int>(kept.size()) == most_in_time(demands, slots));
}

}  // namespace
}  // namespace ontime::scheduler
