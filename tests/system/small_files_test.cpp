// Many small files share tasks. The answer is the one of the files, whatever is cut or killed.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/object_store.h"
#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;

// The novel in files of some lines each, the last without a line end in every third.
void make_small_files(const std::string& directory, int lines) {
  ASSERT_EQ(shell("mkdir -p " + directory + " && split -a 4 -l " + std::to_string(lines) + " " + kNovel + " " +
                  directory + "/f && for file in " + directory + "/f*[adgjmpsvy]; do truncate -s -1 $file; done")
                .status,
            0);
}

// Words of files that end without a line end are not joined with those of the next.
std::string counted(const std::string& directory) {
  write_file(directory + ".all", shell("for file in " + directory + "/f*; do cat $file; echo; done").out);
  return counted_by_coreutils(directory + ".all");
}

nlohmann::json manifest_of(const std::string& output) {
  return nlohmann::json::parse(read_file(output + "/_manifest.json"));
}

std::size_t files_in(const std::string& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

class SmallFiles : public PacedJobs {
 protected:
  const std::string in_ = cluster_ / "in";
};

TEST_F(SmallFiles, ShareTasksWhoseAttemptsAreCutAndResumed) {
  make_small_files(in_, 4);
  const std::size_t files = files_in(in_);
  ASSERT_GT(files, 2000u);
  cluster_.start_master();
  for (int i = 0; i < 2; ++i) cluster_.add_worker(2);
  const std::string job =
      cluster_.submit({"paced", in_, "--output", cluster_ / "out", "--splits", "8", "--checkpoint", "50ms",
                       "--max-attempts", "100", "--set", "lines=5", "--app-dir", kApps});
  ASSERT_TRUE(eventually([&] { return has_begun(job) && cluster_.kill_some_attempt(0); }));
  cluster_.replace_worker(0);
  cluster_.restart_master();
  ASSERT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
  EXPECT_EQ(verified_answer(cluster_ / "out"), counted(in_));
  const nlohmann::json manifest = manifest_of(cluster_ / "out");
  EXPECT_EQ(manifest["inputs"].size(), files);
  EXPECT_LE(manifest["tasks"].size(), 8u);
  std::size_t segments = 0;
  std::size_t shared = 0;
  for (const auto& task : manifest["tasks"]) {
    segments += task["segments"].size();
    shared += task.value("files", 1u);
  }
  EXPECT_EQ(shared, files);
  EXPECT_GT(segments, manifest["tasks"].size());
  const nlohmann::json shown = cluster_.job(job)["task_list"][0];
  EXPECT_EQ(shown["path"], in_ + "/faaaa");
  EXPECT_GT(shown["files"], 1);
}

TEST_F(SmallFiles, CompressedOnesShareThemTooAndAttemptsAreResumed) {
  make_small_files(in_, 100);
  const std::string expected = counted(in_);
  const std::size_t files = files_in(in_);
  ASSERT_EQ(shell("gzip " + in_ + "/f*[acegikmoqsuwy]").status, 0);
  cluster_.start_master();
  cluster_.add_worker(2);
  const std::string job = cluster_.submit({"paced", in_, "--output", cluster_ / "out", "--splits", "2", "--checkpoint",
                                           "50ms", "--max-attempts", "100", "--set", "lines=20", "--app-dir", kApps});
  ASSERT_TRUE(eventually([&] { return has_begun(job) && cluster_.kill_some_attempt(0); }));
  ASSERT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
  EXPECT_EQ(verified_answer(cluster_ / "out"), expected);
  const nlohmann::json manifest = manifest_of(cluster_ / "out");
  EXPECT_EQ(manifest["inputs"].size(), files);
  EXPECT_EQ(manifest["inputs"][0]["codec"], "gzip");
  EXPECT_EQ(manifest["inputs"][1]["codec"], "plain");
  EXPECT_LE(manifest["tasks"].size(), 3u);
}

TEST_F(SmallFiles, ByDefaultSomeHundredTasksAreLeft) {
  make_small_files(in_, 4);
  ASSERT_EQ(ontime({"run", "wordcount", in_, "--output", cluster_ / "out", "-q"}).status, 0);
  EXPECT_EQ(verified_answer(cluster_ / "out"), counted(in_));
  const std::size_t tasks = manifest_of(cluster_ / "out")["tasks"].size();
  EXPECT_GE(tasks, 100u);
  EXPECT_LE(tasks, 200u);
}

TEST_F(SmallFiles, CanHaveTasksOfTheirOwn) {
  make_small_files(in_, 100);
  const Arguments common{"run", "wordcount", in_, "-q", "--output"};
  const auto tasks_with = [&](const std::string& name, Arguments options) {
    options.insert(options.begin(), common.begin(), common.end());
    options.insert(options.begin() + static_cast<std::ptrdiff_t>(common.size()), cluster_ / name);
    EXPECT_EQ(ontime(options).status, 0);
    EXPECT_EQ(verified_answer(cluster_ / name), counted(in_));
    return manifest_of(cluster_ / name)["tasks"].size();
  };
  EXPECT_EQ(tasks_with("alone", {"--splits", "2", "--no-combine"}), files_in(in_));
  EXPECT_EQ(tasks_with("together", {"--splits", "2"}), 2u);
}

// Each file has a run of the command, which gets its name and its lines only. Under `none`, since a file in which an attempt is
// divided has two runs.
TEST_F(SmallFiles, AreACommandsInputOneByOne) {
  make_small_files(in_, 100);
  ASSERT_EQ(ontime({"run", "exec", in_, "--output", cluster_ / "out", "--splits", "3", "--policy", "none", "-q", "--set",
                    "command=echo \"$(basename $map_input_file) $map_input_start $(wc -l)\""})
                .status,
            0);
  EXPECT_LE(manifest_of(cluster_ / "out")["tasks"].size(), 3u);
  const std::string expected =
      shell("cd " + in_ + " && for file in f*; do echo $file 0 $(sed '' $file | awk 'END { print NR }'); done").out;
  EXPECT_EQ(shell("cat " + cluster_ / "out" + "/part-m-*").out, expected);
}

TEST_F(SmallFiles, OfRecordsOfOneLengthAreSorted) {
  const std::string make = " && for i in $(seq 1 60); do head -c $((i * 100)) /dev/zero | tr '\\0' $(printf "
                           "'\\\\%03o' $((i + 48))) > f$i; done";
  ASSERT_EQ(shell("mkdir -p " + in_ + " && cd " + in_ + make).status, 0);
  ASSERT_EQ(ontime({"run", "terasort", in_, "--output", cluster_ / "out", "--splits", "4", "-q"}).status, 0);
  EXPECT_EQ(manifest_of(cluster_ / "out")["tasks"].size(), 4u);
  EXPECT_EQ(ontime({"verify", cluster_ / "out"}).status, 0);
  ASSERT_EQ(ontime({"result", cluster_ / "out", "--output", cluster_ / "sorted"}).status, 0);
  EXPECT_EQ(shell("cd " + in_ + " && cat $(ls -v f*) | cmp - " + cluster_ / "sorted").status, 0);
}

TEST_F(SmallFiles, AFileThatChangesFailsTheJobAndIsNamed) {
  make_small_files(in_, 100);
  cluster_.start_master();
  cluster_.add_worker();
  const std::string job = cluster_.submit({"paced", in_, "--output", cluster_ / "out", "--splits", "1", "--set",
                                           "lines=3", "--app-dir", kApps});
  ASSERT_TRUE(eventually([&] { return has_begun(job); }));
  write_file(in_ + "/faadc", "changed\n");
  EXPECT_EQ(cluster_.wait(job), "failed");
  EXPECT_NE(cluster_.job(job).dump().find(in_ + "/faadc changed after the job was submitted"), std::string::npos)
      << cluster_.job(job).dump(1);
}

TEST_F(SmallFiles, OfAStoreAreFetchedOneByOne) {
  if (!ObjectStore::is_there()) GTEST_SKIP() << "there is no versitygw (scripts/install-dependencies --tests)";
  const ObjectStore store("books");
  make_small_files(in_, 100);
  fs::copy(in_, store.path("in"));
  ASSERT_EQ(shell("gzip " + store.path("in") + "/f*[acegikmoqsuwy]").status, 0);
  const Finished run = test::run({kBin + "/ontime", "run", "wordcount", store.url("in"), "--output", cluster_ / "out",
                                  "--splits", "3", "-q"},
                                 store.environment());
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(verified_answer(cluster_ / "out"), counted(in_));
  EXPECT_LE(manifest_of(cluster_ / "out")["tasks"].size(), 3u);
}

}  // namespace
}  // namespace ontime::test
