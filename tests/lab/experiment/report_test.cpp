#include "lab/experiment/report.h"

#include <gmock/gmock.h>

#include "lab/experiment/figures.h"
#include "lab/experiment/simulated_run.h"
#include "tests/lab/experiment/read.h"

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
    EXPECT_THAT(figure_head(figure, "x.svg"), HasSubstr("set output \"x.svg\""));
  }
  for (const char* title :
       {"PoCD", "Times of the jobs", "Slots in use", "under none", "under split-resume", "predictions"}) {
    EXPECT_THAT(titles, HasSubstr(title));
  }
}

TEST(ExperimentReport, TheTimelineSaysWhereACopyBegan) {
  const Measured measured;
  const auto figures = figures_of(measured.results, measured.summaries, measured.scenario, 12);
  EXPECT_THAT(figures[4].script, HasSubstr("copy, in the answer"));
  EXPECT_THAT(figures[4].script, HasSubstr("@"));
}

TEST(ExperimentReport, IsOneFileThatNeedsNothingElse) {
  const Measured measured;
  const std::string html = html_of({.title = measured.scenario.title,
                                    .facts = {{"host", "<here>"}},
                                    .summaries = measured.summaries,
                                    .groups = {},
                                    .printed = measured.scenario.printed,
                                    .figures = {{{.title = "T", .caption = "C", .script = ""}, "<svg>x</svg>"}},
                                    .remark = "",
                                    .scenario_text = "a: <b>"});
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
