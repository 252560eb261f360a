#include "lab/foresight/recorded_job.h"

#include <gtest/gtest.h>

#include "scheduler/core/scheduler.h"

namespace ontime::lab {
namespace {

namespace event = scheduler::event;

// Four tasks of 1000 bytes and one of 500, on five slots; the launch takes half a second, mapping 1, 2, 3, 4 and 1 s.
class RecordedRun : public testing::Test {
 protected:
  RecordedRun() {
    at(0, {});
    for (const char* name : {"one", "two", "three", "four", "five"}) {
      at(0, event::NodeRegistered{name, name, "host", 1});
      at(0, event::NodeInventory{scheduler_.cluster().node_of(name), {}});
    }
    scheduler::JobSpec spec;
    spec.application = "wordcount";
    spec.inputs = {{"/input", 4500, "1", Codec::Plain}};
    spec.output = "/output";
    spec.split_bytes = 1000;
    spec.deadline = std::chrono::seconds(4);
    spec.checkpoint_interval = Duration(0);
    at(0, event::JobSubmitted{1, spec});
    for (std::uint32_t task = 0; task < 5; ++task) at(0.5, event::AttemptStarted{node_of(task), attempt(task)});
  }
  static AttemptId attempt(std::uint32_t task) { return {{JobId{1}, task}, 0}; }
  NodeId node_of(std::uint32_t task) const { return scheduler_.cluster().find_attempt(attempt(task))->node; }

  void at(double time, const std::optional<scheduler::Event>& event) {
    now_ = TimePoint(std::chrono::hours(1)) + from_seconds(time);
    static_cast<void>(event ? scheduler_.step(*event, now_) : scheduler_.start(now_));
  }
  void seal(double time, std::uint32_t task) {
    const ByteRange range = scheduler_.cluster().find_task({JobId{1}, task})->ledger.split();
    at(time, event::SegmentSealed{node_of(task), attempt(task), range, range.end, {0, 100, 10, 7}, {}});
  }
  void finish() {
    seal(1.5, 0);
    seal(1.5, 4);
    seal(2.5, 1);
    seal(3.5, 2);
    seal(4.5, 3);
    at(4.5, event::CommitFinished{JobId{1}, ""});
  }
  Result<RecordedJob> recorded() const {
    RecordedMaster master;
    master.heartbeat = std::chrono::milliseconds(100);
    master.node_timeout = std::chrono::seconds(5);
    master.cut_timeout = std::chrono::seconds(3);
    return recorded_job(scheduler_.cluster(), JobId{1}, now_, master, {});
  }

  scheduler::Scheduler scheduler_{scheduler::Settings{}};
  TimePoint now_;
};

TEST_F(RecordedRun, KeepsTheDurationsOfFirstAttemptsForAWholeSplit) {
  finish();
  const auto job = recorded();
  ASSERT_TRUE(job) << job.error().message;
  const std::vector<double>& durations = job->scenario.jobs.front().times.first_durations;
  ASSERT_EQ(durations.size(), 5u);
  const double expected[] = {1, 2, 3, 4, 2};
  for (std::size_t task = 0; task < 5; ++task) EXPECT_NEAR(durations[task], expected[task], 1e-9) << task;
  EXPECT_EQ(job->durations_recorded, 5u);
  EXPECT_EQ(slots_of(job->scenario), 5u);
  EXPECT_NEAR(job->scenario.launch.median(), 0.5, 1e-9);
  EXPECT_EQ(job->scenario.jobs.front().size.file_bytes, std::vector<std::uint64_t>{4500});
  EXPECT_NEAR(job->flow_time, 4.5, 1e-9);
  EXPECT_FALSE(job->met);
  EXPECT_NEAR(job->machine_time, 1.5 + 1.5 + 2.5 + 3.5 + 4.5, 1e-9);
  EXPECT_EQ(job->attempts, 5u);
}

TEST_F(RecordedRun, SimulatedAgainWithoutCopiesTakesAsLongAsItDid) {
  finish();
  const auto job = recorded();
  ASSERT_TRUE(job);
  const Prospect again = foresee(job->scenario, Runs::exactly(5), 1);
  EXPECT_NEAR(again.low, 4.5, 0.05);
  EXPECT_NEAR(again.high, 4.5, 0.05);
  EXPECT_EQ(again.pocd.value, 0);
  EXPECT_NEAR(again.machine_time.value, job->machine_time, 0.05);
}

TEST_F(RecordedRun, WithCopiesOfLateTasksItMayMakeItsDeadline) {
  finish();
  auto job = recorded();
  ASSERT_TRUE(job);
  job->scenario.jobs.front().handling.policy = "clone";
  job->scenario.jobs.front().handling.policy_parameters = {{"r", "1"}};
  job->scenario.jobs.front().handling.checkpoint_interval.reset();
  job->scenario.nodes = {{.count = 10}};
  ASSERT_TRUE(check(job->scenario));
  const Prospect cloned = foresee(job->scenario, Runs::exactly(100), 1);
  EXPECT_GT(cloned.pocd.value, 0.3);
  EXPECT_GT(cloned.attempts, 9);
}

TEST_F(RecordedRun, TakesThePaceOfWhatWasEndedAndDrawsWhatNeverGotFar) {
  at(2.5, event::Heartbeat{node_of(0), {{attempt(0), 500, 5, 50}}});
  at(2.5, event::Heartbeat{node_of(1), {{attempt(1), 1010, 1, 10}}});
  at(3, event::JobKillRequested{JobId{1}, "enough"});
  const auto job = recorded();
  ASSERT_TRUE(job) << job.error().message;
  const std::vector<double>& durations = job->scenario.jobs.front().times.first_durations;
  EXPECT_NEAR(durations[0], 4, 1e-9) << "2 s for half of it";
  EXPECT_EQ(durations[1], 0) << "a hundredth of it says nothing";
  EXPECT_EQ(durations[2], 0);
  EXPECT_EQ(job->durations_recorded, 1u);
  EXPECT_FALSE(job->met);
}

// As measured by its runner: 1 s before the first byte, the rest for its bytes.
TEST_F(RecordedRun, WhatItsSegmentsNeedToStartIsNoTimeForTheirBytes) {
  for (std::uint32_t task = 0; task < 5; ++task) {
    const ByteRange range = scheduler_.cluster().find_task({JobId{1}, task})->ledger.split();
    const double work = 2.0 * static_cast<double>(range.size()) / 1000;
    scheduler::SegmentTimes times;
    times.first = std::chrono::seconds(1);
    times.timed_bytes = range.size();
    times.moves = 20;
    times.last = times.age = from_seconds(1 + work);
    at(1.5 + work, event::SegmentSealed{node_of(task), attempt(task), range, range.end, {0, 100, 10, 7}, {}, times});
  }
  at(4.5, event::CommitFinished{JobId{1}, ""});
  auto job = recorded();
  ASSERT_TRUE(job) << job.error().message;
  const JobGroup& group = job->scenario.jobs.front();
  EXPECT_NEAR(group.times.start.median(), 1, 0.05);
  for (const double duration : group.times.first_durations) EXPECT_NEAR(duration, 2, 0.1);
  const Prospect again = foresee(job->scenario, Runs::exactly(5), 1);
  EXPECT_NEAR(again.median, 3.5, 0.1);
  EXPECT_NEAR(again.machine_time.value, 4 * 3.5 + 2.5, 0.3);
}

TEST_F(RecordedRun, IsRefusedIfNothingIsKnown) {
  EXPECT_FALSE(recorded());
  EXPECT_FALSE(recorded_job(scheduler_.cluster(), JobId{9}, now_, {}, {}));
}

}  // namespace
}  // namespace ontime::lab
