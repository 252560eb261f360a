// What attempts write to stderr can be read while they run, when they have failed, and beside the output.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

class Logs : public testing::Test {
 protected:
  Logs() { write_file(directory_ / "text", "one\ntwo\nthree\n"); }
  Arguments exec(const std::string& command, const std::string& output) const {
    return {"exec", directory_ / "text", "--output", directory_ / output, "--set", "command=" + command};
  }
  TemporaryDirectory directory_;
};

TEST_F(Logs, OfAFinishedJobLieBesideItsOutput) {
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker();
  const std::string job = cluster.submit(exec("cat; echo said >&2; echo reporter:status:nearly >&2", "out"));
  ASSERT_EQ(cluster.wait(job), "succeeded");
  const std::string expected = "== t00000-a0 on ";
  const Finished asked = cluster.client({"logs", job});
  EXPECT_NE(asked.out.find(expected), std::string::npos) << asked.out << asked.err;
  EXPECT_NE(asked.out.find("\nsaid\n"), std::string::npos) << asked.out;
  EXPECT_NE(asked.out.find("\nreporter:status:nearly\n"), std::string::npos) << asked.out;
  EXPECT_EQ(cluster.client({"logs", job, "0/0"}).out, asked.out);
  const Finished no_attempt = cluster.client({"logs", job, "t00000-a1"});
  EXPECT_EQ(no_attempt.status, 2);
  EXPECT_NE(no_attempt.err.find("The task has had 1 attempt, counted from 0"), std::string::npos) << no_attempt.err;
  const Finished no_task = cluster.client({"logs", job, "7"});
  EXPECT_EQ(no_task.status, 2);
  EXPECT_NE(no_task.err.find("has 1 task, counted from 0"), std::string::npos) << no_task.err;
  const Finished nothing = ontime({"logs", directory_ / "out", "0/5"});
  EXPECT_EQ(nothing.out + nothing.err, "ontime: nothing was written to stderr\n");
  const Finished no_kept_task = ontime({"logs", directory_ / "out", "7"});
  EXPECT_EQ(no_kept_task.status, 2);
  EXPECT_NE(no_kept_task.err.find("No such task: 7;"), std::string::npos) << no_kept_task.err;
  EXPECT_EQ(ontime({"logs", directory_ / "out"}).out, asked.out);
  const auto line = nlohmann::json::parse(ontime({"logs", directory_ / "out", "--json"}).out);
  EXPECT_EQ(line["task"], 0);
  EXPECT_EQ(verified_answer(directory_ / "out"), "one\ntwo\nthree\n");  // verify does not mind them

  cluster.restart_master();
  EXPECT_EQ(cluster.client({"logs", job}).out, asked.out);
}

TEST_F(Logs, OfAFailedJobAreKeptByTheMasterAndNothingIsLeftInTheOutput) {
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker();
  Arguments arguments = exec("seq 1000 >&2; exit 3", "out");
  arguments.insert(arguments.end(), {"--max-attempts", "2"});
  const std::string job = cluster.submit(arguments);
  ASSERT_EQ(cluster.wait(job), "failed");
  const std::string text = cluster.client({"logs", job}).out;
  EXPECT_NE(text.find("== t00000-a0 on "), std::string::npos) << text;
  EXPECT_NE(text.find("== t00000-a1 on "), std::string::npos) << text;
  EXPECT_NE(text.find("\n1\n2\n3\n"), std::string::npos);  // all of it, not only the end
  ASSERT_TRUE(eventually([&] { return !std::filesystem::exists(directory_ / "out"); }));
}

// The program ends once the job has named it.
TEST_F(Logs, AProgramThatHoldsTheOutputOpenIsNamedWhileTheJobWaitsForIt) {
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker();
  const std::string named = directory_ / "named";
  const std::string job = cluster.submit(exec("(while [ ! -e " + named + " ]; do sleep 0.1; done) & cat", "out"));
  ASSERT_TRUE(eventually([&] {
    return cluster.client({"job", job}).out.find(", which it left, holds its output open") != std::string::npos;
  }));
  write_file(named, "");
  EXPECT_EQ(cluster.wait(job), "succeeded");
}

TEST_F(Logs, AFailedRunShowsTheLastLines) {
  Arguments arguments = exec("seq 1000 >&2; exit 3", "out");
  arguments.insert(arguments.begin(), "run");
  const Finished finished = ontime(arguments);
  EXPECT_EQ(finished.status, 1);
  std::string last;
  for (int line = 981; line <= 1000; ++line) last += std::to_string(line) + "\n";
  EXPECT_NE(finished.err.find("\nIts last lines on stderr:\n" + last), std::string::npos) << finished.err;
}

TEST_F(Logs, AreFollowedUntilTheJobHasEnded) {
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker();
  const std::string gate = directory_ / "gate";
  const std::string job =
      cluster.submit(exec("echo first >&2; while [ ! -e " + gate + " ]; do sleep 0.05; done; echo last >&2", "out"));
  Process follower({kBin + "/ontime", "logs", job, "--follow", "--master", cluster.address()}, directory_ / "followed");
  ASSERT_TRUE(eventually([&] { return follower.output().out.find("first\n") != std::string::npos; }));
  EXPECT_EQ(follower.output().out.find("last"), std::string::npos);
  write_file(gate, "");
  EXPECT_EQ(follower.wait().status, 0);
  EXPECT_TRUE(follower.output().out.ends_with("first\nlast\n")) << follower.output().out;
}

}  // namespace
}  // namespace ontime::test
