// The fast simulator, whose workers are a model, against the programs that ship on simulated machines: the same cluster
// and the same job come to the same attempts on the same nodes, and end at the same time.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/simulator/simulator.h"
#include "tests/faults/cluster_run.h"

namespace ontime::lab {
namespace {

struct Case {
  std::string policy;  // with its parameters
  double deadline = 0;
  std::uint32_t tasks = 8;
  double start = 0;  // of a segment
};

struct Course {
  double flow_time = 0;                    // seconds
  std::map<std::string, double> attempts;  // the slowness of the node of each
  std::vector<double> slowness;            // of the nodes, in the order in which they have registered
};

// Neither nodes nor times are in simple proportions: of two things that happen in the same millisecond either may come
// first, and from there the courses may differ for good. (split-resume cuts attempts where they stand, up to fifty
// times. A launch on an idle runner takes nothing in the model and a millisecond in the programs, so that now and then
// one of them is a record farther: of 38 deadlines and numbers of tasks 10 agree wholly.) A record takes so long that
// the programs claim one at a time.
const std::vector<double> kSlowness{1, 1.0312, 1.0723, 1.1247, 1.1859, 1.2531, 4.0371, 4.3193};
constexpr double kRecordTime = 0.04355;  // seconds
constexpr std::uint32_t kRecords = 400;  // of a task
constexpr std::uint32_t kRecordBytes = 250;
constexpr double kDelay = 0.0001;    // seconds, of everything in a network
constexpr double kLaunch = 0.0005;   // seconds, of what the programs need for it
constexpr double kHeartbeat = 0.47;  // seconds
constexpr double kNodeTimeout = 6;   // seconds
constexpr double kCutTimeout = 3;    // seconds
constexpr double kRestart = 0.5;     // seconds: all workers, as then they all register in the same millisecond
constexpr double kRegistered = 0.7003;
// The nodes that were before the restart are lost, and heartbeats come as soon after the submission as in the model.
constexpr double kSubmission = kRegistered + 16 * kHeartbeat - 0.001;

std::string value_of(std::string_view line, const std::string& key) {
  const std::size_t found = line.find(" " + key + "=");
  if (found == line.npos) return "";
  const std::string_view rest = line.substr(found + key.size() + 2);
  return std::string(rest.substr(0, rest.find(' ')));
}

faults::FaultPlan plan_of(const Case& what, std::uint64_t seed) {
  faults::FaultPlan plan;
  plan.seed = seed;
  plan.slots.assign(kSlowness.size(), 1);
  plan.slowness = kSlowness;
  plan.network_delay = plan.disk_delay = kDelay;
  plan.sync_delay = 2 * kDelay;
  plan.heartbeat = kHeartbeat;
  plan.node_timeout = kNodeTimeout;
  plan.cut_timeout = kCutTimeout;
  plan.quiet_after = 1;
  for (std::uint32_t node = 0; node < kSlowness.size(); ++node) {
    faults::Fault restart;
    restart.kind = faults::FaultKind::WorkerDies;
    restart.at = kRestart;
    restart.node = node;
    plan.faults.push_back(restart);
  }
  const PolicyChoice policy = *read_policy(what.policy);
  faults::Submission job;
  job.at = kSubmission;
  job.tasks = what.tasks;
  job.record_bytes = kRecordBytes;
  job.split_bytes = kRecords * kRecordBytes;
  job.record_time = kRecordTime;
  job.start = what.start;
  job.policy = policy.name;
  job.policy_parameters = {policy.parameters.begin(), policy.parameters.end()};
  job.deadline = what.deadline;
  job.checkpoint = 0;
  plan.submissions = {job};
  return plan;
}

// The seed draws in which order the nodes register.
Course by_programs(const Case& what, std::uint64_t seed) {
  Course course;
  std::map<std::string, double> slowness;  // by node
  faults::set_application_directory(ONTIME_FAULT_APPLICATIONS);
  const faults::Verdict verdict = faults::run(plan_of(what, seed), [&](std::string_view line) {
    const std::string node = value_of(line, "node");
    if (line.find("master: node_added") != line.npos) {
      slowness[node] = kSlowness.at(std::stoul(value_of(line, "name").substr(2)));  // "w3"
      course.slowness.push_back(slowness[node]);
    } else if (line.find("master: attempt_launched") != line.npos) {
      course.attempts[value_of(line, "attempt")] = slowness.at(node);
    } else if (const std::string seconds = value_of(line, "seconds"); !seconds.empty()) {
      EXPECT_EQ(value_of(line, "state"), "succeeded");
      course.flow_time = std::stod(seconds);
    }
  });
  EXPECT_TRUE(verdict.is_good()) << verdict.broken;
  EXPECT_EQ(course.slowness.size(), 2 * kSlowness.size()) << "all have registered, and anew after the restart";
  course.slowness.erase(course.slowness.begin(), course.slowness.end() - static_cast<std::ptrdiff_t>(kSlowness.size()));
  return course;
}

Course by_the_model(const Case& what, const std::vector<double>& slowness) {
  Course course{0, {}, slowness};
  Scenario scenario;
  scenario.nodes.clear();
  for (const double one : slowness) scenario.nodes.push_back({1, 1, Distribution::constant(one)});
  scenario.launch = Distribution::constant(kLaunch);
  scenario.keeps_runners = true;
  scenario.network_delay = Distribution::constant(kDelay);
  scenario.heartbeat = kHeartbeat;
  scenario.node_timeout = kNodeTimeout;
  scenario.cut_timeout = kCutTimeout;
  const PolicyChoice policy = *read_policy(what.policy);
  JobGroup job;
  job.size.tasks = Distribution::constant(what.tasks);
  job.size.split_bytes = kRecords * kRecordBytes;
  job.size.record_bytes = kRecordBytes;
  job.times.duration = Distribution::constant(kRecords * kRecordTime);
  job.times.start = Distribution::constant(what.start);
  job.handling.policy = policy.name;
  job.handling.policy_parameters = policy.parameters;
  job.deadline.seconds = what.deadline;
  job.handling.checkpoint_interval = Duration(0);
  scenario.jobs = {job};
  Observer observer;
  observer.log = [&](std::string_view line) {
    if (line.find(" > launch ") == line.npos) return;
    const std::size_t node = std::stoul(value_of(line, "node").substr(5));  // "node-3"
    course.attempts[value_of(line, "attempt")] = slowness.at(node - 1);
  };
  course.flow_time = lab::run(scenario, 1, observer).jobs.front().flow_time();
  return course;
}

void PrintTo(const Case& what, std::ostream* out) {
  *out << what.policy << ", " << what.tasks << " tasks, deadline " << what.deadline << " s, start " << what.start
       << " s";
}

class Agreement : public testing::TestWithParam<Case> {};

TEST_P(Agreement, OfTheFastSimulatorWithWhatShips) {
  constexpr std::uint64_t kOrders = 3;
  for (std::uint64_t seed = 1; seed <= kOrders; ++seed) {
    const Course programs = by_programs(GetParam(), seed);
    const Course model = by_the_model(GetParam(), programs.slowness);
    EXPECT_EQ(model.attempts, programs.attempts) << "order " << seed;
    EXPECT_NEAR(model.flow_time, programs.flow_time, 0.01 * programs.flow_time) << "order " << seed;
  }
}

std::string name_of(const testing::TestParamInfo<Case>& param) {
  std::string name;
  for (const char c : param.param.policy.substr(0, param.param.policy.find(':'))) {
    if (c != '-') name += c == '+' ? "Plus" : std::string(1, c);
  }
  const std::string start =
      param.param.start > 0 ? "Start" + std::to_string(static_cast<int>(param.param.start)) : std::string();
  return name + std::to_string(param.param.tasks) + "By" + std::to_string(static_cast<int>(param.param.deadline)) +
         start;
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Agreement,
    testing::Values(Case{"none", 0, 8}, Case{"none", 0, 20}, Case{"hadoop", 0, 8}, Case{"hadoop", 0, 20},
                    // Its minimum of 60 s is a multiple of the second between two checks.
                    Case{"late:min_age=51.3s", 0, 8}, Case{"late:min_age=51.3s", 0, 20},  //
                    Case{"mantri", 0, 8}, Case{"mantri", 0, 20}, Case{"clone", 41, 4},    //
                    Case{"s-restart", 51, 8}, Case{"s-restart", 71, 20},                  //
                    Case{"s-resume", 53, 8}, Case{"s-resume", 61, 20}, Case{"s-resume", 77, 20}, Case{"sca", 61, 20},
                    Case{"sda", 61, 20}, Case{"ese", 61, 20}, Case{"shed", 61, 20}, Case{"shed+", 41, 8},
                    Case{"shed+", 61, 20}, Case{"shed+", 74, 20}, Case{"shed+", 83, 20}, Case{"split-resume", 43, 8},
                    Case{"split-resume", 53, 8}, Case{"split-resume", 61, 8}, Case{"split-resume", 76, 8},
                    Case{"split-resume", 53, 12}, Case{"split-resume", 89, 16}, Case{"split-resume", 89, 20},
                    // A start in every segment, also of a runner that was kept, four times as long on slow nodes.
                    Case{"none", 0, 8, 3.17}, Case{"none", 0, 20, 3.17}, Case{"hadoop", 0, 8, 3.17},
                    Case{"hadoop", 0, 20, 8.29}, Case{"clone", 61, 4, 3.17}),
    name_of);

}  // namespace
}  // namespace ontime::lab
