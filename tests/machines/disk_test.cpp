// What a power cut leaves of a simulated disk.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "tests/machines/small_cluster.h"

namespace ontime::lab::machines::test {
namespace {

void write_all(int file, std::string_view bytes) {
  ASSERT_EQ(::write(file, bytes.data(), bytes.size()), ssize_t(bytes.size()));
}

void sync_directory(const char* path) {
  const int directory = ::open(path, O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::fsync(directory), 0);
  ::close(directory);
}

// What is in a file after a power cut, in clusters of many seeds; "-" if it is not there.
std::set<std::string> contents_after(const std::function<void()>& body, bool keeps_order = true) {
  std::set<std::string> found;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SmallCluster small(seed);
    small.one.disk = std::make_unique<Disk>(small.cluster.world, Disk::Kind::Local, keeps_order);
    small.run(small.one, body);
    small.cluster.cut_power(small.one);
    const auto file = small.one.disk->find("/file");
    found.insert(file ? file->bytes : "-");
  }
  return found;
}

TEST(PowerCut, LeavesWhatWasSynced) {
  const auto found = contents_after([] {
    const int file = ::open("/file", O_WRONLY | O_CREAT, 0644);
    write_all(file, "synced");
    ASSERT_EQ(::fsync(file), 0);
    sync_directory("/");
    write_all(file, "more");
  });
  for (const std::string& bytes : found) EXPECT_TRUE(bytes.starts_with("synced")) << bytes;
  EXPECT_TRUE(found.contains("synced"));
  EXPECT_TRUE(found.contains("syncedmore"));
  EXPECT_TRUE(found.contains("syncedmo"));  // torn
}

TEST(PowerCut, MayTakeAFileWhoseNameWasNotSynced) {
  const auto found = contents_after([] {
    const int file = ::open("/file", O_WRONLY | O_CREAT, 0644);
    write_all(file, "bytes");
    ASSERT_EQ(::fsync(file), 0);
  });
  EXPECT_EQ(found, (std::set<std::string>{"-", "bytes"}));
}

TEST(PowerCut, LeavesTheOldOrTheNewFileOfARename) {
  const auto body = [] {
    const int old = ::open("/file", O_WRONLY | O_CREAT, 0644);
    write_all(old, "old");
    ::fsync(old);
    const int fresh = ::open("/fresh", O_WRONLY | O_CREAT, 0644);
    write_all(fresh, "new");
    ::fsync(fresh);
    sync_directory("/");
    ASSERT_EQ(::rename("/fresh", "/file"), 0);
  };
  EXPECT_EQ(contents_after(body), (std::set<std::string>{"old", "new"}));
}

// Two names: the second never without the first where order is kept, in any way where it is not.
TEST(PowerCut, KeepsTheOrderOfNamesWhereTheFileSystemDoes) {
  for (const bool keeps_order : {true, false}) {
    int second_alone = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      SmallCluster small(seed);
      small.one.disk = std::make_unique<Disk>(small.cluster.world, Disk::Kind::Local, keeps_order);
      small.run(small.one, [] {
        ::mkdir("/first", 0755);
        ::mkdir("/second", 0755);
      });
      small.cluster.cut_power(small.one);
      second_alone += !small.one.disk->find("/first") && small.one.disk->find("/second");
    }
    EXPECT_EQ(second_alone > 0, !keeps_order);
  }
}

TEST(PowerCut, OfOneMachineLeavesWhatOthersHaveWrittenToSharedFiles) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SmallCluster small(seed);
    small.run(small.one, [] { write_all(::open("/shared/ours", O_WRONLY | O_CREAT, 0644), "unsynced"); });
    small.run(small.other, [] { write_all(::open("/shared/theirs", O_WRONLY | O_CREAT, 0644), "unsynced"); });
    small.cluster.cut_power(small.one);
    EXPECT_NE(small.cluster.shared->find("/ours"), nullptr);
    EXPECT_EQ(small.cluster.shared->find("/theirs")->bytes, "unsynced");
  }
}

TEST(Mount, ThatIsFullTakesNothingMoreAndLetsGo) {
  SmallCluster small;
  small.run(small.one, [] { write_all(::open("/shared/file", O_WRONLY | O_CREAT, 0644), "bytes"); });
  small.one.shared.is_full = true;
  small.run(small.one, [] {
    const int file = ::open("/shared/file", O_WRONLY);
    EXPECT_EQ(::write(file, "x", 1), -1);
    EXPECT_EQ(errno, ENOSPC);
    EXPECT_EQ(::unlink("/shared/file"), 0);
  });
}

TEST(Mount, ThatFillsUpTakesAPartOfTheNextWrite) {
  SmallCluster small;
  small.cluster.shared->put("/file", "");
  small.one.shared.fill(true);
  small.run(small.one, [] {
    const int file = ::open("/shared/file", O_WRONLY);
    const std::string bytes(100, 'x');
    EXPECT_LT(::write(file, bytes.data(), bytes.size()), 100);
    EXPECT_EQ(::write(file, "x", 1), -1);
    EXPECT_EQ(errno, ENOSPC);
  });
  const std::size_t size = small.cluster.shared->find("/file")->bytes.size();
  EXPECT_GT(size, 0u);
  EXPECT_LT(size, 100u);
}

TEST(Mount, ThatHangsHoldsUpWhoCallsUntilItAnswers) {
  SmallCluster small;
  small.cluster.shared->put("/file", "bytes");
  small.one.shared.hangs = true;
  const pid_t reader = small.start(small.one, [] {
    char bytes[5];
    EXPECT_EQ(::read(::open("/shared/file", O_RDONLY), bytes, 5), 5);
  });
  small.pass(std::chrono::hours(1));
  EXPECT_TRUE(small.is_alive(reader));
  small.one.shared.hang(false);
  small.pass(std::chrono::seconds(1));
  EXPECT_FALSE(small.is_alive(reader));
}

}  // namespace
}  // namespace ontime::lab::machines::test
