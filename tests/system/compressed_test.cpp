// Compressed files whose headers say nothing: what the first pass has found out helps the attempts that come later, and
// the next job.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"
#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint64_t kContentBytes = 16 * kMiB;

class Compressed : public testing::Test {
 protected:
  // 16 MiB in lines of 1 KiB that hardly compress, so that it takes some time to read them. The same each time.
  void SetUp() override {
    write_file(cluster_ / "lines.py", R"(
import random, string, sys
random.seed(1)
words = [''.join(random.choices(string.ascii_letters, k=random.randint(5, 20))) for _ in range(20000)]
with open(sys.argv[1], 'w') as to:
    for _ in range(16 * 1024):
        line = ''
        while len(line) < 1000: line += random.choice(words) + ' '
        to.write(line.ljust(1023)[:1023] + '\n')
)");
    ASSERT_EQ(shell("python3 " + cluster_ / "lines.py" + " " + text_).status, 0);
    ASSERT_EQ(std::filesystem::file_size(text_), kContentBytes);
  }

  void compress_with(const std::string& program) {
    ASSERT_EQ(shell(program + " < " + text_ + " > " + input_).status, 0);
  }

  std::string count_words(const std::string& output) {
    return cluster_.submit({"wordcount", input_, "--output", cluster_ / output, "--split-size", "4MiB"});
  }

  void expect_right_answer(const std::string& job, const std::string& output) {
    EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
    EXPECT_EQ(verified_answer(cluster_ / output), expected());
  }

  const std::string& expected() {
    if (expected_.empty()) expected_ = counted_by_coreutils(text_);
    return expected_;
  }

  std::uint64_t mapped(const std::string& job) const {
    const nlohmann::json description = cluster_.job(job);
    return description.is_null() ? 0 : description["mapped_bytes"].get<std::uint64_t>();
  }

  // All that a process has read so far, in bytes.
  static std::uint64_t bytes_read_by(pid_t process) {
    std::ifstream counts("/proc/" + std::to_string(process) + "/io");
    std::string name;
    std::uint64_t bytes = 0;
    counts >> name >> bytes;
    EXPECT_EQ(name, "rchar:");
    return bytes;
  }

  Cluster cluster_;
  const std::string text_ = cluster_ / "text";
  const std::string input_ = cluster_ / "input";
  std::string expected_;  // of `text_`; empty: not counted yet
};

TEST_F(Compressed, TheNextJobOnAFileIsDivided) {
  cluster_.start_master();
  cluster_.add_worker(2);
  for (const char* program : {"gzip -1", "bzip2 -1"}) {
    std::filesystem::remove(input_);
    compress_with(program);
    const std::string name = std::string(program).substr(0, 1);
    const std::string first = count_words(name + "1");
    expect_right_answer(first, name + "1");
    EXPECT_EQ(cluster_.job(first).at("tasks"), 1);
    const std::string second = count_words(name + "2");
    expect_right_answer(second, name + "2");
    EXPECT_EQ(cluster_.job(second).at("tasks"), 4) << program;
  }
}

TEST_F(Compressed, TheNextJobIsDividedAfterARestartOfTheMasterToo) {
  cluster_.start_master();
  cluster_.add_worker(2);
  compress_with("gzip -1");
  expect_right_answer(count_words("1"), "1");
  cluster_.restart_master();
  const std::string second = count_words("2");
  expect_right_answer(second, "2");
  EXPECT_EQ(cluster_.job(second).at("tasks"), 4);
}

TEST_F(Compressed, ARunLeavesWhatItHasFoundToTheNextOne) {
  compress_with("gzip -1");
  const auto tasks_of_run = [&](const std::string& output, const std::string& cache) {
    const Finished done = run({kBin + "/ontime", "run", "wordcount", input_, "--output", cluster_ / output,
                               "--split-size", "4MiB", "--workers", "2"},
                              {{"ONTIME_CACHE_DIR", cache}});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(verified_answer(cluster_ / output), expected());
    return nlohmann::json::parse(read_file(cluster_ / output + "/_manifest.json")).at("tasks").size();
  };
  EXPECT_EQ(tasks_of_run("1", cluster_ / "a/cache"), 1u);
  EXPECT_EQ(tasks_of_run("2", cluster_ / "a/cache"), 4u);
  EXPECT_EQ(tasks_of_run("3", ""), 1u) << "nothing is to be shared";
  EXPECT_EQ(tasks_of_run("4", "/proc/nothing"), 1u) << "nothing can be";
}

TEST_F(Compressed, AnIndexThatIsWrongCostsAJobAndIsForgotten) {
  cluster_.start_master();
  cluster_.add_worker(2);
  compress_with("gzip -1");
  expect_right_answer(count_words("1"), "1");
  // The same version for all that the master can tell, and other bytes.
  const auto time = std::filesystem::last_write_time(input_);
  const auto size = std::filesystem::file_size(input_);
  std::filesystem::resize_file(text_, 15 * kMiB);
  expected_.clear();
  compress_with("gzip -1");
  ASSERT_LE(std::filesystem::file_size(input_), size);
  std::filesystem::resize_file(input_, size);  // zeros behind a member are padding
  std::filesystem::last_write_time(input_, time);
  const std::string second = count_words("2");
  EXPECT_EQ(cluster_.wait(second), "failed");
  EXPECT_NE(cluster_.job(second).at("message").get<std::string>().find("index"), std::string::npos);
  const std::string third = count_words("3");
  expect_right_answer(third, "3");
  EXPECT_EQ(cluster_.job(third).at("tasks"), 1);
}

// Counted in bytes: to read from the begin of the file up to there would be four fifths of it.
TEST_F(Compressed, AfterTheLossOfAWorkerReadingBeginsNearWhereItWas) {
  cluster_.start_master();
  cluster_.add_worker(1);
  compress_with("gzip -1");
  const std::uint64_t stored = std::filesystem::file_size(input_);
  const std::string job =
      cluster_.submit({"paced", input_, "--output", cluster_ / "out", "--checkpoint", "50ms", "--max-attempts", "100",
                       "--set", "lines=40", "--set", "pause_us=20000", "--app-dir", kApps});
  ASSERT_TRUE(eventually([&] { return mapped(job) > 12 * kMiB + kMiB / 2; }));
  cluster_.replace_worker(0);
  std::uint64_t read = 0;
  ASSERT_TRUE(eventually([&] {
    const std::vector<pid_t> runners = cluster_.runners();
    if (!runners.empty()) read = std::max(read, bytes_read_by(runners.front()));
    return mapped(job) > 13 * kMiB && read > 0;
  }));
  EXPECT_LT(read, stored / 2);
  expect_right_answer(job, "out");
}

}  // namespace
}  // namespace ontime::test
