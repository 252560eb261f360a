// Bad input gets one clear sentence that names the thing, the right exit code, no process left, nothing that looks
// complete; and other jobs go on.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

class BadInput : public testing::Test {
 protected:
  BadInput() { write_file(directory_ / "text", "good 1\ngood 2\nBAD line\ngood 3\n"); }

  // Runs it and checks what all failures have in common.
  Finished expect_failure(int status, const Arguments& arguments, const std::vector<std::string>& mentions) {
    Finished finished = ontime(arguments);
    EXPECT_EQ(finished.status, status) << finished.out << finished.err;
    for (const std::string& mention : mentions) {
      EXPECT_NE(finished.err.find(mention), std::string::npos) << "no '" << mention << "' in: " << finished.err;
    }
    EXPECT_FALSE(std::filesystem::exists(directory_ / "out/_SUCCESS"));
    EXPECT_FALSE(std::filesystem::exists(directory_ / "out/_attempts"));
    EXPECT_TRUE(descendants(getpid(), "ontime-master").empty());
    EXPECT_TRUE(descendants(getpid(), "ontime-worker").empty());
    EXPECT_TRUE(descendants(getpid(), "ontime-runner").empty());
    return finished;
  }
  Arguments run_of(const std::string& app, const std::string& input, Arguments more = {}) {
    Arguments arguments{"run", app, input, "--output", directory_ / "out", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Arguments misbehave(const std::string& how, Arguments more = {}) {
    more.insert(more.end(), {"--set", "how=" + how});
    return run_of("misbehaving", directory_ / "text", std::move(more));
  }
  void expect_no_input() {
    std::filesystem::create_directory(directory_ / "empty");
    expect_failure(2, run_of("wordcount", directory_ / "empty"), {directory_ / "empty"});
  }

  TemporaryDirectory directory_;
};

TEST_F(BadInput, MissingInput) {
  expect_failure(2, run_of("wordcount", directory_ / "nothing"), {directory_ / "nothing"});
}

TEST_F(BadInput, UnreadableInput) {
  if (geteuid() == 0) return expect_no_input();  // root reads everything
  chmod((directory_ / "text").c_str(), 0);
  expect_failure(2, run_of("wordcount", directory_ / "text"), {directory_ / "text"});
}

TEST_F(BadInput, DirectoryWithoutFiles) { expect_no_input(); }

TEST_F(BadInput, OutputDirectoryThatIsNotEmpty) {
  std::filesystem::create_directory(directory_ / "out");
  write_file(directory_ / "out/precious", "mine");
  expect_failure(2, run_of("wordcount", directory_ / "text"), {directory_ / "out"});
  EXPECT_EQ(read_file(directory_ / "out/precious"), "mine");
}

TEST_F(BadInput, UnknownApplicationListsTheKnownOnes) {
  expect_failure(2, run_of("wordcuont", directory_ / "text"), {"wordcuont", "wordcount"});
}

TEST_F(BadInput, UnknownParameterIsNamed) {
  expect_failure(2, run_of("misbehaving", directory_ / "text", {"--set", "haw=crash"}), {"haw", "how"});
}

TEST_F(BadInput, UnknownPolicyIsNamed) {
  expect_failure(2, run_of("wordcount", directory_ / "text", {"--policy", "magic"}), {"magic", "none"});
}

TEST_F(BadInput, BadUsage) {
  expect_failure(2, {"run", "wordcount"}, {"--output"});
  expect_failure(2, run_of("wordcount", directory_ / "text", {"--split-size", "12 parsecs"}), {"12 parsecs"});
}

TEST_F(BadInput, UnreachableMaster) { expect_failure(1, {"jobs", "--master", "127.0.0.1:1"}, {"127.0.0.1:1"}); }

TEST_F(BadInput, WorkerWithoutAReachableMaster) {
  const Finished worker = run({kBin + "/ontime-worker", "--master", "127.0.0.1:1", "--connect-timeout", "200ms"});
  EXPECT_EQ(worker.status, 1);
  EXPECT_NE(worker.err.find("127.0.0.1:1"), std::string::npos) << worker.err;
}

TEST_F(BadInput, PortInUse) {
  Cluster cluster;
  cluster.start_master();
  const Finished second =
      run({kBin + "/ontime-master", "--journal", directory_ / "journal", "--listen", cluster.address()});
  EXPECT_EQ(second.status, 1);
  EXPECT_NE(second.err.find("in use"), std::string::npos) << second.err;
  EXPECT_NE(second.err.find(cluster.address().substr(cluster.address().find(':') + 1)), std::string::npos)
      << second.err;
}

TEST_F(BadInput, AddressBeyondTheLoopback) {
  const Finished master = run({kBin + "/ontime-master", "--journal", directory_ / "journal", "--listen", "0.0.0.0:0"});
  EXPECT_EQ(master.status, 2);
  EXPECT_NE(master.err.find("0.0.0.0"), std::string::npos) << master.err;
}

TEST_F(BadInput, MapperThatThrows) {
  expect_failure(1, misbehave("throw"), {"the mapper does not like this line", "t00000"});
}

TEST_F(BadInput, MapperThatCrashes) { expect_failure(1, misbehave("crash"), {"signal 11"}); }
TEST_F(BadInput, MapperThatAborts) { expect_failure(1, misbehave("abort"), {"signal 6"}); }
TEST_F(BadInput, MapperThatExitsEarly) { expect_failure(1, misbehave("exit"), {"status 7"}); }

TEST_F(BadInput, MapperThatHangs) {
  expect_failure(1, misbehave("hang", {"--attempt-timeout", "200ms", "--max-attempts", "2"}), {"no progress"});
}

TEST_F(BadInput, MapperThatWritesGigabytesToStderr) {
  const Finished finished = expect_failure(1, misbehave("flood", {"--max-attempts", "1"}), {"the last words"});
  EXPECT_LT(finished.err.size(), 100'000u);
}

TEST_F(BadInput, RecordAboveTheLimit) {
  write_file(directory_ / "long", "short\n" + std::string(100'000, 'x') + "\n");
  expect_failure(1, run_of("wordcount", directory_ / "long", {"--max-record", "64KiB"}), {directory_ / "long", "6"});
}

TEST_F(BadInput, BrokenCompressedStream) {
  ASSERT_EQ(shell("gzip -c " + kText + "/austen_persuasion.txt | head -c 50000 > " + directory_ / "torn.gz").status, 0);
  expect_failure(1, run_of("wordcount", directory_ / "torn.gz"), {directory_ / "torn.gz"});
}

TEST_F(BadInput, InputThatChangesAfterSubmission) {
  Cluster cluster;
  cluster.start_master();
  const std::string job = cluster.submit({"wordcount", directory_ / "text", "--output", directory_ / "out"});
  write_file(directory_ / "text", "something else altogether\n");
  cluster.add_worker();
  EXPECT_EQ(cluster.wait(job), "failed");
  EXPECT_NE(cluster.job(job)["message"].get<std::string>().find(directory_ / "text"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out/_SUCCESS"));
}

TEST_F(BadInput, OtherJobsGoOn) {
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker(2);
  const std::string bad = cluster.submit(
      {"misbehaving", directory_ / "text", "--output", directory_ / "bad", "--set", "how=crash", "--app-dir", kApps});
  const std::string good = cluster.submit({"wordcount", directory_ / "text", "--output", directory_ / "good"});
  EXPECT_EQ(cluster.wait(bad), "failed");
  EXPECT_EQ(cluster.wait(good), "succeeded");
}

// A file system of one megabyte, full in a moment.
TEST_F(BadInput, FullDisk) {
  std::filesystem::create_directory(directory_ / "small");
  const Finished mounted = shell("mount -t tmpfs -o size=1m tmpfs " + directory_ / "small");
  if (mounted.status != 0) {  // without the right to mount, a limit on file sizes fails the same write
    const Finished finished = shell("ulimit -f 1; exec '" + kBin + "/ontime' run wordcount '" + kText + "' --output '" +
                                    directory_ / "out" + "' --quiet");
    EXPECT_EQ(finished.status, 1) << finished.err;
    return;
  }
  const Finished finished = ontime({"run", "wordcount", kText, "--output", directory_ / "small/out", "--quiet"});
  const bool looks_complete = std::filesystem::exists(directory_ / "small/out/_SUCCESS");
  shell("umount " + directory_ / "small");
  EXPECT_EQ(finished.status, 1);
  EXPECT_FALSE(looks_complete);
  EXPECT_NE(finished.err.find("No space left on device"), std::string::npos) << finished.err;
}

TEST_F(BadInput, InterruptedRunLeavesNothing) {
  Process process({kBin + "/ontime", "run", "paced", kText, "--output", directory_ / "out", "--set", "lines=1"},
                  directory_ / "log", {{"ONTIME_APP_PATH", kApps}});
  ASSERT_TRUE(eventually([&] { return !descendants(process.pid(), "ontime-runner").empty(); }));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().status, 130);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out/_SUCCESS"));
  EXPECT_TRUE(descendants(getpid(), "ontime-runner").empty());
}

}  // namespace
}  // namespace ontime::test
