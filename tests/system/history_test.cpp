// What is known of ended jobs outlives the master: the next one on its journal tells the same of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class JobHistory : public testing::Test {
 protected:
  JobHistory() {
    cluster_.start_master({"--inject", "pace=500ms", "--inject", "straggler=0.2:8x", "--seed", "7"});
    cluster_.add_worker(12);
    write_file(directory_ / "text", "one\ntwo\nthree\n");
  }

  // A job whose stragglers are cut, and one that fails and writes why.
  void run_jobs() {
    const std::string slow = cluster_.submit({"wordcount", kText, "--splits", "10", "--deadline", "30s", "--policy",
                                              "hadoop", "--output", directory_ / "out"});
    ASSERT_EQ(cluster_.wait(slow), "succeeded");
    const std::string failing = cluster_.submit({"exec", directory_ / "text", "--output", directory_ / "none",
                                                 "--max-attempts", "2", "--set", "command=seq 3000 >&2; exit 3"});
    ASSERT_EQ(cluster_.wait(failing), "failed");
    jobs_ = {slow, failing};
    for (const std::string& job : jobs_) {
      const std::string kept = cluster_ / "journal/history/" + job;
      ASSERT_TRUE(eventually([&] { return fs::exists(kept); }));
    }
  }

  // By command: what clients are told of the jobs.
  std::map<std::string, std::string> told() const {
    std::map<std::string, std::string> answers;
    const auto ask = [&](const Arguments& arguments) {
      std::string command;
      for (const std::string& argument : arguments) command += argument + " ";
      const Finished finished = cluster_.client(arguments);
      EXPECT_EQ(finished.status, 0) << command << finished.err;
      answers[command] = finished.out;
    };
    for (const std::string& job : jobs_) {
      ask({"job", job});
      ask({"job", job, "--json"});
      ask({"explain", job});
      ask({"explain", job, "--json"});
      ask({"logs", job});
      ask({"trace", job});
      const std::string page = directory_ / (job + ".html");
      EXPECT_EQ(cluster_.client({"report", job, "--output", page}).status, 0);
      answers["report " + job] = read_file(page);
      fs::remove(page);
    }
    return answers;
  }

  TemporaryDirectory directory_;
  Cluster cluster_;
  std::vector<std::string> jobs_;
};

TEST_F(JobHistory, ClientsAreToldTheSameOfEndedJobsByTheNextMaster) {
  run_jobs();
  const auto before = told();
  EXPECT_THAT(before.at("logs " + jobs_[1] + " "), HasSubstr("\n3000\n"));
  EXPECT_THAT(before.at("job " + jobs_[0] + " --json "), HasSubstr("\"started_unix_ns\":1"));
  cluster_.restart_master();
  const auto after = told();
  for (const auto& [command, answer] : before) EXPECT_EQ(after.at(command), answer) << command;
}

TEST_F(JobHistory, ADamagedFileCostsWhatTheJournalDoesNotSayOfItsJob) {
  run_jobs();
  const std::string intact = cluster_.client({"logs", jobs_[1]}).out;
  const std::string path = cluster_ / "journal/history/" + jobs_[0];
  write_file(path, read_file(path).substr(0, 100));
  cluster_.restart_master();
  EXPECT_EQ(cluster_.job(jobs_[0])["state"], "succeeded");
  EXPECT_THAT(cluster_.master().output().err, HasSubstr("history_lost job=" + jobs_[0] + " reason=\"'" + path));
  EXPECT_EQ(cluster_.client({"logs", jobs_[1]}).out, intact);
}

}  // namespace
}  // namespace ontime::test
