#include "lab/verbs/run_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "lab/verbs/parallel_runs.h"
#include "tests/lab/study/small_study.h"
#include "tests/support/temporary_directory.h"

namespace ontime::lab {
namespace {

using testing::HasSubstr;

const RunJournal::Origin kOrigin{"a study", "a program"};

Study kept_study() {
  std::string text = kStudy;
  text.replace(text.find("{kind: lines, x: deadline, y: pocd}"), 35, "{kind: cdf}");
  return read_study(text + "  forecasts: {deadline: [0.3]}\n").value();
}

std::string content_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string complaint_of(const std::string& path, const RunJournal::Origin& origin) {
  const auto journal = RunJournal::open(path, origin);
  return journal ? "" : journal.error().message;
}

// Everything that is written about the results.
std::string all_of(const StudyResult& result) {
  return runs_csv(result) + times_csv(result) + measured_csv(result) + forecasts_csv(result) + jobs_csv(result);
}

// Carries out `most` of the runs that the journal lacks, as if it were interrupted then.
Execute interrupted_after(std::size_t most, RunJournal& journal) {
  return [most, &journal](std::span<const PlannedRun> runs) -> Result<RunResults> {
    RunResults results;
    std::size_t done = 0;
    for (const PlannedRun& run : runs) {
      const RunResult* before = journal.find(run.key);
      if (before != nullptr || done++ < most) {
        results.push_back(before != nullptr ? *before : carry_out(run));
        EXPECT_TRUE(before != nullptr || journal.keep(run.key, *results.back()));
      } else {
        results.emplace_back();
      }
    }
    return results;
  };
}

TEST(RunJournal, AStudyGoesOnToTheSameResultsFromWhereItStopped) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "study.jsonl";
  const Study study = kept_study();
  const auto whole = run_study(study, {}, one_by_one);
  ASSERT_TRUE(whole);
  for (const std::size_t left : {11u, 6u, 0u}) {
    const auto journal = RunJournal::open(path, kOrigin).value();
    const auto result = run_study(study, {}, interrupted_after(left == 0 ? 100 : 5, *journal));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->missing, left);
    EXPECT_EQ(result->rows.size(), 16 - left);
    EXPECT_EQ(result->jobs.size(), 16 - left);
    EXPECT_EQ(all_of(*result) == all_of(*whole), left == 0);
  }
  const std::string text = content_of(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 17);
  const auto journal = RunJournal::open(path, kOrigin).value();
  const auto again = run_study(study, {}, parallel_runs(3, "small", journal.get()));
  ASSERT_TRUE(again);
  EXPECT_EQ(all_of(*again), all_of(*whole));
  EXPECT_EQ(content_of(path), text) << "nothing was left to be done";
}

TEST(RunJournal, ALineThatWasNotWrittenToItsEndIsTakenOff) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "study.jsonl";
  const Study study = kept_study();
  {
    const auto journal = RunJournal::open(path, kOrigin).value();
    ASSERT_TRUE(run_study(study, {}, parallel_runs(1, "small", journal.get())));
  }
  const std::string text = content_of(path);
  const std::size_t before_last = text.rfind('\n', text.size() - 2) + 1;
  std::filesystem::resize_file(path, text.size() - 7);
  {
    const auto journal = RunJournal::open(path, kOrigin).value();
    EXPECT_EQ(content_of(path), text.substr(0, before_last));
    ASSERT_TRUE(run_study(study, {}, parallel_runs(1, "small", journal.get())));
  }
  EXPECT_EQ(content_of(path), text);
  std::ofstream(path, std::ios::app) << "{}\n";
  EXPECT_THAT(complaint_of(path, kOrigin), HasSubstr("line 18: a run of a study is written in another way"));
}

TEST(RunJournal, ARunInWhichAnInvariantDidNotHoldIsNotTakenForASoundOne) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "study.jsonl";
  {
    const auto journal = RunJournal::open(path, kOrigin).value();
    RunResult broken;
    broken.broken = "a segment is sealed twice";
    EXPECT_TRUE(journal->keep("broken", broken));
    EXPECT_TRUE(journal->keep("sound", RunResult{}));
  }
  const auto journal = RunJournal::open(path, kOrigin).value();
  EXPECT_EQ(journal->find("broken"), nullptr);
  EXPECT_NE(journal->find("sound"), nullptr);
}

TEST(RunJournal, RunsOfAnotherStudyOrBuildAreRefused) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "study.jsonl";
  {
    const auto journal = RunJournal::open(path, kOrigin);
    EXPECT_THAT(complaint_of(path, kOrigin), HasSubstr("another process is at work"));
  }
  EXPECT_EQ(complaint_of(path, kOrigin), "");
  EXPECT_THAT(complaint_of(path, {"b", kOrigin.program}), HasSubstr("of another study"));
  EXPECT_THAT(complaint_of(path, {kOrigin.study, "b"}), HasSubstr("of another build"));
  std::ofstream(path) << "policy,job\n";
  EXPECT_THAT(complaint_of(path, kOrigin), HasSubstr("not written by this version"));
}

TEST(RunJournal, TheStudyIsTheSameWhateverIsOnlyShownAndHoweverManySeedsThereAre) {
  const std::string text = text_of_runs(read_study(kStudy).value());
  const auto with = [](const std::string& before, const std::string& after) {
    std::string changed = kStudy;
    changed.replace(changed.find(before), before.size(), after);
    return text_of_runs(read_study(changed).value());
  };
  EXPECT_EQ(with("findings: Less.", "findings: More."), text);
  EXPECT_EQ(with("seeds: 2", "seeds: 3"), text);
  EXPECT_NE(with("Ours: \"shed+:t_min=10s,beta=1.5\"", "Ours: \"shed+:t_min=10s,beta=1.6\""), text);
  EXPECT_NE(with("launch: 100ms", "launch: 200ms"), text);
}

// A file that has changed, or another number of runs behind a measured deadline, makes other runs.
TEST(RunJournal, KeysTellRunsApartThatGiveSomethingElse) {
  const auto keys_of = [](const std::string& trace, std::uint32_t seeds) {
    const Study study = read_study(R"(
nodes: [{count: 12}]
jobs: [{trace: {file: t.csv}, duration: {pareto: [10s, 1.5]}}]
study:
  title: T
  policies: {A: none}
  vary:
    - name: deadline
      values: [{label: usual, set: {jobs.0.deadline: {medians_of: none}}}]
  measures: [pocd]
)",
                                   {[trace](const std::string&) -> Result<std::string> { return trace; }})
                            .value();
    std::set<std::string> keys;
    EXPECT_TRUE(run_study(study, {seeds, {}, {}}, [&](std::span<const PlannedRun> runs) {
      for (const PlannedRun& run : runs) EXPECT_TRUE(keys.insert(run.key).second) << run.key;
      return one_by_one(runs);
    }));
    return keys;
  };
  const auto both = [](const std::set<std::string>& a, const std::set<std::string>& b) {
    std::set<std::string> same;
    std::ranges::set_intersection(a, b, std::inserter(same, same.end()));
    return same.size();
  };
  const auto keys = keys_of("submit_s,tasks\n0,3\n", 2);
  EXPECT_EQ(keys.size(), 4u);
  EXPECT_EQ(both(keys, keys_of("submit_s,tasks\n0,3\n", 2)), 4u);
  EXPECT_EQ(both(keys, keys_of("submit_s,tasks\n0,4\n", 2)), 0u);
  EXPECT_EQ(both(keys, keys_of("submit_s,tasks\n0,3\n", 3)), 2u) << "what is measured first alone is the same";
}

TEST(RunJournal, NumbersThatJsonLacksAreKept) {
  RunResult run;
  run.groups.push_back({"a \"name\"", {kNan, -std::numeric_limits<double>::infinity(), 0.1}, 3, 2, 9, {}});
  const auto read = read_run(line_of("key", run));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->first, "key");
  const GroupResult& group = read->second.groups.at(0);
  EXPECT_EQ(group.name, "a \"name\"");
  EXPECT_TRUE(std::isnan(group.values.at(0)));
  EXPECT_EQ(group.values.at(1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(group.values.at(2), 0.1);
  EXPECT_FALSE(read_run("{\"run\": 3"));
}

// A run that would take years ends once it is asked to.
TEST(RunJournal, ARunStopsInTheMiddle) {
  const Study study = read_study(R"(
nodes: [{count: 2}]
jobs: [{count: 10000000, tasks: 1, arrivals: {every: 20s}, duration: 10s}]
study: {title: T, policies: {A: none}, measures: [pocd]}
)")
                          .value();
  int asked = 0;
  const auto result = run_study(study, {}, [&](std::span<const PlannedRun> runs) -> Result<RunResults> {
    RunResults results;
    results.push_back(carry_out(runs[0], [&] { return ++asked > 3; }));
    return results;
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->missing, 1u);
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace ontime::lab
