// Commands as records: all slots are busy, nothing that was begun runs twice unless its worker dies, and the answer has
// one line for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

std::vector<std::string> lines_of_file(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Column 8, the command, of each line of the answer but the first.
std::vector<std::string> column_of_answer(const std::string& output, std::size_t column) {
  std::vector<std::string> values;
  std::istringstream lines(verified_answer(output));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream columns(line);
    std::string value;
    for (std::size_t i = 0; i <= column; ++i) std::getline(columns, value, '\t');
    values.push_back(value);
  }
  return values;
}

constexpr std::size_t kCommand = 8, kOutcome = 9, kArgument = 11;

class Each : public testing::Test {
 protected:
  Finished run(const std::string& name, Arguments more, const Arguments& lists = {}) {
    Arguments arguments{
        "run", "each", "--output", directory_ / name, "--quiet", "--set", "workdir=" + directory_.path()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), lists.begin(), lists.end());
    return ontime(std::move(arguments));
  }
  TemporaryDirectory directory_;
};

TEST_F(Each, CombinesListsOfValues) {
  const Finished finished =
      run("out", {"--set", "command=echo {2} {1}"}, {":::", "a b", "c", ":::", "1", "2", ":::+", "x", "y"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(column_of_answer(directory_ / "out", kCommand),
            (std::vector<std::string>{"echo 1 'a b'", "echo 2 'a b'", "echo 1 c", "echo 2 c"}));
  EXPECT_EQ(column_of_answer(directory_ / "out", kArgument)[0], "a b\\t1\\tx");
}

TEST_F(Each, RunsAgainWhatHasFailedInAnEarlierOutput) {
  const std::string there = "command=[ {} != 2 ] || [ -e fixed ]";
  ASSERT_EQ(run("first", {"--set", there}, {":::", "1", "2", "3"}).status, 0) << "the job succeeds all the same";
  EXPECT_EQ(column_of_answer(directory_ / "first", kOutcome), (std::vector<std::string>{"ok", "failed", "ok"}));
  write_file(directory_ / "fixed", "");
  ASSERT_EQ(run("second", {directory_ / "first", "--set", "again=failed"}).status, 0);
  EXPECT_EQ(column_of_answer(directory_ / "second", kOutcome), (std::vector<std::string>{"ok"}));
  EXPECT_EQ(column_of_answer(directory_ / "second", kArgument), (std::vector<std::string>{"2"}));
  EXPECT_EQ(run("third", {"--set", "halt=first", "--set", "command=false"}, {":::", "1"}).status, 1);
}

// Each waits until all have begun, so it ends only if a slot has no more than one.
TEST_F(Each, AShortListIsSpreadOverAllSlots) {
  const std::string command = "command=touch began-{}; until [ $(ls | grep -c began) = 6 ]; do sleep 0.01; done";
  const Finished finished =
      run("out", {"--workers", "2", "--slots", "3", "--set", command}, {":::", "1", "22", "3", "44", "5", "6"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(column_of_answer(directory_ / "out", kOutcome), std::vector<std::string>(6, "ok"));
}

class EachOnACluster : public testing::Test {
 protected:
  static constexpr int kRecords = 60;
  void SetUp() override {
    std::ofstream list(cluster_ / "list");
    for (int i = 0; i < kRecords; ++i) list << i << "\n";
    cluster_.start_master();
  }
  std::string log() const { return cluster_ / "log"; }
  // `slow`: what the command does after it has noted its number, {}.
  std::string submit(const std::string& slow, const std::string& splits) {
    return cluster_.submit({"each", cluster_ / "list", "--output", cluster_ / "out", "--splits", splits, "--policy",
                            "auto", "--set", "command=echo {} >> " + log() + "; " + slow});
  }
  std::set<std::string> noted() const {
    const auto lines = lines_of_file(log());
    return {lines.begin(), lines.end()};
  }
  void expect_one_line_for_each() {
    const auto numbers = column_of_answer(cluster_ / "out", kArgument);
    ASSERT_EQ(numbers.size(), std::size_t{kRecords});
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], std::to_string(i));
  }

  Cluster cluster_;
};

// One command waits until all others have been run: behind it, by another attempt.
TEST_F(EachOnACluster, WhatIsBehindASlowCommandIsRunElsewhereAndNothingIsRunTwice) {
  cluster_.add_worker();
  cluster_.add_worker();
  const std::string all = std::to_string(kRecords);
  const std::string job = submit(
      "if [ {} = 10 ]; then until [ $(sort -u " + log() + " | wc -l) = " + all + " ]; do sleep 0.05; done; fi", "1");
  ASSERT_EQ(cluster_.wait(job), "succeeded");
  EXPECT_EQ(lines_of_file(log()).size(), std::size_t{kRecords});
  EXPECT_EQ(noted().size(), std::size_t{kRecords});
  EXPECT_GT(cluster_.job(job)["attempts_launched"], 1);
  expect_one_line_for_each();
}

TEST_F(EachOnACluster, AWorkerThatIsKilledLosesNoRecordAndDoublesNone) {
  cluster_.add_worker(2);
  const std::string gate = cluster_ / "gate";
  const std::string job = submit("[ {} -lt 20 ] || until [ -e " + gate + " ]; do sleep 0.02; done", "6");
  ASSERT_TRUE(eventually([&] { return noted().size() > 21; }));
  cluster_.replace_worker(0);
  write_file(gate, "");
  ASSERT_EQ(cluster_.wait(job), "succeeded");
  EXPECT_EQ(noted().size(), std::size_t{kRecords});
  EXPECT_LE(lines_of_file(log()).size(), std::size_t{kRecords} + 22);
  expect_one_line_for_each();
}

}  // namespace
}  // namespace ontime::test
