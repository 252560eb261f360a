// Pictures of bounded size of jobs of any size.
#include "master/clients/overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <numeric>
#include <vector>

#include "common/net/coroutine.h"
#include "master/clients/job_pictures.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::master {
namespace {

using namespace std::chrono_literals;
using scheduler::test::World;
using testing::Each;
using testing::SizeIs;

constexpr std::uint32_t kTasksDrawn = 3 * JobPictures::kSlice;

TEST(StepMeans, AnIntervalCountsInEachStepByTheShareThatItFills) {
  StepMeans means(10ns);
  means.add(5ns, 25ns);   // half of the first step, all of the second, half of the third
  means.add(12ns, 17ns);  // within one
  const std::vector<double> found = means.means();
  EXPECT_THAT(found, SizeIs(StepMeans::kSteps));
  EXPECT_DOUBLE_EQ(found[0], 0.5);
  EXPECT_DOUBLE_EQ(found[1], 1.5);
  EXPECT_DOUBLE_EQ(found[2], 0.5);
  EXPECT_DOUBLE_EQ(found[3], 0);
}

TEST(StepMeans, WhatLiesBeyondTheAxisIsCutOff) {
  StepMeans means(10ns);
  means.add(-100ns, 10ns);
  means.add(0ns, 1h);
  means.add(2h, 3h);
  const std::vector<double> found = means.means();
  EXPECT_DOUBLE_EQ(found[0], 2);
  EXPECT_DOUBLE_EQ(found[1], 1);
  EXPECT_DOUBLE_EQ(found.back(), 1);
}

class OverviewTest : public testing::Test {
 protected:
  OverviewTest() {
    nodes_ = {world_.register_node("a", 2), world_.register_node("b", 1)};
    huge_ = world_.submit(100 * kTasksDrawn, 100);
  }
  // With heartbeats, so that no node is lost.
  void pass(std::chrono::seconds duration) {
    for (; duration > 0s; duration -= 1s) {
      for (const NodeId node : nodes_) world_.heartbeat(node);
      world_.pass(1s);
    }
  }
  std::vector<AttemptId> launched() {
    std::vector<AttemptId> attempts;
    for (const auto& launch : world_.take<scheduler::action::LaunchAttempt>()) attempts.push_back(launch.attempt);
    return attempts;
  }
  wire::Overview overview() {
    const scheduler::Job& job = world_.job(huge_);
    OverviewMaker maker(world_.cluster(), huge_, job, world_.now());
    EXPECT_TRUE(maker.look(job));
    return maker.view(job, failures_);
  }
  asio::awaitable<void> ask() { pictures_.push_back(co_await shared_.overview(huge_)); }
  std::size_t run() {
    std::size_t turns = 0;
    io_.restart();
    while (io_.poll_one() > 0) ++turns;
    return turns;
  }
  int forecasts(JobId job) const {
    wire::Reply::Job reply;
    shared_.append_forecasts(reply, job);
    return reply.forecasts_size();
  }
  void spawn() { asio::co_spawn(io_, ask(), net::AbortOnException{"test"}); }

  World world_;
  std::vector<NodeId> nodes_;
  AttemptMessages failures_;
  JobId huge_;
  asio::io_context io_;
  JobPictures shared_{io_.get_executor(), world_.scheduler(), failures_, [this] { return world_.now(); }};
  std::vector<JobPictures::Picture> pictures_;
};

TEST_F(OverviewTest, TellsWhatIsDoneWhereItRanAndWhatFailed) {
  const auto first = launched();
  ASSERT_EQ(first.size(), 3u);
  pass(10s);
  world_.seal_all(first[0]);
  world_.fail(first[1]);
  pass(10s);
  const wire::Overview view = overview();
  EXPECT_EQ(view.tasks_in_place(), 15u);  // 6,000 tasks in 400 places
  EXPECT_EQ(view.places_size(), 400);
  EXPECT_EQ(view.places(0).done(), 1u);
  EXPECT_EQ(view.places(0).failed(), 1u);
  EXPECT_GE(view.places(0).running(), 1u);
  EXPECT_EQ(view.places(1).done(), 0u);
  ASSERT_EQ(view.failures_size(), 1);
  EXPECT_EQ(view.failures(0).task(), first[1].task.index);
  EXPECT_EQ(view.failures(0).attempt().state(), "failed");
  EXPECT_EQ(view.longest(0).task(), first[2].task.index);
  EXPECT_EQ(view.attempts(), static_cast<std::uint32_t>(view.longest_size()));
}

TEST_F(OverviewTest, SlotsInUseAddUpToTheTimeThatAttemptsTook) {
  pass(16s);
  const wire::Overview view = overview();
  ASSERT_EQ(view.rows_size(), 2);
  EXPECT_EQ(view.rows(0).first_node(), "a");
  EXPECT_EQ(view.rows(0).slots(), 2u);
  EXPECT_NEAR(static_cast<double>(view.rows(0).busy_ns()) / 1e9, 32, 0.1);
  const double step = static_cast<double>(view.step_ns()) / 1e9;
  const double whole = std::accumulate(view.running().begin(), view.running().end(), 0.0) / 1000 * step;
  EXPECT_NEAR(whole, 48, 0.1);
  EXPECT_THAT(view.rows(1).failed(), SizeIs(0));
}

TEST_F(OverviewTest, IsOfBoundedSize) {
  EXPECT_LT(overview().ByteSizeLong(), 20'000u);
  EXPECT_LE(overview().places_size(), static_cast<int>(OverviewMaker::kPlaces));
}

TEST_F(OverviewTest, WhoAsksAtTheSameMomentSharesOnePictureAndOthersHaveTheirTurn) {
  for (int i = 0; i < 20; ++i) spawn();
  EXPECT_GE(run(), kTasksDrawn / JobPictures::kSlice);
  ASSERT_EQ(pictures_.size(), 20u);
  EXPECT_THAT(pictures_, Each(pictures_[0]));
  spawn();
  run();
  EXPECT_EQ(pictures_.back(), pictures_[0]);  // still good
  world_.pass(JobPictures::kPictureGoodForTask * kTasksDrawn + 1ns);
  spawn();
  run();
  EXPECT_NE(pictures_.back(), pictures_[0]);
}

TEST_F(OverviewTest, OfAJobThatHasEndedItIsFinalAndKept) {
  spawn();
  run();
  world_.kill(huge_);
  spawn();
  run();
  EXPECT_NE(pictures_[1], pictures_[0]);
  world_.pass(1h);
  spawn();
  run();
  EXPECT_EQ(pictures_[2], pictures_[1]);
  EXPECT_FALSE(shared_.forecast(huge_));
}

TEST_F(OverviewTest, ForecastsAreKeptAsLongAsTheyCostTime) {
  ASSERT_TRUE(shared_.forecast(huge_));
  EXPECT_TRUE(shared_.forecast(huge_));
  EXPECT_EQ(forecasts(huge_), 1);
  world_.pass(JobPictures::kForecastGoodForTask * kTasksDrawn);
  EXPECT_TRUE(shared_.forecast(huge_));
  EXPECT_EQ(forecasts(huge_), 2);
}

TEST_F(OverviewTest, RunningJobsHaveForecastsOverTimeThoughNobodyAsks) {
  for (int round = 0; round < 3; ++round) {
    shared_.foresee();
    shared_.foresee();  // one is known of this moment
    world_.pass(JobPictures::kLooks);
  }
  EXPECT_EQ(forecasts(huge_), 3);
  world_.kill(huge_);
  shared_.foresee();
  EXPECT_EQ(forecasts(huge_), 3);
}

TEST_F(OverviewTest, OfManyJobsAllHaveForecastsInTurn) {
  std::vector<JobId> jobs{huge_};
  while (jobs.size() <= 2 * JobPictures::kForecastsALook) jobs.push_back(world_.submit(100, 100));
  const auto known = [&] { return std::ranges::count_if(jobs, [&](JobId job) { return forecasts(job) > 0; }); };
  shared_.foresee();
  EXPECT_EQ(known(), JobPictures::kForecastsALook);
  shared_.foresee();
  shared_.foresee();
  EXPECT_EQ(known(), jobs.size());
}

TEST_F(OverviewTest, AnOldJobHasForecastsLessOften) {
  shared_.foresee();
  pass(10min);
  shared_.foresee();
  pass(5s);
  shared_.foresee();
  EXPECT_EQ(forecasts(huge_), 2);
  pass(6s);
  shared_.foresee();
  EXPECT_EQ(forecasts(huge_), 3);
}

TEST(ForecastTrack, IsThinnedOutAndKeepsItsEnds) {
  ForecastTrack track;
  wire::Forecast forecast;
  forecast.set_pocd(0.5);
  for (int second = 0; second <= 10'000; ++second) track.add(std::chrono::seconds(second), forecast);
  wire::Reply::Job reply;
  track.append_to(reply);
  EXPECT_LE(reply.forecasts_size(), static_cast<int>(ForecastTrack::kPoints));
  EXPECT_GE(reply.forecasts_size(), static_cast<int>(ForecastTrack::kPoints / 4));
  EXPECT_EQ(reply.forecasts(0).at_ns(), 0);
  EXPECT_EQ(reply.forecasts(reply.forecasts_size() - 1).at_ns(), Duration(10'000s).count());
  for (int i = 1; i < reply.forecasts_size(); ++i)
    EXPECT_LT(reply.forecasts(i - 1).at_ns(), reply.forecasts(i).at_ns());
}

}  // namespace
}  // namespace ontime::master
