// Inputs that a store has which speaks S3.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/object_store.h"
#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;

class StoreInput : public testing::Test {
 protected:
  void SetUp() override {
    if (!ObjectStore::is_there()) GTEST_SKIP() << "there is no versitygw (scripts/install-dependencies --tests)";
    store_ = std::make_unique<ObjectStore>("books");
  }
  void put(const std::string& key, const std::string& file = kNovel) const {
    fs::create_directories(fs::path(store_->path(key)).parent_path());
    fs::copy_file(file, store_->path(key), fs::copy_options::overwrite_existing);
  }
  Finished wordcount(Arguments inputs, const Environment& changes = {}) const {
    Arguments command{ONTIME_TEST_BIN "/ontime", "run", "wordcount"};
    command.insert(command.end(), inputs.begin(), inputs.end());
    command.insert(command.end(), {"--output", out_, "--splits", "5"});
    auto environment = store_->environment();
    for (const auto& [name, value] : changes) environment[name] = value;
    return run(command, environment);
  }

  TemporaryDirectory directory_;
  std::string out_ = directory_ / "out";
  std::unique_ptr<ObjectStore> store_;
};

TEST_F(StoreInput, IsCountedAsALocalFileIs) {
  put("shelf one/novel+1.txt");
  const Finished run = wordcount({store_->url("shelf one/novel+1.txt")});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(out_), counted_by_coreutils(kNovel));
  EXPECT_EQ(shell("grep -c versity " + out_ + "/_manifest.json").out, "0\n");
  EXPECT_NE(read_file(out_ + "/_manifest.json").find(store_->url("shelf one/novel+1.txt")), std::string::npos);
  EXPECT_EQ(read_file(out_ + "/_manifest.json").find("X-Amz"), std::string::npos);
}

TEST_F(StoreInput, OfAPrefixIsEverythingBelowButWhatIsHidden) {
  put("in/a.txt");
  put("in/deep/er/b.txt");
  put("in/_temporary/c.txt");
  put("in/.hidden");
  put("inner.txt");
  const Finished run = wordcount({store_->url("in")});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(out_), counted_by_coreutils(kNovel + " " + kNovel));
  EXPECT_NE(run.err.find("left out of the input: 2 names"), std::string::npos) << run.err;
}

TEST_F(StoreInput, IsFoundByPatterns) {
  put("in/a.txt");
  put("in/b.log");
  put("in/deep/c.txt");
  const auto files_of = [&](const std::string& pattern) {
    fs::remove_all(out_);
    const Finished run = wordcount({store_->url(pattern)});
    EXPECT_EQ(run.status, 0) << run.err;
    return shell("grep -o '\"path\":\"[^\"]*' " + out_ + "/_manifest.json | sed 's/.*books.//' | sort | tr '\\n' ' '")
        .out;
  };
  EXPECT_EQ(files_of("in/*.txt"), "in/a.txt ");
  EXPECT_EQ(files_of("in/**/*.txt"), "in/a.txt in/deep/c.txt ");
  EXPECT_EQ(files_of("i?/{b.log,d*}"), "in/b.log in/deep/c.txt ");
  EXPECT_EQ(files_of("in/{b.log,deep}"), "in/b.log in/deep/c.txt ");
  EXPECT_EQ(files_of("**"), "in/a.txt in/b.log in/deep/c.txt ");
}

TEST_F(StoreInput, ThatIsCompressedIsDecompressed) {
  ASSERT_EQ(shell("gzip -c " + kNovel + " > " + store_->path("novel")).status, 0);
  const Finished run = wordcount({store_->url("novel")});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(out_), counted_by_coreutils(kNovel));
}

// The first job finds out where its records begin.
TEST_F(StoreInput, OfWarcIsDividedByTheNextJob) {
  std::string records;
  for (int i = 0; i < 5000; ++i)
    records += "WARC/1.0\r\nContent-Length: 800\r\n\r\n" + std::string(800, 'x') + "\r\n\r\n";
  write_file(store_->path("a.warc"), records);
  auto environment = store_->environment();
  environment["ONTIME_CACHE_DIR"] = directory_ / "cache";
  for (const std::string job : {"first", "second"}) {
    const std::string out = directory_ / job;
    const Finished done = run({ONTIME_TEST_BIN "/ontime", "run", "wordcount", store_->url("a.warc"), "--records",
                               "warc", "--split-size", "1MiB", "--output", out},
                              environment);
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_NE(verified_answer(out).find("WARC/1.0\t5000\n"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(read_file(out + "/_manifest.json")).at("tasks").size(), job == "first" ? 1u : 4u);
  }
}

TEST_F(StoreInput, ThatIsNotThereOrNotOursIsRefusedWithASentence) {
  put("a.txt");
  const auto refusal = [&](const std::string& input, const Environment& changes = {}) {
    const Finished run = wordcount({input}, changes);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_FALSE(fs::exists(out_));
    EXPECT_EQ(run.err.find("not+so/secret"), std::string::npos) << run.err;
    return run.err;
  };
  EXPECT_NE(refusal(store_->url("b.txt")).find("names no object"), std::string::npos);
  EXPECT_NE(refusal("s3://other-bucket/x").find("NoSuchBucket"), std::string::npos);
  const std::string wrong_secret = refusal(store_->url("a.txt"), {{"AWS_SECRET_ACCESS_KEY", "x"}});
  EXPECT_NE(wrong_secret.find(store_->endpoint() + " answers SignatureDoesNotMatch"), std::string::npos)
      << wrong_secret;
  const std::string wrong_region = refusal(store_->url("a.txt"), {{"AWS_REGION", "moon-1"}});
  EXPECT_NE(wrong_region.find("give the right AWS_REGION"), std::string::npos) << wrong_region;
  EXPECT_NE(refusal("s3://Books/x").find("names no bucket"), std::string::npos);
  EXPECT_NE(refusal(store_->url(), {{"AWS_SECRET_ACCESS_KEY", "x"}}).find("SignatureDoesNotMatch"), std::string::npos);
  const std::string nowhere = directory_ / "no-home";
  const std::string none =
      refusal(store_->url("a.txt"), {{"AWS_ACCESS_KEY_ID", ""}, {"AWS_SECRET_ACCESS_KEY", ""}, {"HOME", nowhere}});
  EXPECT_NE(none.find("There are no keys"), std::string::npos) << none;
}

TEST_F(StoreInput, ThatIsReplacedUnderWayFailsTheJob) {
  put("novel.txt");
  Cluster cluster;
  for (const auto& [name, value] : store_->environment()) ::setenv(name.c_str(), value.c_str(), 1);
  cluster.start_master();
  const std::string job = cluster.submit({"wordcount", store_->url("novel.txt"), "--output", out_});
  write_file(store_->path("novel.txt"), "something else\n");
  cluster.add_worker();
  EXPECT_EQ(cluster.wait(job), "failed");
  for (const auto& [name, value] : store_->environment()) ::unsetenv(name.c_str());
  EXPECT_NE(cluster.client({"job", job}).out.find("changed after the job was submitted"), std::string::npos);
}

// A user's program finds no keys, and nobody who lists processes does.
TEST_F(StoreInput, IsReadByAttemptsThatHoldNoKeys) {
  put("a.txt");
  const auto environment = store_->environment();
  const Finished run = test::run({ONTIME_TEST_BIN "/ontime", "run", "exec", store_->url("a.txt"), "--set",
                                  "command=env; cat > /dev/null", "--output", out_, "--quiet"},
                                 environment);
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string seen = shell("cat " + out_ + "/part-*").out;
  EXPECT_NE(seen.find("PATH="), std::string::npos);
  EXPECT_EQ(seen.find("not+so/secret"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("AKIDTEST"), std::string::npos) << seen;
}

}  // namespace
}  // namespace ontime::test
