// A worker some of whose directories hang: a process that touches them waits in the kernel and cannot be killed.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNobody = "65534";

// It waits for an answer of the file system (once that has read the question, no signal ends the wait), or for somebody
// else who has asked the same; a page fault looks like the latter for a moment.
bool hangs(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  const std::string stat = read_file(process + "/stat");
  const std::size_t name = stat.rfind(") ");
  const bool is_deaf = name != std::string::npos && stat.substr(name + 2, 1) == "D";
  return is_deaf || read_file(process + "/wchan") == "request_wait_answer";
}

class HungMount : public testing::Test {
 protected:
  HungMount() {
    ::umask(022);
    for (const std::string& directory : {at(""), at("hung"), at("fine"), at("apps")}) {
      fs::create_directories(directory);
      fs::permissions(directory, fs::perms(0755));
    }
    // A copy that every user can read, since attempts may run as another one.
    const std::string application = "/libontime_app_curious.so";
    fs::copy_file(kApps + application, at("apps") + application);
    write_file(at("hung/input"), "status\n");
    write_file(at("fine/input"), "status\n");
  }
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root may mount";
    if (run({ONTIME_HUNG_VIEW, at("hung"), "/bin/true"}).status != 0) GTEST_SKIP() << "nothing can be mounted here";
    cluster_.start_master();
  }
  std::string at(const std::string& name) const { return cluster_ / name; }

  // The only worker; for it, and for nobody else, `hung` hangs.
  void start_worker(const Arguments& more = {}) {
    Arguments arguments{ONTIME_HUNG_VIEW, at("hung"), kBin + "/ontime-worker", "--master", cluster_.address()};
    arguments.insert(arguments.end(), {"--slots", "2", "--app-dir", at("apps"), "--drain-timeout", "1s"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    worker_ = Process(arguments, at("worker"));
  }
  std::string submit(const std::string& input, const std::string& output) {
    return cluster_.submit({"curious", at(input), "--output", at(output), "--app-dir", at("apps")});
  }
  // Processes that have hung at every look for a while.
  std::size_t hanging() {
    const auto now = std::chrono::steady_clock::now();
    const auto before = std::exchange(hanging_since_, {});
    for (const pid_t pid : descendants(worker_.pid(), "ontime-runner")) {
      if (!hangs(pid)) continue;
      const auto known = before.find(pid);
      hanging_since_[pid] = known == before.end() ? now : known->second;
    }
    return static_cast<std::size_t>(std::count_if(hanging_since_.begin(), hanging_since_.end(), [&](const auto& entry) {
      return now - entry.second >= std::chrono::milliseconds(200);
    }));
  }
  // However much hangs, the worker ends on SIGTERM.
  void expect_an_orderly_end() {
    worker_.signal(SIGTERM);
    EXPECT_EQ(worker_.wait().status, 0);
  }

  Cluster cluster_;
  Process worker_;
  std::map<pid_t, std::chrono::steady_clock::time_point> hanging_since_;
};

TEST_F(HungMount, AnOutputDirectoryThatHangsKeepsNoOtherJobFromRunning) {
  start_worker({"--run-as", kNobody});
  const std::string stuck = submit("fine/input", "hung/out");
  ASSERT_TRUE(eventually([&] { return hanging() > 0; }));
  for (const char* output : {"fine/one", "fine/two", "fine/three"}) {
    EXPECT_EQ(cluster_.wait(submit("fine/input", output)), "succeeded");
  }
  EXPECT_EQ(cluster_.job(stuck)["state"], "running");
  expect_an_orderly_end();
}

// More of them than the worker once had room for in all.
TEST_F(HungMount, AttemptsThatHangOnTheirInputLeaveRoomForOthers) {
  start_worker();
  for (std::size_t i = 1; i <= 30; ++i) {
    const std::string stuck = submit("hung/input", "fine/stuck-" + std::to_string(i));
    ASSERT_TRUE(eventually([&] { return hanging() >= i; }));
    EXPECT_EQ(cluster_.client({"kill", stuck}).status, 0);
  }
  EXPECT_EQ(cluster_.wait(submit("fine/input", "fine/out")), "succeeded");
  expect_an_orderly_end();
}

}  // namespace
}  // namespace ontime::test
