#include "common/base/machine_use.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <string>

#include "tests/support/temporary_directory.h"

namespace ontime {
namespace {

using namespace std::chrono_literals;
constexpr std::uint64_t kMiB = 1u << 20;

class UseOfAMachine : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { test::write_file(directory_ / name, text); }
  // Of the processors 0 to 1023, each as busy: some of these the test may run on.
  void write_busy(std::uint64_t ticks) {
    std::string text = "cpu  9 9 9 9 9 9 9 9\n";
    for (int i = 0; i < CPU_SETSIZE; ++i)
      text += "cpu" + std::to_string(i) + " " + std::to_string(ticks) + " 0 0 77 77 0 0 0 0 0\n";
    write("proc/stat", text + "intr 5\n");
  }
  const MachineMeter::Clock::time_point start_{1000s};
  test::TemporaryDirectory directory_;
};

TEST_F(UseOfAMachine, IsThatOfTheProcessorsThatMayBeUsedWhereNoGroupIsLimited) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const auto second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  write("proc/meminfo", "MemTotal:       8192 kB\nMemFree: 1 kB\nMemAvailable:   2048 kB\n");
  write_busy(100);
  MachineMeter meter({64, 8 * kMiB, {}, {}}, directory_.path());
  EXPECT_FALSE(meter.look(start_));
  write_busy(100 + second);
  const auto use = meter.look(start_ + 2s);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->busy_cores, 0.5 * CPU_COUNT(&allowed));
  EXPECT_EQ(use->cores, 64u);
  EXPECT_EQ(use->used_bytes, 6 * kMiB);
  EXPECT_EQ(use->memory_bytes, 8 * kMiB);
}

TEST_F(UseOfAMachine, IsThatOfTheLimitedGroup) {
  write("g/cpu.stat", "usage_usec 5000000\nuser_usec 1\n");
  write("g/memory.current", std::to_string(3 * kMiB));
  write("g/memory.stat", "anon 5\ninactive_file " + std::to_string(kMiB) + "\n");
  MachineMeter meter({2, 4 * kMiB, directory_ / "g", directory_ / "g"}, directory_.path());
  EXPECT_FALSE(meter.look(start_));
  write("g/cpu.stat", "usage_usec 20000000\n");
  const auto use = meter.look(start_ + 10s);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->busy_cores, 1.5);
  EXPECT_EQ(use->used_bytes, 2 * kMiB);
}

TEST_F(UseOfAMachine, IsKnownFromOlderGroupsToo) {
  write("g/cpuacct.usage", "1000000000\n");
  write("g/memory.usage_in_bytes", std::to_string(3 * kMiB));
  write("g/memory.stat", "inactive_file 1\ntotal_inactive_file " + std::to_string(2 * kMiB) + "\n");
  MachineMeter meter({2, 4 * kMiB, directory_ / "g", directory_ / "g"}, directory_.path());
  EXPECT_FALSE(meter.look(start_));
  write("g/cpuacct.usage", "2000000000\n");
  const auto use = meter.look(start_ + 1s);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->busy_cores, 1);
  EXPECT_EQ(use->used_bytes, kMiB);
}

TEST_F(UseOfAMachine, IsNotKnownWhereTheSystemDoesNotTell) {
  MachineMeter meter({2, kMiB, {}, {}}, directory_.path());
  EXPECT_FALSE(meter.look(start_));
  write("proc/stat", "cpu0 no numbers\n");
  EXPECT_FALSE(meter.look(start_ + 1s));
}

TEST_F(UseOfAMachine, IsKnownHere) {
  MachineMeter meter(machine_share());
  meter.look(start_);
  const auto use = meter.look(start_ + 1h);
  ASSERT_TRUE(use);
  EXPECT_GT(use->used_bytes, 0u);
}

}  // namespace
}  // namespace ontime
