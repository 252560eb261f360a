#include "lab/experiment/result_directory.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "lab/experiment/plan.h"
#include "tests/cli/scratch.h"
#include "tests/lab/experiment/read.h"

namespace ontime::lab::experiment {
namespace {

using testing::HasSubstr;

constexpr const char* kText = "nodes: [{count: 2}]\njobs: [{tasks: 2}]\npolicies: [none, 'shed+:theta=1s']\n";

std::string refusal(const std::string& path, const std::string& text, const std::string& on) {
  const auto directory = ResultDirectory::open(path, text, on);
  return directory ? "" : directory.error().message;
}

TEST(ResultDirectory, KeepsFinishedRunsForTheNextCall) {
  const cli::Scratch scratch;
  const auto scenario = read(kText);
  const auto runs = plan_runs(scenario);
  const auto results = simulate(scenario, runs[1], {});
  ASSERT_TRUE(results);
  {
    const auto directory = ResultDirectory::open(scratch / "out", kText, "sim");
    ASSERT_TRUE(directory) << directory.error().message;
    ASSERT_FALSE((*directory->load(runs[1])).has_value());
    ASSERT_TRUE(directory->save(runs[1], *results));
  }
  const auto again = ResultDirectory::open(scratch / "out", kText, "sim");
  ASSERT_TRUE(again) << again.error().message;
  const auto loaded = again->load(runs[1]);
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_EQ((*loaded)->attempts.size(), results->attempts.size());
  EXPECT_FALSE((*again->load(runs[0])).has_value());
}

TEST(ResultDirectory, ARunThatWasNotWrittenWholeIsNotThere) {
  const cli::Scratch scratch;
  const auto runs = plan_runs(read(kText));
  const auto directory = ResultDirectory::open(scratch / "out", kText, "sim");
  ASSERT_TRUE(directory);
  std::filesystem::create_directories(scratch / "out/runs/none/1.unfinished");
  EXPECT_FALSE((*directory->load(runs[0])).has_value());
  EXPECT_TRUE(directory->save(runs[0], {}));
  EXPECT_TRUE((*directory->load(runs[0])).has_value());
}

TEST(ResultDirectory, RefusesAnotherScenarioAnotherPlaceAndASecondProcess) {
  const cli::Scratch scratch;
  {
    const auto directory = ResultDirectory::open(scratch / "out", kText, "sim");
    ASSERT_TRUE(directory);
    EXPECT_THAT(refusal(scratch / "out", kText, "sim"), HasSubstr("another process"));
  }
  EXPECT_THAT(refusal(scratch / "out", "nodes: []", "sim"), HasSubstr("another scenario"));
  EXPECT_THAT(refusal(scratch / "out", kText, "local"), HasSubstr("--on sim"));
  scratch.file("file", "x");
  EXPECT_THAT(refusal(scratch.path(), kText, "sim"), HasSubstr("holds no experiment"));
}

}  // namespace
}  // namespace ontime::lab::experiment
