#include "common/base/machine.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/temporary_directory.h"

namespace ontime {
namespace {

constexpr std::uint64_t kGiB = 1u << 30;

class ShareOfAMachine : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { test::write_file(directory_ / name, text); }
  void expect(std::uint32_t cores, std::uint64_t memory_bytes) const {
    const MachineShare share = within_groups({8, 64 * kGiB, {}, {}}, directory_ / "groups", directory_ / "mounted");
    EXPECT_EQ(share.cores, cores);
    EXPECT_EQ(share.memory_bytes, memory_bytes);
  }
  test::TemporaryDirectory directory_;
};

TEST_F(ShareOfAMachine, IsAllOfItWithoutLimits) {
  expect(8, 64 * kGiB);
  write("groups", "0::/user/session\n");
  write("mounted/user/session/cpu.max", "max 100000\n");
  write("mounted/user/session/memory.max", "max\n");
  expect(8, 64 * kGiB);
  const MachineShare here = machine_share();
  EXPECT_GE(here.cores, 1u);
  EXPECT_GT(here.memory_bytes, 0u);
}

TEST_F(ShareOfAMachine, IsWhatTheGroupOrOneAboveAllows) {
  write("groups", "0::/job/step\n");
  write("mounted/job/cpu.max", "250000 100000\n");
  write("mounted/job/memory.max", std::to_string(4 * kGiB) + "\n");
  write("mounted/job/step/cpu.max", "400000 100000\n");
  write("mounted/job/step/memory.max", std::to_string(2 * kGiB) + "\n");
  expect(3, 2 * kGiB);
  write("mounted/cpu.max", "10000 100000\n");  // as a container sees its own
  expect(1, 2 * kGiB);
}

TEST_F(ShareOfAMachine, IsKnownFromOlderGroupsToo) {
  write("groups", "5:cpu,cpuacct:/docker/abc\n7:memory:/docker/abc\n1:name=systemd:/docker/abc\nodd\n");
  write("mounted/cpu/cpu.cfs_quota_us", "-1\n");
  write("mounted/cpu/cpu.cfs_period_us", "100000\n");
  write("mounted/memory/memory.limit_in_bytes", "9223372036854771712\n");
  expect(8, 64 * kGiB);
  write("mounted/cpu/cpu.cfs_quota_us", "200000\n");
  write("mounted/memory/memory.limit_in_bytes", std::to_string(kGiB) + "\n");
  expect(2, kGiB);
}

// In a process of its own, which may never have more again.
TEST(OpenFiles, TooFewOfThemAreSaidBeforeAnyWork) {
  const auto with = [](rlim_t files) {
    const rlimit few{files, files};
    ::setrlimit(RLIMIT_NOFILE, &few);
    const Status enough = allow_open_files();
    std::fputs(enough ? "fine" : enough.error().message.c_str(), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(with(20), testing::ExitedWithCode(0), "may have 20 files open here, and Ontime needs 32");
  EXPECT_EXIT(with(32), testing::ExitedWithCode(0), "fine");
}

}  // namespace
}  // namespace ontime
