// Outputs of a cluster whose journal is not synced: neither are small segments and the steps of a commit, but whatever
// has a _SUCCESS is there after a power cut.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "common/base/descriptor.h"
#include "common/files/disk.h"
#include "common/files/sync.h"
#include "master/outputs/output.h"
#include "tests/machines/small_cluster.h"
#include "worker/data/segment_writer.h"

namespace ontime::lab::machines::test {
namespace {

using master::Lasting;
using master::Output;

constexpr const char* kClaim = "ours-1";
constexpr std::uint32_t kParts = 40;  // more than are synced at a time

std::string bytes_of(std::uint32_t task) { return "output of task " + std::to_string(task) + "\n"; }

class LateSync : public testing::Test {
 protected:
  // What is in a file after a power cut at the end of `body`, in clusters of many seeds; "-" if it is not there.
  template <class Body>
  static std::set<std::string> after(const std::string& path, Body body) {
    std::set<std::string> found;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      SmallCluster small(seed);
      small.run(small.one, body);
      small.cluster.cut_power(small.one);
      const auto file = small.one.disk->find(path);
      found.insert(file ? file->bytes : "-");
    }
    return found;
  }

  // One file of `bytes`, sealed by an attempt that syncs segments of a hundred bytes and more.
  static void seal(const std::string& name, const std::string& bytes, const std::string& in = "/some/way/out") {
    const std::string claim = output::attempts_directory(in, kClaim);
    Descriptor file = files::open(claim + "/" + name, files::kNewFile);
    Descriptor directory = files::open(claim, files::kDirectory);
    worker::SegmentWriter writer({name, std::move(file), std::move(directory)}, 100);
    writer.write(bytes);
    ASSERT_TRUE(writer.seal());
  }

  static master::CommitPlan plan() {
    master::CommitPlan plan;
    plan.manifest.claim = kClaim;
    plan.manifest.inputs = {{"/input", 100 * kParts, "0", "plain"}};
    for (std::uint32_t task = 0; task < kParts; ++task) {
      const std::string name = "t" + std::to_string(task);
      const std::uint64_t size = bytes_of(task).size();
      plan.parts.push_back({part_file_name(task), size, {{name, 0, size}}, true});
      plan.manifest.tasks.push_back({task, 0, {task * 100, task * 100 + 100}, part_file_name(task), {}});
    }
    return plan;
  }
};

TEST_F(LateSync, LeavesSmallSegmentsToOthersAndSyncsLargeOnes) {
  const std::string claim = output::attempts_directory("/out", kClaim);
  const auto seal_both = [] {
    ASSERT_TRUE(Output::at("/out", kClaim)->claim().status);
    seal("small", "a few bytes", "/out");
    seal("large", std::string(100, 'x'), "/out");
  };
  EXPECT_GT(after(claim + "/small", seal_both).size(), 1u) << "is synced too";
  EXPECT_EQ(after(claim + "/large", seal_both), std::set{std::string(100, 'x')});
}

TEST_F(LateSync, HasAllOfAnOutputOnTheDiskWithItsSuccess) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SmallCluster small(seed);
    small.run(small.one, [] {
      const auto output = Output::at("/some/way/out", kClaim, {}, Lasting::FromCommit);
      ASSERT_TRUE(output->claim().status);
      for (std::uint32_t task = 0; task < kParts; ++task) seal("t" + std::to_string(task), bytes_of(task));
      const Status published = output->publish(plan(), [] { return true; }).status;
      ASSERT_TRUE(published) << published.error().message;
    });
    small.cluster.cut_power(small.one);
    ASSERT_TRUE(small.one.disk->find("/some/way/out/_SUCCESS"));
    const auto manifest = small.one.disk->find("/some/way/out/_manifest.json");
    ASSERT_TRUE(manifest);
    EXPECT_EQ(manifest->bytes, output::to_text(plan().manifest));
    EXPECT_FALSE(small.one.disk->find("/some/way/out/_attempts"));
    for (std::uint32_t task = 0; task < kParts; ++task) {
      const auto part = small.one.disk->find("/some/way/out/" + part_file_name(task));
      ASSERT_TRUE(part) << task;
      EXPECT_EQ(part->bytes, bytes_of(task)) << "seed " << seed;
    }
  }
}

TEST_F(LateSync, SaysWhichFilesCannotBeSynced) {
  SmallCluster small;
  small.run(small.one, [] {
    const Descriptor directory = files::open("/", files::kDirectory);
    const char* const missing[] = {"none"};
    EXPECT_EQ(files::sync_files(directory.get(), missing), ENOENT);
    EXPECT_EQ(files::sync_files(directory.get(), {}), 0);
  });
}

}  // namespace
}  // namespace ontime::lab::machines::test
