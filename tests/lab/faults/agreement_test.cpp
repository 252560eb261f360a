// The fast simulator, whose workers are a model, against the programs that ship on simulated machines: the same cluster
// and the same job come to the same attempts and cuts, and end at the same time.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "lab/faults/cluster_run.h"
#include "lab/simulator/simulator.h"

namespace ontime::lab {
namespace {

struct Course {
  double flow_time = 0;
  std::uint32_t attempts = 0;
  std::uint32_t copies = 0;
};

struct Case {
  std::string policy;
  double deadline = 0;
  std::uint32_t tasks = 8;
};

constexpr std::uint32_t kRecords = 2000;  // of a task
constexpr std::uint32_t kRecordBytes = 50;
constexpr double kRecordTime = 0.01;  // seconds
constexpr double kSlow = 4;           // of one node in four

Course by_programs(const Case& what, std::uint64_t seed) {
  faults::FaultPlan plan;
  plan.seed = seed;
  plan.slots = {2, 2, 2, 2};
  plan.slowness = {1, 1, 1, kSlow};
  plan.network_delay = plan.disk_delay = 0.0001;
  plan.sync_delay = 0.0002;
  plan.heartbeat = 0.5;
  plan.node_timeout = 6;
  plan.cut_timeout = 3;
  plan.quiet_after = 1;
  faults::Submission job;
  job.at = 3;  // all workers have registered
  job.tasks = what.tasks;
  job.record_bytes = kRecordBytes;
  job.split_bytes = kRecords * kRecordBytes;
  job.record_time = kRecordTime;
  job.policy = what.policy;
  job.deadline = what.deadline;
  job.checkpoint = 0;
  plan.submissions = {job};
  Course course;
  faults::set_application_directory(ONTIME_FAULT_APPLICATIONS);
  const faults::Verdict verdict = faults::run(plan, [&](std::string_view line) {
    if (line.find("master: attempt_launched") != line.npos) ++course.attempts;
    const std::size_t seconds = line.find("state=succeeded seconds=");
    if (seconds != line.npos) course.flow_time = std::stod(std::string(line.substr(seconds + 24)));
  });
  EXPECT_TRUE(verdict.is_good()) << verdict.broken;
  return course;
}

Course by_the_model(const Case& what) {
  Scenario scenario;
  scenario.nodes = {{3, 2, Distribution::constant(1)}, {1, 2, Distribution::constant(kSlow)}};
  scenario.launch = Distribution::constant(0.002);
  scenario.network_delay = Distribution::constant(0.0001);
  scenario.heartbeat = 0.5;
  scenario.node_timeout = 6;
  scenario.cut_timeout = 3;
  JobGroup job;
  job.tasks = Distribution::constant(what.tasks);
  job.split_bytes = kRecords * kRecordBytes;
  job.record_bytes = kRecordBytes;
  job.duration = Distribution::constant(kRecords * kRecordTime);
  job.policy = what.policy;
  job.deadline = what.deadline;
  job.checkpoint = 0;
  scenario.jobs = {job};
  const Outcome outcome = lab::run(scenario, 1);
  return {outcome.jobs.front().flow_time(), outcome.jobs.front().attempts, outcome.jobs.front().copies};
}

class Agreement : public testing::TestWithParam<Case> {};

// The seed draws which of two attempts that are alike the master hears first, on which decisions may hang. The model has
// one such order.
TEST_P(Agreement, OfTheFastSimulatorWithWhatShips) {
  constexpr std::uint64_t kOrders = 5;
  const Course model = by_the_model(GetParam());
  Course real;
  bool agree = false;
  for (std::uint64_t seed = 1; seed <= kOrders && !agree; ++seed) {
    real = by_programs(GetParam(), seed);
    agree = std::abs(model.flow_time - real.flow_time) <= 0.01 * real.flow_time && model.attempts == real.attempts;
  }
  EXPECT_TRUE(agree) << "model: " << model.flow_time << " s, " << model.attempts << " attempts; programs: "
                     << real.flow_time << " s, " << real.attempts << " attempts";
}

// Where decisions hang on which of two attempts that are alike is heard first (late, s-resume, split-resume with more
// tasks than slots) the two part at the first tie, and are not compared.
INSTANTIATE_TEST_SUITE_P(Of, Agreement,
                         testing::Values(Case{"none", 0, 8}, Case{"none", 0, 20}, Case{"hadoop", 0, 8},
                                         Case{"mantri", 0, 8}, Case{"shed+", 40, 8}, Case{"split-resume", 40, 8},
                                         Case{"clone", 40, 4}),
                         [](const auto& param) {
                           std::string name = param.param.policy + std::to_string(param.param.tasks);
                           std::erase_if(name, [](char c) { return c == '-' || c == '+'; });
                           return name + "By" + std::to_string(static_cast<int>(param.param.deadline));
                         });

}  // namespace
}  // namespace ontime::lab
