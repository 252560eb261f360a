#include "lab/scenario/scenario_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace ontime::lab {
namespace {

using testing::HasSubstr;

std::string complaint(const std::string& text) {
  const auto scenario = read_scenario(text);
  return scenario ? "" : scenario.error().message;
}

TEST(ScenarioYaml, RecordedDurationsSayHowManyTasksThereAre) {
  const auto scenario = read_scenario("{nodes: [{count: 1}], jobs: [{first_durations: [1, 2s, 0]}]}");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->jobs[0].times.first_durations, (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(scenario->jobs[0].size.tasks.median(), 3);
  EXPECT_THAT(complaint("{nodes: [{count: 1}], jobs: [{first_durations: [-1]}]}"), HasSubstr("recorded duration"));
}

TEST(ScenarioYaml, TakesJobsFromATraceFile) {
  const auto read_file = [](const std::string& path) -> Result<std::string> {
    if (path != "jobs.csv") return bad_input("there is no " + path);
    return std::string("# two columns count\nsubmit_s,bytes,tasks\n0.5,7,3\n2,7,1\n9.25,7,40\n");
  };
  const auto all = read_scenario("{nodes: [{count: 1}], jobs: [{trace: {file: jobs.csv}}]}", {read_file});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->jobs[0].count, 3u);
  EXPECT_EQ(all->jobs[0].trace[2].at, 9.25);
  EXPECT_EQ(all->jobs[0].trace[2].tasks, 40u);
  const auto some = read_scenario("{nodes: [{count: 1}], jobs: [{trace: {file: jobs.csv, every: 2}}]}", {read_file});
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_EQ(some->jobs[0].count, 2u);
  EXPECT_EQ(some->jobs[0].trace[1].tasks, 40u);
  const auto none = read_scenario("{nodes: [{count: 1}], jobs: [{trace: {file: other.csv}}]}", {read_file});
  EXPECT_THAT(none ? "" : none.error().message, HasSubstr("there is no other.csv"));
}

TEST(ScenarioYaml, TakesWavesOfTasksOfDifferentLengthAndWhatIsKnownOfThem) {
  const auto scenario = read_scenario(
      "{nodes: [{count: 2}], jobs: [{tasks: {waves: 3, share: {uniform: [0.5, 1]}}, arrivals: {spread: 0.8}, "
      "split_lengths: {uniform: [0.1, 1]}, history: 40}]}");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const JobGroup& group = scenario->jobs[0];
  EXPECT_EQ(group.size.tasks.median(), 3);
  EXPECT_EQ(group.size.share.median(), 0.75);
  EXPECT_EQ(group.arrivals.spread, 0.8);
  EXPECT_DOUBLE_EQ(group.size.split_lengths.least(), 0.1);
  EXPECT_EQ(group.known.history, 40u);
  const auto about = [](const std::string& keys) { return complaint("{nodes: [{count: 2}], jobs: [{" + keys + "}]}"); };
  EXPECT_THAT(about("tasks: {waves: 3, share: 0}"), HasSubstr("share"));
  EXPECT_THAT(about("split_lengths: -1"), HasSubstr("length"));
  EXPECT_THAT(about("history: 1000"), HasSubstr("512"));
  EXPECT_THAT(about("arrivals: {spread: -1}"), HasSubstr("spread"));
}

TEST(ScenarioYaml, RefusesMoreThanCanBeSimulatedAndWhatMeansNothing) {
  const auto about = [](const std::string& jobs, const std::string& nodes = "count: 2") {
    return complaint("{nodes: [{" + nodes + "}], jobs: [{" + jobs + "}]}");
  };
  EXPECT_EQ(about("count: 3, tasks: 4, arrivals: {load: 0.5}"), "");
  EXPECT_THAT(about("count: 1000000000"), HasSubstr("at most 10000000 jobs"));
  EXPECT_EQ(complaint("{nodes: [{count: 1}], jobs: [{tasks: 1}], seed: 4000000000}"), "");
  EXPECT_THAT(about("tasks: 1000000000"), HasSubstr("at most 10000000 tasks"));
  EXPECT_THAT(about("tasks: 2.5"), HasSubstr("a whole number of tasks"));
  EXPECT_THAT(about("tasks: ten"), HasSubstr("'ten' is not a number of tasks"));
  EXPECT_EQ(about("tasks: 1", "count: 500000}, {name: b, count: 500000"), "");
  EXPECT_THAT(about("tasks: 1", "count: 600000}, {name: b, count: 500000"), HasSubstr("at most 1000000 nodes"));
  EXPECT_THAT(about("tasks: 1", "count: 100000, slots: 101"), HasSubstr("and 10000000 slots"));
  EXPECT_THAT(about("tasks: 1, arrivals: {load: 0}"), HasSubstr("load is more than 0"));
  EXPECT_THAT(about("tasks: 1, arrivals: {rate: 0}"), HasSubstr("rate is more than 0"));
}

TEST(ScenarioYaml, RefusesATraceThatIsNotInOrderOrHasNoTasks) {
  const auto complaint_about = [](const std::string& csv) {
    const auto read_file = [&](const std::string&) -> Result<std::string> { return csv; };
    const auto scenario = read_scenario("{nodes: [{count: 1}], jobs: [{trace: {file: f}}]}", {read_file});
    return scenario ? "" : scenario.error().message;
  };
  EXPECT_THAT(complaint_about("submit_s,tasks\n5,1\n4,1\n"), HasSubstr("line 3: jobs come in order"));
  EXPECT_THAT(complaint_about("submit_s,tasks\n5,0\n"), HasSubstr("line 2"));
  EXPECT_THAT(complaint_about("submit_s,bytes\n5,1\n"), HasSubstr("line 2"));
  EXPECT_THAT(complaint_about("submit_s,tasks\n"), HasSubstr("there is no job in it"));
}

constexpr const char* kEverything = R"(
nodes:
  - {count: 3, slots: 2}
  - {count: 1, slots: 1, slowness: {uniform: [2, 4]}, disk: {write: 100MiB, sync: {uniform: [0.01, 0.03]}}}
launch: 500ms
network_delay: {lognormal: [2ms, 0.5]}
network: {loss: 0.01, retransmit: 300ms, give_up: 5s}
commit: 3s
heartbeat: 200ms
node_timeout: 5s
cut_timeout: 3s
reconnect: 1s
speed_changes_every: 1m
node_correlation: 0.25
crash_probability: 0.01
horizon: 1e6
check_invariants: yes
placement: {apart: no, fast_first: no, leave_out: no, left_out_for: 10s}
outages:
  - {node: 3, at: 10s, lasts: 2s, kind: partition}
  - {node: 1, at: 20}
  - {node: 2, at: 5, kind: disk_full}
  - {node: 2, at: 6, kind: disk_fails}
  - {node: 0, at: 120, lasts: 1s, kind: time_limit, lead: 3s}
jobs:
  - name: words
    count: 5
    arrivals: {load: 0.5}
    tasks: {uniform: [5, 10]}
    split_bytes: 64MiB
    record_bytes: 4KiB
    duration: {pareto: [10s, 1.5]}
    deadline: 1m
    output: 0.5
    start: {uniform: [1, 3]}
    start_of: process
    reads_ahead: 8KiB
    record_time: {lognormal: [1, 0.5]}
    workers_answer: no
    skew: {begins: {uniform: [0.2, 0.8]}, share: 0.1, slowness: 4}
    policy: shed+:theta=1s
    set: {pattern: x}
    estimator: hadoop
    checkpoint: off
    attempt_timeout: 10m
    attempts_max: 3
    kill_on_miss: yes
  - {arrivals: [0, 5, 7.5], duration: {empirical: [1, 2, 3]}}
  - {arrivals: one_by_one, count: 2, reads_ahead: all}
)";

TEST(ScenarioYaml, ReadsEverythingThereIs) {
  const auto scenario = read_scenario(kEverything);
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(slots_of(*scenario), 7u);
  EXPECT_EQ(scenario->nodes[1].slowness, Distribution::uniform(2, 4));
  EXPECT_EQ(scenario->nodes[1].disk.bytes_per_second, 100u << 20);
  EXPECT_EQ(scenario->nodes[1].disk.sync, Distribution::uniform(0.01, 0.03));
  EXPECT_FALSE(scenario->nodes[0].disk.takes_time());
  EXPECT_EQ(scenario->launch.median(), 0.5);
  EXPECT_EQ(scenario->network_delay, Distribution::lognormal(0.002, 0.5));
  EXPECT_EQ(scenario->network.loss, 0.01);
  EXPECT_EQ(scenario->network.retransmit, 0.3);
  EXPECT_EQ(scenario->network.give_up, 5);
  EXPECT_EQ(scenario->commit.median(), 3);
  EXPECT_EQ(scenario->cut_timeout, 3);
  EXPECT_EQ(scenario->speed_changes_every, 60);
  EXPECT_EQ(scenario->outages[0].kind, Outage::Kind::Partition);
  EXPECT_EQ(scenario->outages[1].lasts, kForEver);
  EXPECT_EQ(scenario->outages[2].kind, Outage::Kind::DiskFull);
  EXPECT_EQ(scenario->outages[3].kind, Outage::Kind::DiskFails);
  EXPECT_EQ(scenario->outages[4].kind, Outage::Kind::TimeLimit);
  EXPECT_EQ(scenario->outages[4].lead, 3);
  EXPECT_FALSE(scenario->placement.apart);
  const JobGroup& words = scenario->jobs[0];
  EXPECT_EQ(words.count, 5u);
  EXPECT_EQ(words.arrivals.load, 0.5);
  EXPECT_EQ(words.size.split_bytes, 64u << 20);
  EXPECT_EQ(words.handling.policy, "shed+");
  EXPECT_EQ(words.handling.policy_parameters.at("theta"), "1s");
  EXPECT_EQ(words.work.parameters.at("pattern"), "x");
  EXPECT_EQ(words.times.duration, Distribution::pareto(10, 1.5));
  EXPECT_EQ(words.deadline.seconds, 60);
  EXPECT_EQ(words.times.skew.begins, Distribution::uniform(0.2, 0.8));
  EXPECT_EQ(words.times.skew.share.median(), 0.1);
  EXPECT_EQ(words.times.skew.slowness.median(), 4);
  EXPECT_EQ(words.handling.checkpoint_interval, Duration(0));
  EXPECT_EQ(words.size.output, 0.5);
  EXPECT_EQ(words.times.start, Distribution::uniform(1, 3));
  EXPECT_EQ(words.times.start_of, injection::StartOf::Process);
  EXPECT_EQ(words.times.reads_ahead, 8u << 10);
  EXPECT_EQ(words.times.record_time, Distribution::lognormal(1, 0.5));
  EXPECT_EQ(words.times.workers_answer, false);
  EXPECT_TRUE(scenario->jobs[1].times.is_plain());
  EXPECT_EQ(scenario->jobs[2].times.reads_ahead, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(scenario->jobs[1].count, 3u);
  EXPECT_FALSE(scenario->jobs[1].handling.checkpoint_interval);
  EXPECT_TRUE(scenario->jobs[2].arrivals.one_by_one);
}

// One document for both: in virtual time with the defaults of processes, except for what must be measured or mapped.
TEST(ScenarioYaml, WithAnInjectionItDescribesProcesses) {
  const auto scenario = read_scenario(
      "nodes: [{count: 2}, {name: old, slowness: 3}]\ninjection: {pace: 2s}\n"
      "jobs: [{app: sort, tasks: {5: 0.5, 10: 0.3, 20: 0.2}, input: {text: 16KiB}, arrivals: {load: 0.5}}]\n"
      "policies: {mine: 'shed+:theta=1s'}\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->launch.median(), 0.02);
  EXPECT_EQ(scenario->nodes[0].name, "worker");
  ASSERT_EQ(scenario->injection->nodes.size(), 1u);
  EXPECT_EQ(scenario->injection->nodes[0].pattern, "old-*");
  EXPECT_EQ(scenario->jobs[0].name, "sort");
  EXPECT_EQ(scenario->jobs[0].size.split_bytes, 16u << 10);
  EXPECT_EQ(scenario->jobs[0].times.duration.median(), 2);
  EXPECT_NEAR(*mean_work(*scenario, scenario->jobs[0]), 9.5 * 2 * 5 / 3, 1e-9);
  EXPECT_EQ(scenario->policies[0].name, "mine");
  const std::string start = "nodes: [{count: 1}]\ninjection: {pace: 1s}\njobs:\n  - {";
  const std::string why = "is for 'ontime experiment', which simulates it too";
  EXPECT_THAT(complaint(start + "noise: yes}\n"), HasSubstr("line 4: 'noise' " + why));
  EXPECT_THAT(complaint(start + "deadline: {medians_of: hadoop}}\n"), HasSubstr("line 4: 'medians_of' " + why));
  EXPECT_THAT(complaint(start + "input: book.txt}\n"), HasSubstr("line 4: input files"));
}

TEST(ScenarioYaml, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(complaint("nodes:\n  - {coutn: 3}\n"), testing::AllOf(HasSubstr("line 2"), HasSubstr("coutn")));
  EXPECT_THAT(complaint("nodes: [{}]\njobs:\n  - duration: {pareto: [1]}\n"), HasSubstr("two numbers"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs:\n  - duration: {gauss: [1, 2]}\n"), HasSubstr("gauss"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs:\n  - policy: wishful\n"), HasSubstr("wishful"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs:\n  - deadline: soon\n"), HasSubstr("soon"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs:\n  - skew: {slowness: 0}\n"), HasSubstr("skew"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs:\n  - deadline: -1\n"), HasSubstr("negative"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs: [{}]\noutages: [{node: 7, at: 1}]\n"), HasSubstr("outage"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs: [{}]\nnetwork: {loss: 1}\n"), HasSubstr("loss"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs: [{}]\nnetwork: {give_up: 0}\n"), HasSubstr("given up"));
  EXPECT_THAT(complaint("nodes: [{disk: {write: 0}}]\njobs: [{}]\n"), HasSubstr("disk"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs: [{}]\noutages: [{node: 0, at: 1, kind: fire}]\n"), HasSubstr("disk_full"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs: [{output: -1}]\n"), HasSubstr("output"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs: [{start: -1}]\n"), HasSubstr("start"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs: [{start_of: task}]\n"), HasSubstr("segment, attempt, process"));
  EXPECT_THAT(complaint("nodes: [{}]\njobs: [{record_time: 0}]\n"), HasSubstr("record"));
  EXPECT_THAT(complaint("nodes: []\njobs: [{}]\n"), HasSubstr("node"));
  EXPECT_THAT(complaint("jobs: [\n"), HasSubstr("line"));
  EXPECT_NE(complaint(""), "");
  EXPECT_NE(complaint("- 1\n- 2\n"), "");
}

}  // namespace
}  // namespace ontime::lab
