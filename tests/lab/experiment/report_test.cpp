#include "lab/experiment/report.h"

#include <gmock/gmock.h>

#include "lab/experiment/plan.h"
#include "lab/results/chart.h"
#include "tests/lab/experiment/read.h"
#include "tests/lab/experiment/rows.h"

namespace ontime::lab::experiment {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Measured {
  Scenario scenario = read(
      "title: a <b> & c\nnodes: [{count: 12}]\ninjection: {pace: 1s, straggler: 0.1:8x}\n"
      "jobs: [{tasks: 10, count: 2, deadline: 4s}]\npolicies: [none, 'split-resume']\nprinted: {none: 0.25}\n");
  Results results;
  std::vector<PolicySummary> summaries;
  Measured() {
    for (const auto& run : plan_runs(scenario)) results.append(*simulate(scenario, run, {}));
    summaries = summarise(results, 12);
  }
};

TEST(ExperimentReport, HasTheFiguresThatPeopleExpect) {
  const Measured measured;
  std::string titles;
  for (const Figure& figure : figures_of(measured.results, measured.summaries, measured.scenario, 12)) {
    titles += figure.title + "\n";
    EXPECT_THAT(figure.script, HasSubstr("plot "));
    EXPECT_THAT(plot_head(figure.width, figure.height, "x.svg"), HasSubstr("set output \"x.svg\""));
  }
  for (const char* title :
       {"PoCD", "PoCD against machine time", "Paired differences of PoCD", "Paired differences of machine time",
        "Times of the jobs", "Slots in use", "Attempts of one job", "predictions"}) {
    EXPECT_THAT(titles, HasSubstr(title));
  }
}

AttemptRow attempt_of(std::uint32_t task, bool speculative, double launched, std::uint64_t from) {
  AttemptRow row;
  row.job = 1;
  row.task = task;
  row.speculative = speculative;
  row.node = speculative ? "worker-2" : "worker-1";
  row.launched = launched;
  row.ended = 8;
  row.from = from;
  row.sealed = 1;
  return row;
}

TEST(ExperimentReport, TheTimelineSaysWhereACopyBegan) {
  JobRow job;
  job.job = 1;
  job.kind = "counted";
  job.state = "succeeded";
  job.time = 8;
  const std::vector<AttemptRow> attempts{attempt_of(7, false, 0, 0), attempt_of(7, true, 3, 2048 * 1024),
                                         attempt_of(8, true, 4, 0)};
  job.deadline = 6;
  RunRows run;
  run.policy = "shed+";
  run.jobs = {job};
  run.attempts = attempts;
  const std::string script = timeline_figure({run}).script;
  EXPECT_THAT(script, HasSubstr("\"shed+: done after 8 s, deadline 6 s\""));
  EXPECT_THAT(script, HasSubstr("from 6, graph 0 to 6, graph 1"));
  EXPECT_THAT(script, HasSubstr("\n0 0 \"t7\"\n"));        // the original, at the begin of its split
  EXPECT_THAT(script, HasSubstr("\n3 1 \"t7@2048k\"\n"));  // the copy, 3 s later on the other node
  EXPECT_THAT(script, HasSubstr("\n4 1 \"t8\"\n"));        // a copy from the begin on
  EXPECT_THAT(script, HasSubstr("copy, in the answer"));
}

JobRow job_of(const std::string& policy, std::uint32_t number, double time) {
  JobRow row = succeeded_job(policy, number, time, 20);
  row.machine = 10 * time;
  return row;
}

JobRow unfinished(const std::string& policy, std::uint32_t number) {
  JobRow row = job_of(policy, number, kNan);
  row.state = "unfinished";
  row.machine = 0;
  return row;
}

Figure figure_of(const std::vector<JobRow>& jobs, const std::string& title) {
  Results results;
  results.jobs = jobs;
  for (Figure& figure : figures_of(results, summarise(results, 2), {}, 2)) {
    if (figure.title == title) return figure;
  }
  return {};
}

TEST(ExperimentReport, MachineTimeIsPairedWhereBothJobsHaveEnded) {
  const char* title = "Paired differences of machine time";
  const JobRow base = job_of("none", 1, 10);
  const Figure figure = figure_of({base, job_of("none", 2, 10), job_of("shed", 1, 12), unfinished("shed", 2)}, title);
  EXPECT_THAT(figure.script, HasSubstr("\n0 20 20 20\n"));
  EXPECT_THAT(figure.caption, HasSubstr("both"));
  EXPECT_EQ(figure_of({base, unfinished("shed", 1)}, title).script, "");
}

TEST(ExperimentReport, SharesThatDifferInEveryPairHaveAnInterval) {
  std::vector<JobRow> jobs;
  for (std::uint32_t number = 1; number <= 4; ++number) {
    for (const bool met : {false, true}) {
      jobs.push_back(job_of(met ? "shed" : "none", number, 10));
      jobs.back().met = met;
    }
  }
  const Figure figure = figure_of(jobs, "Paired differences of PoCD");
  EXPECT_THAT(figure.script, HasSubstr("\n0 1 0.0202"));  // (n - z^2) / (n + z^2)
  EXPECT_THAT(figure.caption, HasSubstr("Tango"));
}

// What no job has come to is no place in a figure.
TEST(ExperimentReport, APolicyUnderWhichNoJobHasEndedHasNoCost) {
  const char* title = "PoCD against machine time";
  EXPECT_EQ(figure_of({unfinished("none", 1), unfinished("shed", 1)}, title).script, "");
  const std::string script = figure_of({job_of("none", 1, 10), unfinished("shed", 1)}, title).script;
  EXPECT_THAT(script, HasSubstr("\"none\""));
  EXPECT_THAT(script, Not(HasSubstr("\"shed\"")));
}

TEST(ExperimentReport, TheTimesOfTheJobsEndAtTheShareThatSucceeded) {
  JobRow failed = job_of("none", 3, 1);
  failed.state = "failed";
  const Figure figure =
      figure_of({job_of("none", 1, 10), unfinished("none", 2), failed, job_of("none", 4, 30)}, "Times of the jobs");
  EXPECT_THAT(figure.script, HasSubstr("\n10 0\n10 0.25\n30 0.5\nEND"));
  EXPECT_THAT(figure.caption, HasSubstr("share that succeeded"));
}

TEST(ExperimentReport, IsOneFileThatNeedsNothingElse) {
  const Measured measured;
  const Report report{.title = measured.scenario.title,
                      .facts = {{"host", "<here>"}},
                      .summaries = measured.summaries,
                      .groups = {},
                      .printed = measured.scenario.printed,
                      .figures = {{{.title = "T", .caption = "C", .script = ""}, "<svg>x</svg>"}},
                      .remark = "",
                      .scenario_text = "a: <b>"};
  const std::string html = document_of(report).html();
  EXPECT_THAT(html, HasSubstr("<h1>a &lt;b&gt; &amp; c</h1>"));
  EXPECT_THAT(html, HasSubstr("<svg>x</svg>"));
  EXPECT_THAT(html, HasSubstr("&lt;here&gt;"));
  EXPECT_THAT(html, HasSubstr("split-resume"));
  EXPECT_THAT(html, HasSubstr("printed PoCD"));
  EXPECT_THAT(html, Not(HasSubstr("href=")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
}

}  // namespace
}  // namespace ontime::lab::experiment
