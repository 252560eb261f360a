// Outputs in a store that speaks S3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/object_store.h"
#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class StoreOutput : public testing::Test {
 protected:
  void SetUp() override {
    if (!ObjectStore::is_there()) GTEST_SKIP() << "there is no versitygw (scripts/install-dependencies --tests)";
    store_ = std::make_unique<ObjectStore>("books");
    for (const auto& [name, value] : store_->environment()) ::setenv(name.c_str(), value.c_str(), 1);
  }
  void start(std::uint32_t slots = 2, const Arguments& roots = {}) {
    cluster_.start_master(roots);
    cluster_.add_worker(slots, roots);
  }
  // A few seconds long, with checkpoints all the while.
  std::string submit_paced(const std::string& output, const Arguments& more = {}) {
    Arguments arguments{
        "paced",          kNovel, "--output", store_->url(output), "--splits",  "4",  "--checkpoint", "50ms",
        "--max-attempts", "100",  "--set",    "lines=5",           "--app-dir", kApps};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cluster_.submit(arguments);
  }
  bool has_stored(const std::string& output) const {
    return shell("find " + store_->path(output) + "/_attempts -type f | grep -q .").status == 0;
  }
  void expect_right_answer(const std::string& job, const std::string& output) {
    EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
    EXPECT_EQ(verified_answer(store_->url(output)), counted_by_coreutils(kNovel));
    EXPECT_FALSE(fs::exists(store_->path(output + "/_attempts")));
    EXPECT_FALSE(fs::exists(store_->path(output + "/_claim")));
  }
  // Of `ontime run wordcount`, to its end.
  Finished wordcount(const std::string& output, const Arguments& more = {}) {
    Arguments arguments{"run", "wordcount", kNovel, "--output", output, "--splits", "4"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ontime(arguments);
  }

  std::unique_ptr<ObjectStore> store_;
  TemporaryDirectory directory_;
  Cluster cluster_;
};

TEST_F(StoreOutput, IsReadLikeADirectory) {
  const Finished run = wordcount(store_->url("a b/counts/"), {"--answer", directory_ / "answer"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(store_->url("a b/counts")), counted_by_coreutils(kNovel));
  EXPECT_EQ(read_file(directory_ / "answer"), counted_by_coreutils(kNovel));
  EXPECT_EQ(shell("ls -A '" + store_->path("a b/counts") + "' | tr '\\n' ' '").out,
            "_SUCCESS _manifest.json part-m-00000 part-m-00001 part-m-00002 part-m-00003 ");
}

// A part whose task several attempts have mapped, or one attempt with checkpoints, is several objects.
TEST_F(StoreOutput, OfSeveralAttemptsIsInPieces) {
  start();
  const std::string job = submit_paced("counts");
  const std::string packed = submit_paced("packed", {"--compress", "zstd", "--parts-suffix", ".tsv"});
  ASSERT_TRUE(eventually([&] { return has_stored("counts") && cluster_.kill_some_attempt(0); }));
  expect_right_answer(job, "counts");
  expect_right_answer(packed, "packed");
  EXPECT_TRUE(fs::exists(store_->path("packed/part-m-00000.0001.tsv.zst")));
  EXPECT_TRUE(fs::exists(store_->path("counts/part-m-00000.0001")) ||
              fs::exists(store_->path("counts/part-m-00001.0001")));
}

TEST_F(StoreOutput, IsNotVisibleBeforeItsJobHasSucceededAndBelongsToNoOtherJob) {
  start();
  const std::string job = submit_paced("counts");
  ASSERT_TRUE(eventually([&] { return has_stored("counts"); }));
  EXPECT_FALSE(fs::exists(store_->path("counts/_SUCCESS")));
  EXPECT_EQ(ontime({"result", store_->url("counts")}).status, 2);
  const Finished second = wordcount(store_->url("counts"));
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.err, HasSubstr("is being used by another job"));
  expect_right_answer(job, "counts");
  const Finished third = wordcount(store_->url("counts"));
  EXPECT_EQ(third.status, 2);
  EXPECT_THAT(third.err, HasSubstr("is not empty"));
  expect_right_answer(job, "counts");
}

TEST_F(StoreOutput, GoesToOneOfTwoJobsThatAreSubmittedAtOnce) {
  cluster_.start_master();
  cluster_.expect_one_of_two_to_get(store_->url("out"));
}

TEST_F(StoreOutput, OfAKilledJobIsRemoved) {
  start();
  const std::string job = submit_paced("counts");
  ASSERT_TRUE(eventually([&] { return has_stored("counts"); }));
  EXPECT_EQ(cluster_.client({"kill", job}).status, 0);
  EXPECT_EQ(cluster_.wait(job), "killed");
  EXPECT_TRUE(eventually([&] { return shell("find " + store_->path("counts") + " -type f | grep -q .").status != 0; }));
  expect_right_answer(submit_paced("counts"), "counts");
}

TEST_F(StoreOutput, WaitsForAStoreThatIsAway) {
  start();
  const std::string job = submit_paced("counts");
  ASSERT_TRUE(eventually([&] { return has_stored("counts"); }));
  store_->stop();
  const auto mapped = cluster_.job(job).at("mapped_bytes");
  ASSERT_TRUE(eventually([&] { return cluster_.job(job).at("mapped_bytes") > mapped; }));
  store_->start();
  expect_right_answer(job, "counts");
}

TEST_F(StoreOutput, MustLieInARoot) {
  start(2, {"--output-root", store_->url("allowed"), "--input-root", kText});
  expect_right_answer(submit_paced("allowed/counts"), "allowed/counts");
  const Finished refused =
      cluster_.client({"submit", "paced", kNovel, "--output", store_->url("elsewhere/counts"), "--app-dir", kApps});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("lies outside of the directories that this cluster writes to"));
}

TEST_F(StoreOutput, ThatIsDamagedIsNoticed) {
  ASSERT_EQ(wordcount(store_->url("counts")).status, 0);
  const auto verdict = [&] { return ontime({"verify", store_->url("counts")}).out; };
  EXPECT_THAT(verdict(), HasSubstr(": whole, 4 tasks"));
  write_file(store_->path("counts/part-m-00007"), "");
  EXPECT_THAT(verdict(), HasSubstr("'part-m-00007' does not belong to the output"));
  fs::remove(store_->path("counts/part-m-00002"));
  EXPECT_THAT(verdict(), HasSubstr("part file 'part-m-00002' cannot be read"));
  EXPECT_EQ(ontime({"result", store_->url("counts")}).status, 1);
  ASSERT_EQ(shell("printf x | dd of=" + store_->path("counts/part-m-00001") + " conv=notrunc").status, 0);
  EXPECT_THAT(verdict(), HasSubstr("the output was changed after the job"));
}

TEST_F(StoreOutput, ThatCannotBeIsRefusedWithASentence) {
  const auto refused = [&](const std::string& output) {
    const Finished run = wordcount(output);
    EXPECT_EQ(run.status, 2) << run.err;
    return run.err;
  };
  EXPECT_THAT(refused("s3://books"), HasSubstr("is a whole store; name a directory in it"));
  EXPECT_THAT(refused("s3://Books/x"), HasSubstr("names no bucket"));
  EXPECT_THAT(refused("s3://books/../x"), HasSubstr("holds '.' or '..'"));
  EXPECT_THAT(refused("https://books.example/x"), HasSubstr("is no place that jobs can write to"));
  EXPECT_THAT(ontime({"result", store_->url("nothing")}).err, HasSubstr("has no _SUCCESS"));
  const Finished missing = wordcount("s3://no-such-bucket/x");
  EXPECT_NE(missing.status, 0);
  EXPECT_THAT(missing.err, HasSubstr("NoSuchBucket"));
  EXPECT_THAT(missing.err, testing::Not(HasSubstr("..")));
}

TEST_F(StoreOutput, HasTheLogsOfItsAttempts) {
  const Finished run =
      ontime({"run", "exec", kNovel, "--output", store_->url("lines"), "--set", "command=echo seen >&2; wc -l"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(ontime({"logs", store_->url("lines")}).out, HasSubstr("seen"));
}

// What others have put there names the command.
TEST_F(StoreOutput, IsMergedByACommandOnlyIfThatIsAllowed) {
  ASSERT_EQ(ontime({"run", "exec", kNovel, "--output", store_->url("lines"), "--splits", "3", "--set", "command=wc -l",
                    "--set", "merge=paste -sd+ | bc"})
                .status,
            0);
  const Finished result = ontime({"result", store_->url("lines")});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("--run-command runs it"));
}

}  // namespace
}  // namespace ontime::test
