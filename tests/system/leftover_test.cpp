// Many jobs, one after another, leave no process, file descriptor or directory behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/sanitized.h"
#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

std::size_t entries(const std::string& directory) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

TEST(Leftover, ManyJobsLeaveNothingBehind) {
  const int jobs = static_cast<int>(fewer_if_sanitized(200));
  Cluster cluster;
  cluster.start_master();
  const std::size_t worker = cluster.add_worker(2);
  const TemporaryDirectory directory;
  write_file(directory / "text", "one two three\ntwo three\nthree\n");
  const auto one_job = [&](int number) {
    const std::string output = directory / ("out-" + std::to_string(number));
    const std::string job = cluster.submit({"wordcount", directory / "text", "--output", output, "--splits", "3"});
    ASSERT_EQ(cluster.wait(job), "succeeded");
    ASSERT_TRUE(std::filesystem::exists(output + "/_SUCCESS"));
    ASSERT_FALSE(std::filesystem::exists(output + "/_attempts"));
  };
  const auto is_idle = [&] { return cluster.runners().empty(); };
  for (int i = 0; i < 5; ++i) one_job(i);  // what is opened once is open now
  ASSERT_TRUE(eventually(is_idle));
  const std::size_t master_before = open_descriptors(cluster.master().pid());
  const std::size_t worker_before = open_descriptors(cluster.worker(worker).pid());
  for (int i = 5; i < 5 + jobs; ++i) one_job(i);
  EXPECT_TRUE(eventually(is_idle)) << "runners are left";
  const auto is_back = [&] {
    return open_descriptors(cluster.worker(worker).pid()) <= worker_before &&
           open_descriptors(cluster.master().pid()) <= master_before + 4;  // RocksDB may have rotated its log
  };
  EXPECT_TRUE(eventually(is_back)) << "descriptors: master " << master_before << " -> "
                                   << open_descriptors(cluster.master().pid()) << ", worker " << worker_before << " -> "
                                   << open_descriptors(cluster.worker(worker).pid());
  EXPECT_EQ(entries(directory.path()), 6u + static_cast<unsigned>(jobs));
}

TEST(Leftover, EmbeddedRunsLeaveNoDirectoryOrProcess) {
  const TemporaryDirectory directory;
  const TemporaryDirectory scratch;
  write_file(directory / "text", "one two three\n");
  for (int i = 0; i < 10; ++i) {
    const Finished finished = run({kBin + "/ontime", "run", "wordcount", directory / "text", "--output",
                                   directory / std::to_string(i), "--quiet"},
                                  {{"TMPDIR", scratch.path()}});
    ASSERT_EQ(finished.status, 0) << finished.err;
  }
  EXPECT_EQ(entries(scratch.path()), 0u);
  EXPECT_TRUE(descendants(getpid(), "ontime-runner").empty());
  EXPECT_TRUE(descendants(getpid(), "ontime-worker").empty());
  EXPECT_TRUE(descendants(getpid(), "ontime-master").empty());
}

}  // namespace
}  // namespace ontime::test
