// The kernel ends attempts whose control group has no memory left: the answer stays the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "tests/support/sanitized.h"
#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

// A group of version 1, which root can make on most machines that have one.
class MemoryGroup {
 public:
  MemoryGroup() {
    std::error_code failed;
    if (std::filesystem::create_directory(path_, failed)) write_file(path_ / "memory.limit_in_bytes", "300M");
  }
  ~MemoryGroup() { ::rmdir(path_.c_str()); }  // the processes in it have ended
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  bool is_there() const { return read_file(path_ / "memory.limit_in_bytes") == std::to_string(300 << 20) + "\n"; }
  // Runs it as a process of the group, which its children stay in.
  void run(const std::function<void()>& what) const {
    enter(path_);
    what();
    enter(own_);
  }
  std::uint64_t killed() const {
    const std::string control = read_file(path_ / "memory.oom_control");
    const std::size_t at = control.find("oom_kill ");
    return at == std::string::npos ? 0 : std::stoull(control.substr(at + 9));
  }

 private:
  static void enter(const std::filesystem::path& group) {
    write_file(group / "cgroup.procs", std::to_string(::getpid()));
    EXPECT_NE(("\n" + read_file(group / "cgroup.procs")).find("\n" + std::to_string(::getpid()) + "\n"),
              std::string::npos);
  }

  static std::string own_name() {
    const std::string groups = read_file("/proc/self/cgroup"), memory = ":memory:/";
    const std::size_t at = groups.find(memory);
    return at == groups.npos ? "" : groups.substr(at + memory.size(), groups.find('\n', at) - at - memory.size());
  }

  const std::filesystem::path root_ = "/sys/fs/cgroup/memory";
  const std::filesystem::path own_ = root_ / own_name();
  const std::filesystem::path path_ = root_ / ("ontime-test-" + std::to_string(::getpid()));
};

class OutOfMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (kIsSanitized) GTEST_SKIP() << "a sanitizer needs more memory than the group has";
    if (!group_.is_there()) GTEST_SKIP() << "no control group with a limit of memory can be made here";
    cluster_.start_master();
    group_.run([this] { cluster_.add_worker(1, {"--attempt-memory", "8GiB"}); });  // more than the group has
  }
  // The first `greedy` attempts take more and more memory after some lines; each is counted in a directory.
  std::string submit(int greedy) {
    const std::string begun = cluster_ / "begun";
    const std::string command = "mkdir -p '" + begun + "'; mktemp -p '" + begun + "' >&2; if [ $(ls '" + begun +
                                "' | wc -l) -le " + std::to_string(greedy) +
                                " ]; then head -n 5; exec tail -n 1 /dev/zero; fi; cat";
    return cluster_.submit({"exec", kNovel, "--output", cluster_ / "out", "--splits", "2", "--max-attempts", "20",
                            "--checkpoint", "0s", "--set", "command=" + command});
  }

  MemoryGroup group_;
  Cluster cluster_;
};

TEST_F(OutOfMemory, AnAttemptThatTheKernelEndsIsRunAgain) {
  const std::string job = submit(2);
  EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
  EXPECT_GE(group_.killed(), 2u);
  EXPECT_EQ(verified_answer(cluster_ / "out"), read_file(kNovel));
  EXPECT_NE(cluster_.job(job).dump().find("perhaps memory ran out"), std::string::npos) << cluster_.job(job).dump(1);
}

}  // namespace
}  // namespace ontime::test
