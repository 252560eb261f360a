// What disks that take time, are full or fail do to attempts, and commits that take time to jobs.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "lab/simulator/simulator.h"
#include "tests/lab/simulator/small_cluster.h"

namespace ontime::lab {
namespace {

// Two tasks of 100 bytes and 10 s side by side on one node.
Scenario two_tasks() {
  Scenario scenario;
  scenario.nodes = {{.count = 1, .slots = 2, .slowness = Distribution::constant(1)}};
  scenario.check_invariants = true;
  scenario.network_delay = Distribution();
  JobGroup& group = scenario.jobs[0];
  group.size.tasks = Distribution::constant(2);
  group.times.duration = Distribution::constant(10);
  group.size.split_bytes = 100;
  group.size.record_bytes = 1;
  group.handling.checkpoint_interval = Duration(0);
  return scenario;
}

TEST(Disk, SegmentsOfANodeAreWrittenAndSyncedOneAfterAnother) {
  Scenario scenario = two_tasks();
  scenario.nodes[0].disk = {.bytes_per_second = 50, .sync = Distribution::constant(3)};
  const JobOutcome job = run(scenario, 1).jobs[0];
  EXPECT_NEAR(job.flow_time(), 1 + 10 + 2 * (2 + 3), 1e-6);
  EXPECT_NEAR(job.machine_time, 2 * (1 + 10) + 5 + 10, 1e-6);
  EXPECT_NEAR(job.mapped_bytes, 200, 1e-6);
}

TEST(Disk, WhatIsShorterThanTheInputIsWrittenFaster) {
  Scenario scenario = two_tasks();
  scenario.nodes[0].disk = {.bytes_per_second = 50, .sync = Distribution()};
  scenario.jobs[0].size.output = 0.25;
  EXPECT_NEAR(run(scenario, 1).jobs[0].flow_time(), 1 + 10 + 2 * 0.5, 1e-6);
}

TEST(Disk, AnAttemptMapsNothingWhileItSeals) {
  Scenario scenario = two_tasks();
  scenario.nodes[0].slots = 1;
  scenario.jobs[0].size.tasks = Distribution::constant(1);
  scenario.nodes[0].disk.sync = Distribution::constant(1);
  const double once = run(scenario, 1).jobs[0].flow_time();
  EXPECT_NEAR(once, 1 + 10 + 1, 1e-6);
  scenario.jobs[0].handling.checkpoint_interval = from_seconds(2.5);
  const JobOutcome job = run(scenario, 1).jobs[0];
  EXPECT_GT(job.flow_time(), once + 2);
  EXPECT_NEAR(job.flow_time(), std::round(job.flow_time()), 1e-6);  // one more second for each checkpoint
  EXPECT_NEAR(job.mapped_bytes, 100, 1e-6);
}

TEST(Disk, SyncTimesAreDrawnAndTheSameTwice) {
  Scenario scenario = two_tasks();
  scenario.jobs[0].handling.checkpoint_interval = from_seconds(1);
  scenario.jobs[0].times.skew.begins = Distribution::constant(0.5);
  scenario.jobs[0].times.skew.slowness = Distribution::constant(3);
  scenario.speed_changes_every = 3;
  scenario.nodes[0].disk.sync = Distribution::lognormal(0.3, 1);
  const std::string log = log_of(scenario, 1);
  EXPECT_EQ(log_of(scenario, 1), log);
  EXPECT_NE(log_of(scenario, 2), log);
}

TEST(Disk, AttemptsOnAFullDiskFailWhenTheyWriteAndGoOnElsewhere) {
  Scenario scenario = two_tasks();
  scenario.nodes[0].count = 2;
  scenario.nodes[0].slots = 1;
  scenario.outages = {{.kind = Outage::Kind::DiskFull, .node = 1, .at = 5, .lasts = 10}};
  const std::string log = log_of(scenario, 1);
  const std::size_t exit = log.find("attempt_exited");
  ASSERT_NE(exit, log.npos);
  EXPECT_NE(log.substr(exit, log.find('\n', exit) - exit).find(" node=node-2 "), std::string::npos);
  EXPECT_NE(log.find("cannot write the output file"), log.npos);
  EXPECT_NE(log.find("No space left on device"), log.npos);
  const JobOutcome job = run(scenario, 1).jobs[0];
  EXPECT_EQ(job.state, scheduler::JobState::Succeeded);
  EXPECT_EQ(job.attempts, 3u);
  EXPECT_NEAR(job.mapped_bytes, 300, 1e-6);
}

TEST(Disk, ADiskThatFailsWhileItSyncsLosesTheSegment) {
  Scenario scenario = two_tasks();
  scenario.nodes[0].count = 2;
  scenario.nodes[0].slots = 1;
  scenario.nodes[0].disk.sync = Distribution::constant(4);
  scenario.outages = {{.kind = Outage::Kind::DiskFails, .node = 1, .at = 13, .lasts = 3}};
  const std::string log = log_of(scenario, 1);
  EXPECT_NE(log.find("durable: Input/output error"), log.npos);
  EXPECT_EQ(run(scenario, 1).jobs[0].state, scheduler::JobState::Succeeded);
}

TEST(Disk, OneThatFailsForGoodFailsTheJobIfThereIsNoOther) {
  Scenario scenario = two_tasks();
  scenario.outages = {{.kind = Outage::Kind::DiskFails, .node = 0, .at = 0, .lasts = kForEver}};
  EXPECT_NE(log_of(scenario, 1).find("cannot create the output file"), std::string::npos);
  EXPECT_EQ(run(scenario, 1).jobs[0].state, scheduler::JobState::Failed);
}

TEST(Commit, TakesItsTime) {
  Scenario scenario = two_tasks();
  scenario.commit = Distribution::constant(5);
  EXPECT_NEAR(run(scenario, 1).jobs[0].flow_time(), 1 + 10 + 5, 1e-6);
  EXPECT_NEAR(run(scenario, 1).jobs[0].machine_time, 22, 1e-6);
}

}  // namespace
}  // namespace ontime::lab
