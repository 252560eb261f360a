// The check itself: it must not pass because there was nothing to check.
#include "tests/golden/golden_file.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace ontime::golden {
namespace {

// The files that the tests here read, by their names.
const std::set<std::string> kChecked = {"alpha_fair.csv",    "chronos_cost.csv",    "chronos_estimators.csv",
                                        "chronos_gamma.csv", "chronos_opt.csv",     "chronos_pocd.csv",
                                        "chronos_thm7.csv",  "chronos_utility.csv", "dolly.csv",
                                        "hadoop_legacy.csv", "hadoop_ses.jsonl",    "hadoop_stats.jsonl",
                                        "pareto.csv",        "ses_poster.csv",      "shed_greedy.jsonl",
                                        "shed_offsets.csv",  "shed_pocd.csv",       "shedplus_greedy.jsonl",
                                        "sp_beta_theta.csv", "xl_clone.csv",        "xl_cutoff.csv",
                                        "xl_ese.csv",        "xl_p2.jsonl",         "xl_sda.csv",
                                        "xl_sigma_star.csv"};

TEST(GoldenFiles, NoFileOfTheFolderGoesUnchecked) {
  std::set<std::string> present;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const std::string extension = entry.path().extension();
    if (extension == ".csv" || extension == ".jsonl") present.insert(entry.path().filename());
  }
  EXPECT_EQ(present, kChecked);
}

TEST(GoldenFiles, EveryRowIsRead) {
  for (const std::string& name : kChecked) {
    std::ifstream file(folder() + "/" + name);
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) lines += line.empty() ? 0 : 1;
    const bool is_csv = name.ends_with(".csv");
    EXPECT_EQ(is_csv ? csv(name).size() + 1 : json_lines(name).size(), lines) << name;
  }
}

TEST(GoldenFiles, AMissingFileIsAFailure) { EXPECT_THROW(csv("nothing.csv"), std::runtime_error); }

TEST(GoldenFiles, AMissingColumnIsAFailure) {
  const Row row({{"x", "1"}, {"y", ""}}, "here");
  EXPECT_EQ(row["x"], 1);
  EXPECT_THROW(row["y"], std::runtime_error);
  EXPECT_THROW(row["z"], std::runtime_error);
}

void compare(double expected, double actual) {
  Checker check("a file", 1);
  check.near("here", "x", expected, actual, 1e-10);
}

TEST(GoldenFiles, WrongValuesAreSeen) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_NONFATAL_FAILURE(compare(1, 1 + 2e-10), "here x");
  EXPECT_NONFATAL_FAILURE(compare(1, nan), "here x");
  EXPECT_NONFATAL_FAILURE(compare(nan, 1), "here x");
  EXPECT_NONFATAL_FAILURE(compare(inf, -inf), "here x");
  EXPECT_NONFATAL_FAILURE(compare(0, 1e-200), "here x");
  compare(1, 1 + 5e-11);
  compare(nan, nan);
  compare(-inf, -inf);
}

TEST(GoldenFiles, ComparingNothingIsAFailure) { EXPECT_NONFATAL_FAILURE(Checker("a file", 0), "nothing was compared"); }

}  // namespace
}  // namespace ontime::golden
