// What applications do beside mapping at a rate, and what their workers report of it and answer meanwhile: one attempt
// on one node, which gets its orders from the test.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "lab/simulator/simulator.h"
#include "lab/simulator/workers.h"
#include "tests/injection/injections.h"
#include "tests/lab/simulator/small_cluster.h"

namespace ontime::lab {
namespace {

namespace action = scheduler::action;
namespace event = scheduler::event;
using injection::StartOf;

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

// Tasks of ten records of 10 bytes, one a second, after a launch of one second. Messages take no time.
Scenario one_node() {
  Scenario scenario;
  scenario.nodes = {{.count = 1, .slots = 1, .slowness = Distribution::constant(1)}};
  scenario.network_delay = Distribution();
  scenario.heartbeat = 0.5;
  scenario.check_invariants = true;
  JobGroup& group = scenario.jobs[0];
  group.size.tasks = Distribution::constant(2);
  group.times.duration = Distribution::constant(10);
  group.size.split_bytes = 100;
  group.size.record_bytes = 10;
  group.handling.checkpoint_interval = Duration(0);
  return scenario;
}

class Bench {
 public:
  explicit Bench(const Scenario& scenario) : scenario_(scenario), workers_(scenario_, 1, queue_) {
    workers_.add_job({.planned = 0, .group = &scenario_.jobs[0], .tasks = 2, .machine_time = 0, .mapped_bytes = 0});
    pass_to(0);
  }

  void pass_to(double until) {
    while (!queue_.empty() && queue_.next_at() <= at(until)) {
      const Upcoming due = queue_.pop();
      if (due.due == Due::Registration) {
        workers_.registration(due);
        workers_.after_registration(due.subject, NodeId{1}, due.at);
      } else if (due.due == Due::Report) {
        if (const auto report = workers_.arrived(due.subject, due.at)) take(*report, due.at);
      } else {
        workers_.on(due);
      }
    }
  }
  void launch(std::uint32_t task, double when) {
    pass_to(when);
    running_ = {TaskId{JobId{1}, task}, 0};
    action::LaunchAttempt order;
    order.attempt = running_;
    order.range = order.split.range = {100 * task, 100 * task + 100};
    workers_.order(NodeId{1}, order, at(when));
  }
  void cut(std::uint64_t place, bool release, double when) {
    pass_to(when);
    workers_.order(NodeId{1}, action::CutAttempt{NodeId{1}, running_, place, release}, at(when));
  }

  template <class What>
  struct Report {
    double at;
    What what;
  };
  std::vector<Report<event::AttemptStarted>> started;
  std::vector<Report<event::CutAnswered>> answers;
  std::vector<Report<event::SegmentSealed>> sealed;
  scheduler::AttemptProgress progress;  // of the latest heartbeat

 private:
  static TimePoint at(double s) { return TimePoint(from_seconds(s)); }
  void take(const scheduler::Event& report, TimePoint now) {
    const double when = seconds(now.time_since_epoch());
    if (const auto* one = std::get_if<event::AttemptStarted>(&report)) started.push_back({when, *one});
    if (const auto* one = std::get_if<event::CutAnswered>(&report)) answers.push_back({when, *one});
    if (const auto* one = std::get_if<event::SegmentSealed>(&report)) sealed.push_back({when, *one});
    const auto* beat = std::get_if<event::Heartbeat>(&report);
    if (beat != nullptr && !beat->attempts.empty()) progress = beat->attempts.front();
  }

  const Scenario scenario_;
  EventQueue queue_;
  Workers workers_;
  AttemptId running_;
};

TEST(Starts, AreBehindTheReportThatTheAttemptHasStarted) {
  Scenario scenario = one_node();
  scenario.jobs[0].times.start = Distribution::constant(3);
  Bench bench(scenario);
  bench.launch(0, 0);
  bench.pass_to(3.9);
  ASSERT_EQ(bench.started.size(), 1u);
  EXPECT_NEAR(bench.started[0].at, 1, 1e-6);
  EXPECT_EQ(bench.progress.offset, 0u);
  EXPECT_EQ(bench.progress.segment.moves, 0u);
  EXPECT_NEAR(seconds(bench.progress.segment.age), 2.5, 1e-6);
  bench.pass_to(7.6);
  EXPECT_EQ(bench.progress.offset, 30u);
  EXPECT_EQ(
      bench.progress.segment,
      (scheduler::SegmentTimes{
          .age = from_seconds(6.5), .first = from_seconds(4), .last = from_seconds(6), .timed_bytes = 20, .moves = 3}));
  bench.pass_to(20);
  ASSERT_EQ(bench.sealed.size(), 1u);
  EXPECT_NEAR(bench.sealed[0].at, 1 + 3 + 10, 1e-6);
  EXPECT_NEAR(seconds(bench.sealed[0].what.times.age), 13, 1e-6);
  EXPECT_NEAR(seconds(bench.sealed[0].what.times.first), 4, 1e-6);
  EXPECT_EQ(bench.sealed[0].what.times.moves, 10u);
}

// Two tasks one after the other on one slot.
double machine_time_of(StartOf of, bool keeps_runners) {
  Scenario scenario = one_node();
  scenario.launch = Distribution();
  scenario.keeps_runners = keeps_runners;
  scenario.jobs[0].times.start = Distribution::constant(3);
  scenario.jobs[0].times.start_of = of;
  return run(scenario, 1).jobs[0].machine_time;
}

TEST(Starts, ArePaidOncePerAttemptOrPerProcess) {
  EXPECT_NEAR(machine_time_of(StartOf::Segment, true), 2 * 13, 1e-6);
  EXPECT_NEAR(machine_time_of(StartOf::Attempt, true), 2 * 13, 1e-6);
  EXPECT_NEAR(machine_time_of(StartOf::Process, true), 13 + 10, 1e-6);
  EXPECT_NEAR(machine_time_of(StartOf::Process, false), 2 * 13, 1e-6);
}

// The time of the seal behind a cut without release.
double sealed_behind_a_cut(StartOf of, double sync) {
  Scenario scenario = one_node();
  scenario.jobs[0].times.start = Distribution::constant(3);
  scenario.jobs[0].times.start_of = of;
  scenario.nodes[0].disk.sync = Distribution::constant(sync);
  Bench bench(scenario);
  bench.launch(0, 0);
  bench.cut(50, false, 6.2);
  bench.pass_to(40);
  EXPECT_EQ(bench.sealed.size(), 2u);
  EXPECT_NEAR(bench.sealed[0].at, 1 + 3 + 5 + sync, 1e-6);
  return bench.sealed[1].at;
}

TEST(Starts, ArePaidAgainBehindASealThatContinues) {
  for (const double sync : {0.0, 0.5}) {
    EXPECT_NEAR(sealed_behind_a_cut(StartOf::Segment, sync), 1 + 2 * (3 + 5 + sync), 1e-6);
    EXPECT_NEAR(sealed_behind_a_cut(StartOf::Attempt, sync), 1 + 3 + 2 * (5 + sync), 1e-6);
    EXPECT_NEAR(sealed_behind_a_cut(StartOf::Process, sync), 1 + 3 + 2 * (5 + sync), 1e-6);
  }
}

TEST(Starts, TakeLongerOnSlowNodesAndInAttemptsThatAreSlowedDown) {
  Scenario scenario = one_node();
  scenario.jobs[0].size.tasks = Distribution::constant(1);
  scenario.jobs[0].times.start = Distribution::constant(3);
  scenario.nodes[0].slowness = Distribution::constant(2);
  EXPECT_NEAR(run(scenario, 1).jobs[0].machine_time, 1 + 2 * 13, 1e-6);
  scenario.nodes[0].slowness = Distribution::constant(1);
  scenario.nodes[0].name = "worker";
  injection::test::Traces none;
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"slowdown=4x"}, std::vector<std::string>{"pace=10s", "slowdown=4x"}}) {
    scenario.injection.emplace();
    for (const auto& setting : settings) ASSERT_TRUE(injection::apply(*scenario.injection, setting, none));
    EXPECT_NEAR(run(scenario, 1).jobs[0].machine_time, 1 + 4 * 13, 1e-6);
  }
}

TEST(Starts, AreDrawnForEachSegment) {
  Scenario scenario = one_node();
  scenario.jobs[0].times.start = Distribution::uniform(1, 5);
  const auto drawn = [&] {
    std::vector<double> starts;
    for (const std::uint32_t task : {0u, 1u}) {
      Bench bench(scenario);
      bench.launch(task, 0);
      bench.cut(100 * task + 50, false, 7);
      bench.pass_to(40);
      for (const auto& report : bench.sealed) starts.push_back(seconds(report.what.times.first));
    }
    return starts;
  };
  const std::vector<double> once = drawn();
  EXPECT_EQ(std::set<double>(once.begin(), once.end()).size(), 4u);
  EXPECT_EQ(drawn(), once);
}

TEST(ReadingAhead, IsWhatHeartbeatsTellAndTheSealIsNot) {
  Scenario scenario = one_node();
  scenario.jobs[0].times.start = Distribution::constant(3);
  scenario.jobs[0].times.reads_ahead = kAll;
  Bench bench(scenario);
  bench.launch(0, 0);
  bench.pass_to(3.9);
  EXPECT_EQ(bench.progress.offset, 0u);
  bench.pass_to(6.1);
  EXPECT_EQ(bench.progress.offset, 100u);
  EXPECT_EQ(
      bench.progress.segment,
      (scheduler::SegmentTimes{
          .age = from_seconds(5), .first = from_seconds(3), .last = from_seconds(3), .timed_bytes = 0, .moves = 1}));
  bench.cut(30, true, 6.2);
  bench.pass_to(20);
  ASSERT_EQ(bench.answers.size(), 1u);
  EXPECT_EQ(bench.answers[0].what.at, 100u) << "nothing is left to give back";
  ASSERT_EQ(bench.sealed.size(), 1u);
  EXPECT_NEAR(bench.sealed[0].at, 1 + 3 + 10, 1e-6);
}

// When the cut is answered, where it is honoured.
struct Answer {
  double at;
  std::uint64_t place;
};
Answer answer_to(const Scenario& scenario, std::uint64_t place, double when) {
  Bench bench(scenario);
  bench.launch(0, 0);
  bench.cut(place, true, when);
  bench.pass_to(60);
  EXPECT_EQ(bench.answers.size(), 1u);
  EXPECT_EQ(bench.sealed.size(), 1u);
  EXPECT_EQ(bench.sealed[0].what.range.end, bench.answers[0].what.at);
  return {bench.answers[0].at, bench.answers[0].what.at};
}

TEST(CutsInAStart, AreAnsweredBehindItUnlessTheWorkerAnswers) {
  Scenario scenario = one_node();
  scenario.jobs[0].times.start = Distribution::constant(8);
  scenario.jobs[0].times.workers_answer = false;
  Answer answer = answer_to(scenario, 0, 2);
  EXPECT_NEAR(answer.at, 1 + 8 + 1, 1e-6);
  EXPECT_EQ(answer.place, 10u) << "it has claimed its first record";
  scenario.jobs[0].times.reads_ahead = 30;
  answer = answer_to(scenario, 0, 2);
  EXPECT_NEAR(answer.at, 1 + 8, 1e-6) << "what it reads ahead is written when the start is over";
  EXPECT_EQ(answer.place, 10u);
  scenario.jobs[0].times.workers_answer.reset();
  answer = answer_to(scenario, 0, 2);
  EXPECT_NEAR(answer.at, 2.25, 1e-6);
  EXPECT_EQ(answer.place, 10u);
}

TEST(CutsInARecord, AreAnsweredBehindItUnlessTheWorkerAnswers) {
  Scenario scenario = one_node();
  scenario.jobs[0].times.duration = Distribution::constant(100);
  Answer answer = answer_to(scenario, 0, 15);
  EXPECT_NEAR(answer.at, 21, 1e-6) << "as ever where nothing but bytes takes time";
  EXPECT_EQ(answer.place, 20u);
  scenario.jobs[0].times.workers_answer = true;
  answer = answer_to(scenario, 0, 15);
  EXPECT_NEAR(answer.at, 15.25, 1e-6);
  EXPECT_EQ(answer.place, 20u);
  answer = answer_to(scenario, 0, 20.9);
  EXPECT_NEAR(answer.at, 21, 1e-6) << "the runner is earlier";
}

// A record that takes long does so in each of them.
TEST(RecordTimes, AreTheSameInEveryAttempt) {
  Scenario scenario = one_node();
  scenario.jobs[0].times.record_time = Distribution::lognormal(1, 1);
  const auto borders_at = [&](double slowness) {
    scenario.nodes[0].slowness = Distribution::constant(slowness);
    std::vector<double> borders;
    Bench bench(scenario);
    bench.launch(1, 0);
    for (std::uint64_t place = 110; place < 200; place += 10) bench.cut(place, false, 1.1);
    bench.pass_to(1000);
    for (const auto& report : bench.sealed) borders.push_back(report.at - 1);
    return borders;
  };
  const std::vector<double> once = borders_at(1);
  const std::vector<double> slowly = borders_at(3);
  ASSERT_EQ(once.size(), 10u);
  ASSERT_EQ(slowly.size(), 10u);
  std::set<double> lengths;
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_NEAR(slowly[i], 3 * once[i], 1e-6);
    lengths.insert(std::round(1e6 * (once[i] - (i > 0 ? once[i - 1] : 0))));
  }
  EXPECT_EQ(lengths.size(), 10u);
}

}  // namespace
}  // namespace ontime::lab
