// The scheduler is given again what a real master was given, and answers the same: after a run of its own, on the
// journal of a master that runs, and across a master's death.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

// A whole split takes 0.8 s, one original in ten eight times as long.
const Arguments kInjection{"--inject", "pace=800ms", "--inject", "straggler=0.1:8x", "--seed", "7"};

nlohmann::json replay(Arguments arguments) {
  arguments.insert(arguments.begin(), "replay");
  arguments.push_back("--json");
  const Finished finished = ontime(arguments);
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  return nlohmann::json::parse(finished.out, nullptr, false);
}

std::ptrdiff_t live_nodes(const Cluster& cluster) {
  const nlohmann::json answer = nlohmann::json::parse(cluster.client({"nodes", "--json"}).out, nullptr, false);
  if (answer.is_discarded()) return 0;  // the master is not back yet
  return std::ranges::count(answer["nodes"], "live", [](const auto& node) { return node["state"]; });
}

class Report : public PacedJobs {};

TEST_F(Report, TellsWhatWasExpectedOfAJobThatNobodyWatched) {
  cluster_.start_master();
  cluster_.add_worker();
  const std::string job = submit_paced("out", "2");
  // A client that waits for it would ask for forecasts.
  const auto has_ended = [&] {
    return cluster_.client({"jobs", "--json"}).out.find("\"succeeded\"") != std::string::npos;
  };
  ASSERT_TRUE(eventually(has_ended));
  ASSERT_EQ(cluster_.client({"report", job, "--output", cluster_ / "report.html"}).status, 0);
  const std::string page = read_file(cluster_ / "report.html");
  EXPECT_NE(page.find("\"forecasts\":[{\"at_seconds\":"), std::string::npos);
}

class ReplayOfPolicy : public testing::TestWithParam<const char*> {};

TEST_P(ReplayOfPolicy, ReachesTheDecisionsOfARealRun) {
  const TemporaryDirectory directory;
  Arguments run{"run",      "wordcount",  kNovel,      "--output", directory / "out",
                "--splits", "10",         "--workers", "20",       "--policy",
                GetParam(), "--deadline", "8s",        "--record", directory / "run.otr",
                "--quiet"};
  // So slow that also on a busy machine most attempts show how fast they are before they are cut.
  run.insert(run.end(), {"--inject", "pace=1600ms", "--inject", "straggler=0.1:8x", "--seed", "7"});
  const Finished finished = ontime(run);
  EXPECT_TRUE(finished.status == 0 || finished.status == 3) << finished.err;  // done, in time or not
  const nlohmann::json again = replay({"--recording", directory / "run.otr"});
  EXPECT_EQ(again["identical"], true) << again.dump(1);
  EXPECT_GT(again["epochs"][0]["decisions"], 0) << again.dump(1);
  EXPECT_EQ(again["epochs"][0]["end"], "the master has ended");
  EXPECT_EQ(again["jobs"][0]["state"], "succeeded");

  // Without copies the straggler's original would have gone on at its pace.
  const nlohmann::json otherwise =
      replay({"--recording", directory / "run.otr", "--policy", "none", "--policy", "shed+", "--runs", "50"});
  EXPECT_EQ(otherwise["tasks"], 10);
  EXPECT_GE(otherwise["durations_recorded"], 5) << otherwise.dump(1);
  // How slow it looked before it was cut depends on the moment; most of the runs end when the median says.
  const auto& unaided_job = otherwise["policies"][0];
  EXPECT_EQ(unaided_job["pocd"]<0.5, unaided_job["median_seconds"]> 8) << otherwise.dump(1);
  EXPECT_EQ(otherwise["recorded"]["policy"], GetParam());

  const Finished planned = ontime({"plan", "wordcount", kNovel, "--splits", "10", "--slots", "20", "--deadline", "8s",
                                   "--price", "1", "--recording", directory / "run.otr", "--json"});
  EXPECT_EQ(planned.status, 0) << planned.err;
  const nlohmann::json plan = nlohmann::json::parse(planned.out, nullptr, false);
  EXPECT_EQ(plan["tasks"], 10) << planned.out;
  EXPECT_EQ(plan["policies"][0]["method"], "formula");
  EXPECT_GT(plan["durations"]["tail"]["median_seconds"], 0.5);
  const double unaided = plan["policies"][0]["pocd"];
  for (const auto& policy : plan["policies"])
    EXPECT_GE(policy["pocd_high"].get<double>() + 0.05, unaided) << planned.out;
}

INSTANTIATE_TEST_SUITE_P(Policies, ReplayOfPolicy, testing::Values("split-resume", "s-resume", "shed+", "hadoop"),
                         [](const auto& policy) {
                           std::string name = policy.param;
                           std::erase_if(name, [](char c) { return c == '-' || c == '+'; });
                           return name;
                         });

TEST(Plan, CountsTheTasksThatTheJobWillHave) {
  const TemporaryDirectory directory;
  ASSERT_EQ(shell("mkdir " + directory / "in" + " && cd " + directory / "in" +
                  " && for i in $(seq 200); do echo some words > f$i; done")
                .status,
            0);
  const auto tasks_with = [&](const Arguments& options) {
    Arguments arguments{"plan",   "wordcount", directory / "in", "--deadline", "9s",    "--t-min", "1s",
                        "--beta", "2",         "--slots",        "20",         "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Finished planned = ontime(arguments);
    EXPECT_EQ(planned.status, 0) << planned.err;
    return nlohmann::json::parse(planned.out, nullptr, false)["tasks"];
  };
  EXPECT_EQ(tasks_with({}), 100);
  EXPECT_EQ(tasks_with({"--splits", "4"}), 4);
  EXPECT_EQ(tasks_with({"--splits", "4", "--no-combine"}), 200);
}

TEST(Replay, ReachesTheDecisionsOfMastersThatWereKilledAndOfOneThatRuns) {
  Cluster cluster;
  cluster.start_master(kInjection);
  for (int i = 0; i < 20; ++i) cluster.add_worker();
  const std::string job = cluster.submit({"wordcount", kNovel, "--output", cluster / "out", "--splits", "30",
                                          "--policy", "split-resume", "--checkpoint", "200ms", "--deadline", "6s"});
  const auto tasks_done = [&](int count) {
    return eventually([&] {
      const nlohmann::json description = cluster.job(job);
      return !description.is_null() && description["tasks_done"].get<int>() >= count;
    });
  };
  // What happened last is not in the file yet when a master is killed, so it has to have lived for a while.
  const auto has_recorded = [&](std::size_t epochs) {
    return eventually([&] {
      const Finished replayed = ontime({"replay", "--journal", cluster / "journal", "--json"});
      const nlohmann::json so_far = nlohmann::json::parse(replayed.out, nullptr, false);
      return replayed.status == 0 && so_far["epochs"].size() == epochs && so_far["epochs"].back()["steps"] > 20;
    });
  };
  ASSERT_TRUE(tasks_done(1));
  ASSERT_TRUE(has_recorded(1));
  cluster.restart_master();
  ASSERT_TRUE(has_recorded(2));
  cluster.restart_master();
  EXPECT_EQ(cluster.wait(job), "succeeded");
  EXPECT_TRUE(eventually([&] { return live_nodes(cluster) == 20; }));
  const nlohmann::json running = replay({job, "--journal", cluster / "journal"});
  EXPECT_EQ(running["identical"], true) << running.dump(1);
  // A plan wants attempts that began and ended under one master; there may be none so far.
  const std::string again = cluster.submit({"wordcount", kNovel, "--output", cluster / "again", "--splits", "10"});
  EXPECT_EQ(cluster.wait(again), "succeeded");
  const Finished planned =
      cluster.client({"plan", "wordcount", kNovel, "--splits", "10", "--deadline", "6s", "--json"});
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_EQ(nlohmann::json::parse(planned.out, nullptr, false)["slots"], 20) << planned.out;
  cluster.master().kill();
  const nlohmann::json dead = replay({job, "--journal", cluster / "journal"});
  EXPECT_EQ(dead["identical"], true) << dead.dump(1);
  ASSERT_EQ(dead["epochs"].size(), 3u) << dead.dump(1);
  for (const auto& epoch : dead["epochs"]) EXPECT_TRUE(epoch["end"].is_null());
  EXPECT_GT(dead["epochs"][2]["known"], 0);
}

TEST(Replay, RefusesWhatIsNotThereOrDamaged) {
  const TemporaryDirectory directory;
  EXPECT_EQ(ontime({"replay", "--journal", directory / "nowhere"}).status, 2);
  EXPECT_EQ(ontime({"replay", "--recording", directory / "nowhere"}).status, 2);
  const Finished text = ontime({"replay", "--recording", kNovel});
  EXPECT_EQ(text.status, 2);
  EXPECT_NE(text.err.find("is not a recording"), std::string::npos) << text.err;
}

TEST(Plan, SaysWhatToDoWhenNothingIsKnown) {
  const Finished plan = ontime({"plan", "wordcount", kNovel, "--deadline", "4s", "--master", "127.0.0.1:1"});
  EXPECT_EQ(plan.status, 2);
  EXPECT_NE(plan.err.find("--t-min"), std::string::npos) << plan.err;
  EXPECT_EQ(ontime({"plan", "wordcount", kNovel, "--deadline", "4s", "--t-min", "1s", "--policy", "nobody"}).status, 2);
  EXPECT_EQ(ontime({"plan", "wordcount", kNovel, "--t-min", "1s"}).status, 2) << "a deadline is wanted";
}

TEST(Plan, OfTooManyTasksSaysSo) {
  TemporaryDirectory directory;
  write_file(directory / "large", std::string(100'001, 'x'));
  const Finished plan =
      ontime({"plan", "wordcount", directory / "large", "--deadline", "1s", "--t-min", "1s", "--split-size", "1"});
  EXPECT_EQ(plan.status, 2);
  EXPECT_NE(plan.err.find("100001 tasks, and a plan simulates at most 100000; give a larger --split-size"),
            std::string::npos)
      << plan.err;
}

}  // namespace
}  // namespace ontime::test
