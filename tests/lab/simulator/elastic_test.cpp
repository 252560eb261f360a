// Nodes that come and go with the slots that deadlines need.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/lab/simulator/small_cluster.h"

namespace ontime::lab {
namespace {

// Up to 20 nodes of two slots for three jobs, of which earlier ones are known, with long breaks between them.
Scenario rare_jobs() {
  Scenario scenario = small_cluster();
  scenario.nodes = {{.count = 20, .slots = 2, .slowness = Distribution::constant(1)}};
  scenario.elastic = Elastic{.least = 2, .start = 20};
  JobGroup& jobs = scenario.jobs[0];
  jobs.count = 3;
  jobs.arrivals.every = 2000;
  jobs.size.tasks = Distribution::constant(60);
  jobs.times.duration = Distribution::uniform(8, 12);
  jobs.known.history = 200;
  jobs.deadline.seconds = 180;
  return scenario;
}

std::size_t count(const std::string& log, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = log.find(word); at != log.npos; at = log.find(word, at + 1)) ++found;
  return found;
}

TEST(ElasticNodes, ComeInTimeForDeadlinesAndGoWhenNoneNeedsThem) {
  const Scenario scenario = rare_jobs();
  const Outcome outcome = run(scenario, 1);
  EXPECT_TRUE(outcome.broken.empty()) << outcome.broken.front();
  ASSERT_EQ(outcome.jobs.size(), 3u);
  for (const JobOutcome& job : outcome.jobs) {
    EXPECT_TRUE(job.met()) << job.flow_time();
    EXPECT_NEAR(job.mapped_bytes / job.input_bytes, 1, 0.05) << "who goes has handed over what it mapped";
  }
  EXPECT_LT(outcome.paid_slot_seconds, 0.2 * outcome.slots * outcome.ended);
  EXPECT_GE(outcome.paid_slot_seconds, outcome.slot_seconds);
}

TEST(ElasticNodes, AreBusyAsAShareOfTheSlotsThatWereThere) {
  const Outcome outcome = run(rare_jobs(), 1);
  const double called = (outcome.paid_slot_seconds - outcome.there_slot_seconds) / (20 * 2);
  EXPECT_GT(called, 2) << "nodes of two slots, each of which takes 20 s to start";
  EXPECT_NEAR(called, std::round(called), 1e-6);
  EXPECT_NEAR(outcome.utilisation(), outcome.slot_seconds / outcome.there_slot_seconds, 1e-9);
  EXPECT_GT(outcome.utilisation(), 4 * outcome.slot_seconds / (outcome.slots * outcome.ended))
      << "most of the time two slots of forty are there";
  EXPECT_LT(outcome.utilisation(), 1);
}

TEST(ElasticNodes, ComeWhenTheirStartIsOver) {
  Scenario scenario = rare_jobs();
  const std::string log = log_of(scenario, 1);
  EXPECT_GT(count(log, "node_registered"), 3u) << "they come again and again";
  scenario.elastic->start = 1000;
  for (const JobOutcome& job : run(scenario, 1).jobs) EXPECT_FALSE(job.met()) << "one node was there in time";
}

TEST(ElasticNodes, AreNeverFewerThanTheLeast) {
  Scenario scenario = rare_jobs();
  scenario.elastic->least = 40;
  const Outcome outcome = run(scenario, 1);
  EXPECT_DOUBLE_EQ(outcome.paid_slot_seconds, outcome.slots * outcome.ended);
}

TEST(ElasticNodes, OthersArePaidForAtAllTimes) {
  Scenario scenario = rare_jobs();
  scenario.elastic.reset();
  const Outcome outcome = run(scenario, 1);
  EXPECT_DOUBLE_EQ(outcome.paid_slot_seconds, outcome.slots * outcome.ended);
}

TEST(ElasticNodes, AreTheSameEachTime) { EXPECT_EQ(log_of(rare_jobs(), 7), log_of(rare_jobs(), 7)); }

TEST(ElasticNodes, HaveNoOutagesAndNoBound) {
  Scenario scenario = rare_jobs();
  scenario.yardstick = Yardstick::Bound;
  EXPECT_FALSE(check(scenario));
  scenario = rare_jobs();
  scenario.outages.push_back({.node = 0, .at = 5});
  EXPECT_FALSE(check(scenario));
  scenario = rare_jobs();
  scenario.elastic->every = 0;
  EXPECT_FALSE(check(scenario));
}

}  // namespace
}  // namespace ontime::lab
