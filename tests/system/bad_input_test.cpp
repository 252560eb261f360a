// Bad input gets one clear sentence that names the thing, the right exit code, no process left, nothing that looks
// complete; and other jobs go on.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/silent_server.h"
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

TEST_F(BadInput, TwoThingsThatWouldPrintIntoEachOther) {
  expect_failure(2, run_of("wordcount", directory_ / "text", {"--json", "--answer", "-"}), {"--json", "--answer -"});
}

// An empty input would be counted without a word.
TEST_F(BadInput, StandardInputThatIsClosed) {
  const Finished finished = shell("'" + kBin + "/ontime' run wordcount - --output '" + directory_ / "out" + "' <&-");
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("cannot be read"), std::string::npos) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out"));
}

// Neither whole nor damaged.
TEST_F(BadInput, StoreThatCannotBeReachedIsNoDamagedOutput) {
  const Finished finished = shell("AWS_ENDPOINT_URL=http://127.0.0.1:1 AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b '" +
                                  kBin + "/ontime' verify --json s3://bucket/out");
  EXPECT_EQ(finished.status, 1);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find("cannot be reached"), std::string::npos) << finished.err;
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

struct Complaint {
  Arguments arguments;  // a program and its flags
  std::string sentence;
};

// What CLI11 and its reader of configuration files find wrong, in the words of these programs.
TEST_F(BadInput, TheDaemonsComplainInOneVoice) {
  const std::string config = directory_ / "config";
  const Arguments master{kBin + "/ontime-master", "--config", config};
  for (const auto& [line, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"journl=x", "there is no flag 'journl'; did you mean 'journal'?"},
           {"garbage here", "the line 'garbage here' is not NAME=VALUE; see 'ontime-master --help'."},
           {"[part]\njournal=x",
            "there are no sections such as [part]; leave that line out; see 'ontime-master --help'."},
           {"[part", "the line '[part' is not NAME=VALUE; see 'ontime-master --help'."},
           {"=x", "the line '=x' is not NAME=VALUE; see 'ontime-master --help'."},
           {"check-config=true",
            "'check-config' belongs on the command line, as --check-config; see 'ontime-master --help'."}}) {
    write_file(config, line + "\n");
    EXPECT_EQ(run(master).err, "ontime-master: --config " + config + ": " + sentence + "\n");
  }
  write_file(config, "seed=-1\n");
  const std::string wrong_seed = "--seed: '-1' is not a whole number from 0 to 18446744073709551615";
  for (const auto& [arguments, sentence] : std::vector<Complaint>{
           {master, "ontime-master: " + wrong_seed + "; see 'ontime-master --help'."},
           {{kBin + "/ontime-master", "--config", directory_ / "none"},
            "ontime-master: --config: the file '" + directory_ / "none" +
                "' cannot be read; see 'ontime-master --help'."},
           {{kBin + "/ontime-master", "--journl", "x"},
            "ontime-master: There is no flag '--journl'; did you mean '--journal'?"},
           {{kBin + "/ontime-master", "--owner-share", "7"},
            "ontime-master: --owner-share: '7' is not a number from 0.01 to 1; see 'ontime-master --help'."},
           {{kBin + "/ontime-master", "--listen-fd", "x"},
            "ontime-master: --listen-fd: 'x' is not a whole number from 0 to 2147483647; see 'ontime-master --help'."},
           {{kBin + "/ontime-worker", "--slot", "2"},
            "ontime-worker: There is no flag '--slot'; did you mean '--slots'?"},
           {{kBin + "/ontime-worker", "--slots", "0x2"},
            "ontime-worker: --slots: '0x2' is not a whole number from 1 to 512; see 'ontime-worker --help'."},
           {{kBin + "/ontime-worker", "--attempt-memory", "1"},
            "ontime-worker: --attempt-memory: '1' is too small; give 16.0 MiB or more; see 'ontime-worker --help'."},
           {{kBin + "/ontime-worker", "--log-level", "loud"},
            "ontime-worker: --log-level: 'loud' is not one of: trace, debug, info, warning, error, off; see "
            "'ontime-worker --help'."},
           {{kBin + "/ontime-worker", "extra"},
            "ontime-worker: 'extra' is one argument too many; see 'ontime-worker --help'."}}) {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.status, 2) << sentence;
    EXPECT_EQ(finished.err, sentence + "\n");
  }
}

TEST_F(BadInput, FlagsOfTheClusterAreCheckedBeforeItStarts) {
  const std::string text = directory_ / "text";
  expect_failure(2, run_of("wordcount", text, {"--node-timeout", "0"}), {"--node-timeout: 0", "--heartbeat"});
  expect_failure(2, run_of("wordcount", text, {"--log-file", "/nope/x"}), {"--log-file: '/nope/x' cannot be written"});
  expect_failure(2, run_of("wordcount", text, {"--record", "/nope/x"}), {"--record: '/nope/x' cannot be written"});
  expect_failure(2, run_of("wordcount", text, {"--app-dir", "/nope"}), {"--app-dir: '/nope' is not a directory"});
  expect_failure(2, run_of("wordcount", ""), {"INPUT: the value is empty"});
  expect_failure(2, {"submit", "wordcount", "-", "--output", directory_ / "out"}, {"Input '-' needs --wait"});
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out"));
}

// The same command, put right, would find the file in its way.
TEST_F(BadInput, ARunWithoutAJobLeavesNoRecording) {
  const std::string recording = directory_ / "run.otr";
  expect_failure(2, run_of("wordcount", directory_ / "nowhere*", {"--record", recording}), {"matches no file"});
  EXPECT_FALSE(std::filesystem::exists(recording));
}

TEST_F(BadInput, WhatWasMeantIsSuggested) {
  const std::string text = directory_ / "text";
  expect_failure(2, run_of("wordcount", text, {"--policy", "lat"}), {"did you mean 'late'?"});
  expect_failure(2, run_of("wordcuont", text), {"did you mean 'wordcount'?"});
  expect_failure(2, run_of("wordcount", text, {"--inject", "pase=1s"}), {"did you mean 'pace'?"});
  expect_failure(2, {"gen", "txt", "1k"}, {"did you mean 'text'?"});
}

TEST_F(BadInput, NoParserSpeaksForItself) {
  std::filesystem::create_directory(directory_ / "damaged");
  write_file(directory_ / "damaged/_manifest.json", "{broken");
  write_file(directory_ / "damaged/_SUCCESS", "");
  const Finished verified = expect_failure(1, {"verify", directory_ / "damaged"}, {"not JSON from byte 2 on"});
  EXPECT_EQ(nlohmann::json::parse(ontime({"verify", directory_ / "damaged", "--json"}).out)["whole"], false);
  EXPECT_EQ(verified.err.find("exception"), std::string::npos) << verified.err;
}

TEST_F(BadInput, AnApplicationMayBeNamedByItsPath) {
  const std::string path = kBin + "/../lib/ontime/apps/libontime_app_wordcount.so";
  EXPECT_EQ(ontime(run_of(path, directory_ / "text")).status, 0);
}

TEST_F(BadInput, WhatCannotBePrintedFails) {
  for (const std::string verb : {"apps", "--help", "policies"}) {
    const Finished finished = shell("'" + kBin + "/ontime' " + verb + " > /dev/full");
    EXPECT_EQ(finished.status, 1) << verb;
    EXPECT_EQ(finished.err, "ontime: Cannot write to stdout: No space left on device.\n");
  }
  for (const std::string program : {"ontime-master", "ontime-worker"}) {
    const Finished finished = shell("'" + kBin + "/" + program + "' --help > /dev/full");
    EXPECT_EQ(finished.status, 1) << program;
    EXPECT_EQ(finished.err, program + ": Cannot write to stdout: No space left on device.\n");
  }
}

// As under `ontime-master --help | head`: the last reader of the pipe is gone before anything is written.
TEST_F(BadInput, WhatNobodyReadsAnyMoreIsNoFailure) {
  const std::string pipe = "'" + directory_ / "pipe" + "'";
  for (const std::string program : {"ontime", "ontime-master", "ontime-worker"}) {
    const Finished finished = shell("trap '' PIPE; rm -f " + pipe + "; mkfifo " + pipe + "; exec 3<>" + pipe + " 4>" +
                                    pipe + " 3>&-; '" + kBin + "/" + program + "' --help >&4");
    EXPECT_EQ(finished.status, 0) << program;
    EXPECT_EQ(finished.err, "") << program;
  }
}

TEST_F(BadInput, ASummaryThatCannotBePrintedFails) {
  const std::string run =
      "'" + kBin + "/ontime' run wordcount '" + directory_ / "text" + "' -o '" + directory_ / "full" + "'";
  const Finished finished = shell(run + " > /dev/full");
  EXPECT_EQ(finished.status, 1);
  EXPECT_TRUE(finished.err.ends_with("ontime: Cannot write to stdout: No space left on device.\n")) << finished.err;
}

TEST_F(BadInput, GeneratedDataIsCounted) {
  const Finished finished = shell("'" + kBin + "/ontime' gen text 10B | wc -c");
  EXPECT_EQ(finished.err, "stdout: 10 B\n");
  EXPECT_EQ(finished.out, "10\n");
}

TEST_F(BadInput, UnreachableMaster) { expect_failure(1, {"jobs", "--master", "127.0.0.1:1"}, {"127.0.0.1:1"}); }

TEST_F(BadInput, WorkerWithoutAReachableMaster) {
  const Finished worker = run({kBin + "/ontime-worker", "--master", "127.0.0.1:1", "--connect-timeout", "200ms"});
  EXPECT_EQ(worker.status, 1);
  EXPECT_NE(worker.err.find("127.0.0.1:1"), std::string::npos) << worker.err;
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

TEST_F(BadInput, MergerThatExitsMakesNoAnswer) {
  ASSERT_EQ(ontime(misbehave("merge")).status, 0);
  const Finished result = ontime({"result", directory_ / "out"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("The application has ended the process"), std::string::npos) << result.err;
}

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

// A run that waits for the server of its input would never end.
TEST_F(BadInput, InterruptedRunDoesNotWaitForTheServerOfItsInput) {
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const std::string scheme : {"http://", "s3://", "webhdfs://"}) {
      SilentServer server;
      const std::string input = scheme == "s3://" ? "s3://bucket/in/" : scheme + server.address() + "/in";
      Process process({kBin + "/ontime", "run", "wordcount", input, "--output", directory_ / "out"}, directory_ / "log",
                      {{"AWS_ENDPOINT_URL", "http://" + server.address()},
                       {"AWS_ACCESS_KEY_ID", "id"},
                       {"AWS_SECRET_ACCESS_KEY", "key"},
                       {"AWS_REGION", "us-east-1"}});
      server.await_requests(1);
      process.signal(signal);
      const Finished finished = process.wait();
      EXPECT_EQ(finished.status, 130) << scheme << finished.err;
    }
  }
}

}  // namespace
}  // namespace ontime::test
