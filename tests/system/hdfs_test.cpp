// Inputs and outputs in HDFS, with Hadoop's own servers. They take seconds to start, so all tests here share them, each
// in a directory of its own, and ctest runs this program as one test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "common/hdfs/file_system.h"
#include "tests/support/mini_hdfs.h"
#include "tests/system/cluster.h"
#include "tests/system/found_begins.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Hdfs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!MiniHdfs::is_there()) return;
    hdfs_ = std::make_unique<MiniHdfs>();
    for (const auto& [name, value] : hdfs_->environment()) ::setenv(name.c_str(), value.c_str(), 1);
  }
  static void TearDownTestSuite() { hdfs_.reset(); }
  void SetUp() override {
    if (!hdfs_) GTEST_SKIP() << "there is no HDFS (scripts/install-dependencies --tests)";
  }

  // In the directory of this test.
  static std::string path(const std::string& name) {
    return "/" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "/" + name;
  }
  static std::string url(const std::string& name) { return hdfs_->url(path(name)); }
  static void put(const std::string& name, const std::string& content = read_file(kNovel)) {
    hdfs_->put(path(name), content);
  }
  Finished wordcount(Arguments arguments, const std::string& output) const {
    arguments.insert(arguments.begin(), {"run", "wordcount"});
    arguments.insert(arguments.end(), {"--output", output, "--splits", "5"});
    return ontime(arguments);
  }
  void start(const Arguments& roots = {}) {
    cluster_.start_master(roots);
    cluster_.add_worker(2, roots);
  }
  // A few seconds long, with checkpoints all the while.
  std::string submit_paced(const std::string& input, const std::string& output) {
    return cluster_.submit({"paced", input, "--output", output, "--splits", "4", "--checkpoint", "50ms",
                            "--max-attempts", "100", "--set", "lines=5", "--app-dir", kApps});
  }
  static bool has_stored(const std::string& name) { return hdfs_->files(path(name + "/_attempts")) > 2; }
  void expect_right_answer(const std::string& job, const std::string& name) {
    EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
    EXPECT_EQ(verified_answer(url(name)), counted_by_coreutils(kNovel));
    EXPECT_FALSE(hdfs_->exists(path(name + "/_attempts")));
    EXPECT_FALSE(hdfs_->exists(path(name + "/_claim")));
  }

  inline static std::unique_ptr<MiniHdfs> hdfs_;
  TemporaryDirectory directory_;
  std::string out_ = directory_ / "out";
  Cluster cluster_;
};

TEST_F(Hdfs, InputIsCountedAsALocalFileIs) {
  put("shelf one/novel+1%20\xc3\xa9.txt");
  for (const std::string& root : {hdfs_->url(""), MiniHdfs::hdfs_url("")}) {
    const Finished run = wordcount({root + path("shelf one/novel+1%20\xc3\xa9.txt")}, out_);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(verified_answer(out_), counted_by_coreutils(kNovel));
    EXPECT_THAT(read_file(out_ + "/_manifest.json"), HasSubstr("shelf one/novel+1%20"));
    fs::remove_all(out_);
  }
}

TEST_F(Hdfs, InputIsADirectoryOrAPattern) {
  for (const char* name :
       {"in/a.txt", "in/deep/er/b.txt", "in/_temporary/c.txt", "in/.hidden", "inner.txt", "in/d.log"})
    put(name, std::string(name) + "\n");
  for (int i = 0; i < 12; ++i) put("many/" + std::to_string(i), "one\n");  // more than the NameNode lists at once
  const auto files_of = [&](const std::string& input, const Arguments& more = {}) {
    fs::remove_all(out_);
    Arguments arguments{url(input)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = wordcount(arguments, out_);
    EXPECT_EQ(run.status, 0) << run.err;
    return shell("grep -o '\"path\":\"[^\"]*' " + out_ + "/_manifest.json | sed 's/.*Pattern.//' | sort | tr '\\n' ' '")
               .out +
           (run.err.find("left out of the input") != std::string::npos ? "and more" : "");
  };
  EXPECT_EQ(files_of("in"), "in/a.txt in/d.log in/deep/er/b.txt and more");
  EXPECT_EQ(files_of("in/", {"--no-recurse"}), "in/a.txt in/d.log and more");
  EXPECT_EQ(files_of("in/*.txt"), "in/a.txt ");
  EXPECT_EQ(files_of("i?/**/*.{txt,log}"), "in/a.txt in/d.log in/deep/er/b.txt ");
  EXPECT_EQ(files_of("*/deep/*/b*"), "in/deep/er/b.txt ");
  EXPECT_EQ(files_of("many"), "many/0 many/1 many/10 many/11 many/2 many/3 many/4 many/5 many/6 many/7 many/8 many/9 ");
  EXPECT_EQ(verified_answer(out_), "one\t12\n");
}

TEST_F(Hdfs, InputThatIsCompressedIsDecompressed) {
  ASSERT_EQ(shell("gzip -c " + kNovel + " > " + (directory_ / "novel")).status, 0);
  put("novel", read_file(directory_ / "novel"));
  const Finished run = wordcount({url("novel")}, out_);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(out_), counted_by_coreutils(kNovel));
}

TEST_F(Hdfs, InputWhoseRecordsAreToldFromTheBeginIsDividedByTheNextJob) {
  start();
  expect_next_jobs_divided(cluster_, [](const std::string& name, const std::string& content) {
    put(name, content);
    return url(name);
  });
}

TEST_F(Hdfs, InputThatCannotBeIsRefusedWithASentence) {
  const auto refusal = [&](const std::string& input) {
    const Finished run = wordcount({input}, out_);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_FALSE(fs::exists(out_));
    return run.err;
  };
  EXPECT_THAT(refusal(url("nothing")), HasSubstr("names no object"));
  EXPECT_THAT(refusal("hdfs:///x"), HasSubstr("names no host"));
  put("a.txt");
  EXPECT_THAT(refusal("webhdfs://127.0.0.1:1/x"), HasSubstr("cannot be reached"));
  ::setenv("HADOOP_USER_NAME", "no one", 1);
  EXPECT_THAT(refusal(url("a.txt")), HasSubstr("IllegalArgumentException"));
  ::setenv("HADOOP_USER_NAME", "ontime", 1);
}

// Attempts read from the worker then (common/hdfs/lender.h).
TEST_F(Hdfs, InputIsReadWithATokenThatAttemptsDoNotGet) {
  put("novel.txt");
  write_file(directory_ / "token", "HAAEcm9vdARyb290AIoBh");
  ::setenv("ONTIME_HDFS_TOKEN_FILE", (directory_ / "token").c_str(), 1);
  const Finished run = wordcount({url("novel.txt")}, out_);
  ::unsetenv("ONTIME_HDFS_TOKEN_FILE");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(out_), counted_by_coreutils(kNovel));
}

TEST_F(Hdfs, InputThatIsReplacedUnderWayFailsTheJob) {
  put("novel.txt");
  cluster_.start_master();
  const std::string job = cluster_.submit({"wordcount", url("novel.txt"), "--output", out_});
  put("novel.txt");
  cluster_.add_worker();
  EXPECT_EQ(cluster_.wait(job), "failed");
  EXPECT_THAT(cluster_.client({"job", job}).out, HasSubstr("changed after the job was submitted"));
}

#ifdef ONTIME_TEST_HAS_LAB
TEST_F(Hdfs, InputIsPlannedFor) {
  put("in/novel.txt");
  const Finished plan =
      ontime({"plan", "wordcount", url("in"), "--slots", "2", "--deadline", "9s", "--t-min", "2s", "--beta", "1.6"});
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("task"));
}

TEST_F(Hdfs, ResultsOfExperimentsAreCompared) {
  write_file(directory_ / "small.yaml",
             "nodes: [{count: 2, slots: 1}]\n"
             "injection: {pace: 200ms}\n"
             "jobs: [{app: wordcount, tasks: 2, count: 2, input: {text: 4KiB}, deadline: 700ms}]\n"
             "policies: [none]\n");
  const std::string here = directory_ / "here";
  const Finished done = ontime({"experiment", directory_ / "small.yaml", "--on", "sim", "--output", here});
  ASSERT_EQ(done.status, 0) << done.err;
  put("there/jobs.csv", read_file(here + "/jobs.csv"));
  const Finished compared = ontime({"compare", here, url("there"), "--json"});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_EQ(compared.out, ontime({"compare", here, here, "--json"}).out);
  const Finished nothing = ontime({"compare", here, url("nothing")});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("holds no finished experiment"));
}
#endif

TEST_F(Hdfs, OutputIsReadLikeADirectory) {
  const Finished run = wordcount({kNovel, "--answer", directory_ / "answer"}, url("a b/counts/"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(url("a b/counts")), counted_by_coreutils(kNovel));
  EXPECT_EQ(verified_answer(MiniHdfs::hdfs_url(path("a b/counts"))), counted_by_coreutils(kNovel));
  EXPECT_EQ(read_file(directory_ / "answer"), counted_by_coreutils(kNovel));
  EXPECT_EQ(hdfs_->files(path("a b/counts")), 7);
  const Finished again = wordcount({kNovel}, url("a b/counts"));
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("is not empty"));
  put("a b/counts/part-m-00002", "something else\n");
  EXPECT_EQ(ontime({"verify", url("a b/counts")}).status, 1);
}

TEST_F(Hdfs, OutputIsExactWhenMasterWorkerAndAttemptsAreKilled) {
  put("novel.txt");
  start();
  const std::string job = submit_paced(url("novel.txt"), url("counts"));
  ASSERT_TRUE(eventually([&] { return has_stored("counts") && cluster_.kill_some_attempt(0); }));
  const Finished second = wordcount({kNovel}, url("counts"));
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.err, HasSubstr("is being used by another job"));
  EXPECT_FALSE(hdfs_->exists(path("counts/_SUCCESS")));
  EXPECT_EQ(ontime({"result", url("counts")}).status, 2);
  cluster_.replace_worker(0);
  cluster_.restart_master();
  expect_right_answer(job, "counts");
}

TEST_F(Hdfs, OutputGoesToOneOfTwoJobsThatAreSubmittedAtOnce) {
  cluster_.start_master();
  cluster_.expect_one_of_two_to_get(url("out"));
}

TEST_F(Hdfs, OutputOfAKilledJobIsRemoved) {
  start();
  const std::string job = submit_paced(kNovel, url("counts"));
  ASSERT_TRUE(eventually([&] { return has_stored("counts"); }));
  EXPECT_EQ(cluster_.client({"kill", job}).status, 0);
  EXPECT_EQ(cluster_.wait(job), "killed");
  EXPECT_TRUE(eventually([&] { return !hdfs_->exists(path("counts")); }));
  hdfs::FileSystem late(hdfs_->url(""), "");
  EXPECT_FALSE(late.write(path("counts/_attempts/killed/t00000-a0.0").substr(1), http::content_of("late")));
  EXPECT_FALSE(hdfs_->exists(path("counts")));
  expect_right_answer(submit_paced(kNovel, url("counts")), "counts");
}

TEST_F(Hdfs, InputAndOutputMustLieInARoot) {
  put("in/novel.txt");
  put("novel.txt");
  start({"--output-root", url("out"), "--input-root", url("in")});
  expect_right_answer(submit_paced(url("in"), url("out/counts")), "out/counts");
  const auto refused = [&](const std::string& input, const std::string& output) {
    return cluster_.client({"submit", "wordcount", url(input), "--output", url(output)}).err;
  };
  EXPECT_THAT(refused("in", "counts"), HasSubstr("lies outside of the directories that this cluster writes to"));
  EXPECT_THAT(refused("novel.txt", "out/x"), HasSubstr("is none of the addresses that this cluster reads"));
  EXPECT_THAT(refused("in/../novel.txt", "out/x"), HasSubstr("holds '.' or '..'"));
}

// One that a master has left that died in the middle of its claim, and one that was in the way.
TEST_F(Hdfs, OutputMayBeClaimedWhereAnotherMasterWasAboutTo) {
  put("counts/_attempts/_claim.0123456789abcdef", "other-1");
  EXPECT_EQ(wordcount({kNovel}, url("counts")).status, 0);
  EXPECT_EQ(verified_answer(url("counts")), counted_by_coreutils(kNovel));
  EXPECT_FALSE(hdfs_->exists(path("counts/_attempts")));
  put("file", "x");
  // HDFS would rename a part into it.
  put("parts/part-m-00000/x", "x");
  ASSERT_TRUE(hdfs::FileSystem(hdfs_->url(""), "").remove(path("parts/part-m-00000/x").substr(1)));
  EXPECT_THAT(wordcount({kNovel}, url("parts")).err, HasSubstr("is not empty"));
  const Finished below = wordcount({kNovel}, url("file/counts"));
  EXPECT_EQ(below.status, 1) << below.err;
  EXPECT_THAT(below.err, HasSubstr("(is not a directory)"));
}

// The store that both masters and workers use, without them.
TEST_F(Hdfs, CreatesAtOnceAndPutsInPlaceAgain) {
  hdfs::FileSystem files(hdfs_->url(""), path("tmp/").substr(1));
  const std::string claim = path("_claim").substr(1);
  EXPECT_TRUE(*files.create(claim, "mine"));
  EXPECT_FALSE(*files.create(claim, "yours"));
  EXPECT_EQ(*files.read(claim, 100), "mine");
  const std::string segment = path("tmp/segment").substr(1);
  const std::string part = path("part").substr(1);
  ASSERT_TRUE(files.write(segment, http::content_of("bytes")));
  ASSERT_TRUE(files.put_in_place({segment, 5, ""}, part));
  ASSERT_TRUE(files.put_in_place({segment, 5, ""}, part)) << "again";
  EXPECT_EQ(*files.read(part, 100), "bytes");
  EXPECT_EQ(files.read(segment, 100).error().status, 404);
  EXPECT_TRUE(files.remove(part));
  EXPECT_TRUE(files.remove(part));
  files.remove_directory(path("tmp/").substr(1));
  EXPECT_FALSE(hdfs_->exists(path("tmp")));
}

// The last: it stays away.
TEST_F(Hdfs, ZzzADataNodeThatDiesIsNotMissed) {
  put("novel.txt");
  start();
  const std::string job = submit_paced(url("novel.txt"), url("counts"));
  ASSERT_TRUE(eventually([&] { return has_stored("counts"); }));
  hdfs_->stop_a_data_node();
  expect_right_answer(job, "counts");
}

}  // namespace
}  // namespace ontime::test
