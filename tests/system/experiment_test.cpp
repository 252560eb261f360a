// `ontime experiment` with real processes: the stragglers of the simulator, a kill in the middle, a cluster that is
// there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "tests/support/object_store.h"
#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

constexpr const char* kScenario =
    "nodes: [{count: 6, slots: 1}]\n"
    "injection: {pace: 200ms, straggler: 0.2:6x}\n"
    "jobs: [{app: wordcount, tasks: 5, count: 2, input: {text: 4KiB}, deadline: 700ms}]\n"
    "policies: [none, split-resume]\n";

std::vector<std::map<std::string, std::string>> rows_of(const std::string& path) {
  std::istringstream lines(read_file(path));
  const auto fields_of = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    return fields;
  };
  std::string line;
  std::getline(lines, line);
  const auto titles = fields_of(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(lines, line)) {
    const auto fields = fields_of(line);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(titles.size(), fields.size()); ++i) row[titles[i]] = fields[i];
  }
  return rows;
}

// By job: the task whose attempt took longest without speculation.
std::map<std::string, std::string> slowest_tasks(const std::string& results) {
  std::map<std::string, std::string> slowest;
  std::map<std::string, double> longest;
  for (auto& row : rows_of(results + "/attempts.csv")) {
    if (row["policy"] != "none") continue;
    const double took = std::stod(row["ended_s"]) - std::stod(row["started_s"]);
    if (took <= longest[row["job"]]) continue;
    longest[row["job"]] = took;
    slowest[row["job"]] = row["task"];
  }
  return slowest;
}

bool has_worker(const Cluster& cluster) { return cluster.client({"nodes"}).out.find("live") != std::string::npos; }

TEST(Experiment, RealProcessesMeetTheStragglersOfTheSimulator) {
  const TemporaryDirectory directory;
  write_file(directory / "small.yaml", kScenario);
  for (const char* where : {"sim", "local"}) {
    const Finished done =
        ontime({"experiment", directory / "small.yaml", "--on", where, "--output", directory / where});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("split-resume"));
    EXPECT_THAT(read_file(directory / where + "/report.html"), HasSubstr("</html>"));
  }
  const auto slowest = slowest_tasks(directory / "local");
  EXPECT_EQ(slowest.size(), 2u);
  EXPECT_EQ(slowest, slowest_tasks(directory / "sim"));
  EXPECT_FALSE(std::filesystem::exists(directory / "local/work"));
  const Finished compared = ontime({"compare", directory / "sim", directory / "local"});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("Newcombe"));
}

TEST(Experiment, WhoseResultsWereCopiedToAStoreIsCompared) {
  if (!ObjectStore::is_there()) GTEST_SKIP() << "there is no versitygw (scripts/install-dependencies --tests)";
  const TemporaryDirectory directory;
  write_file(directory / "small.yaml", kScenario);
  const std::string here = directory / "here";
  const Finished done = ontime({"experiment", directory / "small.yaml", "--on", "sim", "--output", here});
  ASSERT_EQ(done.status, 0) << done.err;
  const ObjectStore store("results");
  std::filesystem::create_directories(store.path("there"));
  std::filesystem::copy_file(here + "/jobs.csv", store.path("there/jobs.csv"));
  for (const auto& [name, value] : store.environment()) ::setenv(name.c_str(), value.c_str(), 1);
  const Finished compared = ontime({"compare", here, store.url("there/"), "--json"});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_EQ(compared.out, ontime({"compare", here, here, "--json"}).out);
  const Finished nothing = ontime({"compare", here, store.url("nothing")});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("holds no finished experiment"));
}

TEST(Experiment, GoesOnWhereItWasKilledAndRefusesAnotherScenario) {
  const TemporaryDirectory directory;
  write_file(directory / "small.yaml", kScenario);
  const Arguments call{"experiment", directory / "small.yaml", "--on", "local", "--output", directory / "out"};
  const std::string first = directory / "out/runs/none/1/jobs.csv";
  {
    Arguments arguments = call;
    arguments.insert(arguments.begin(), kBin + "/ontime");
    Process experiment(arguments, directory / "log", {{"ONTIME_APP_PATH", kBin + "/../lib/ontime/apps"}});
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(first); })) << experiment.output().err;
    experiment.kill();
  }
  const auto written = std::filesystem::last_write_time(first);
  const Finished done = ontime(call);
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(std::filesystem::last_write_time(first), written);
  EXPECT_EQ(rows_of(directory / "out/jobs.csv").size(), 4u);
  write_file(directory / "small.yaml", std::string(kScenario) + "seed: 2\n");
  const Finished refused = ontime(call);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("another scenario"));
}

TEST(Simulate, ABadScenarioIsRefusedInOneSentenceWithItsLine) {
  const TemporaryDirectory directory;
  const std::string scenario = directory / "scenario.yaml";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"nodes: [\n", "line 2: this is not valid YAML; check brackets"},
      {"nodes: {count: 2}\nnodes: {count: 3}\n", "line 2: 'nodes' is there twice"},
      {"", "'" + scenario + "' is empty"}};
  for (const auto& [text, sentence] : bad) {
    write_file(scenario, text);
    const Finished refused = ontime({"simulate", scenario});
    EXPECT_EQ(refused.status, 2) << text;
    EXPECT_THAT(refused.err, HasSubstr(sentence));
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
}

TEST(Simulate, NoFileThatIsThereIsReplaced) {
  const TemporaryDirectory directory;
  const std::string tiny = directory / "tiny.yaml", mine = directory / "mine", pages = directory / "pages";
  write_file(tiny, "nodes: [{count: 2, slots: 1}]\njobs: [{tasks: 2, duration: 1s}]\n");
  write_file(mine, "precious\n");
  std::filesystem::create_directory(pages);
  write_file(pages + "/x", "");
  const std::string done = directory / "done";
  std::filesystem::create_directory(done);
  write_file(done + "/jobs.csv", "policy,job\n");
  const std::string run = directory / "run.otr";
  ASSERT_EQ(ontime({"run", "wordcount", tiny, "--output", directory / "out", "-q", "--record", run}).status, 0);
  const std::vector<std::pair<Arguments, std::string>> refusals = {
      {{"replay", "--recording", run, "--report", mine}, "--report: '" + mine + "' exists; choose another name"},
      {{"simulate", tiny, "--event-log", mine}, "--event-log: '" + mine + "' exists; choose another name"},
      {{"simulate", tiny, tiny, "--event-log", directory / "new"}, "--event-log is for one scenario, and 2 are given"},
      {{"simulate", tiny, "--output", done}, "--output: '" + done + "/jobs.csv' exists; choose another name"},
      {{"simulate", tiny, "--report", pages}, "--report: the directory '" + pages + "' is not empty"}};
  for (const auto& [command, sentence] : refusals) {
    const Finished refused = ontime(command);
    EXPECT_EQ(refused.status, 2) << sentence;
    EXPECT_THAT(refused.err, HasSubstr(sentence));
  }
  EXPECT_EQ(read_file(mine), "precious\n");
  EXPECT_EQ(read_file(done + "/jobs.csv"), "policy,job\n");
}

TEST(Simulate, SaysWhatBecameOfJobsThatDidNotSucceed) {
  const TemporaryDirectory directory;
  const std::string scenario = directory / "short.yaml", out = directory / "out";
  // The first job is done at the horizon, the second under way, and the third would come later.
  write_file(scenario,
             "nodes: [{count: 2, slots: 1}]\nlaunch: 0\nhorizon: 15s\n"
             "jobs: [{count: 3, tasks: 2, duration: 8s, deadline: 20s, arrivals: {every: 10s}}]\n");
  const Finished run = ontime({"simulate", scenario, "--output", out});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 job had not come by the horizon: left out"));
  EXPECT_THAT(run.err, HasSubstr("1 job had not ended at the horizon"));
  auto jobs = rows_of(out + "/jobs.csv");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0]["state"], "succeeded");
  EXPECT_EQ(jobs[1]["state"], "unfinished");
  EXPECT_EQ(jobs[1]["submitted_s"], "10");
  EXPECT_EQ(jobs[1]["ended_s"] + jobs[1]["time_s"], "");
  const Finished compared = ontime({"compare", out, out});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("as given  PoCD        0.500  0.500"));
}

TEST(Simulate, FlagsThatAStudyWouldIgnoreAreRefused) {
  const TemporaryDirectory directory;
  const std::string study = directory / "study.yaml";
  write_file(study, "nodes: [{count: 2, slots: 1}]\njobs: [{tasks: 2, duration: 1s}]\nstudy: {}\n");
  for (const std::string flag : {"--policy", "--report", "--event-log"}) {
    const Finished refused = ontime({"simulate", study, flag, directory / "none"});
    EXPECT_EQ(refused.status, 2) << flag;
    EXPECT_THAT(refused.err, HasSubstr(flag + " is for scenarios"));
  }
}

TEST(Experiment, OfAnUnknownApplicationIsRefusedInSimulationToo) {
  const TemporaryDirectory directory;
  std::string scenario = kScenario;
  scenario.replace(scenario.find("wordcount"), 9, "wordcuont");
  write_file(directory / "small.yaml", scenario);
  const Finished refused = ontime({"experiment", directory / "small.yaml", "--output", directory / "out"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("did you mean 'wordcount'?"));
  EXPECT_FALSE(std::filesystem::exists(directory / "out"));
}

TEST(Experiment, RunsOnAClusterThatIsThereIfItInjectsWhatIsWanted) {
  const TemporaryDirectory directory;
  write_file(directory / "small.yaml", kScenario);
  Arguments call{"experiment", directory / "small.yaml", "--output", directory / "out", "--on"};
  {
    Cluster cluster;
    cluster.start_master();
    cluster.add_worker(6);
    call.push_back(cluster.address());
    ASSERT_TRUE(eventually([&] { return has_worker(cluster); }));
    const Finished refused = ontime(call);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("the master at " + cluster.address() + " injects nothing"));
  }
  Cluster cluster;
  cluster.start_master({"--seed", "1", "--injection", directory / "out/injection.yaml"});
  cluster.add_worker(6);
  ASSERT_TRUE(eventually([&] { return has_worker(cluster); }));
  call.back() = cluster.address();
  call[3] = directory / "out2";
  const Finished done = ontime(call);
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(rows_of(directory / "out2/jobs.csv").size(), 4u);
}

}  // namespace
}  // namespace ontime::test
