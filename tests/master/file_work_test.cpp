// Work on mounts of which some hang. A hung call is one that waits for the test.
#include "master/mounts/file_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "master/mounts/file_system.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Held by what hangs on it: it may outlive the test.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

class FileWorkTest : public testing::Test {
 protected:
  explicit FileWorkTest(std::size_t stuck_all = 64) {
    FileWork::Limits limits;
    limits.stuck_after = 200ms;
    limits.stuck = 3;
    limits.stuck_all = stuck_all;
    limits.end_max = 100ms;
    work_ = std::make_unique<FileWork>(io_.get_executor(), limits);
  }
  ~FileWorkTest() override {
    gate_->open();
    work_.reset();
  }

  struct Told {
    bool is_done = false;
    bool is_late = false;
    Status status;
    std::weak_ptr<const FileWork::Running> job;
  };
  std::shared_ptr<Told> start(const std::string& path, std::function<void(const MayGoOn&)> work, bool gives_up = true) {
    auto told = std::make_shared<Told>();
    told->job = work_->start({path, std::move(work),
                              [told](Status status) {
                                EXPECT_FALSE(told->is_done);
                                told->is_done = true;
                                told->status = std::move(status);
                              },
                              [told] { told->is_late = true; }, gives_up});
    return told;
  }
  std::shared_ptr<Told> hang(const std::string& path, bool gives_up = true) {
    return start(
        path, [gate = gate_](const MayGoOn&) { gate->pass(); }, gives_up);
  }
  std::string problem_of(const std::shared_ptr<Told>& told) const { return work_->problem_of(told->job); }
  void run_until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!holds() && std::chrono::steady_clock::now() < end) {
      io_.restart();
      io_.run_for(10ms);
    }
    EXPECT_TRUE(holds());
  }

  const std::string kHung = "/proc/hung";  // a mount of its own on every Linux
  const std::string kGood = "/tmp/good";
  asio::io_context io_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::unique_ptr<FileWork> work_;
};

TEST_F(FileWorkTest, AMountThatHangsHoldsUpItsOwnWorkOnly) {
  std::vector<std::shared_ptr<Told>> hung;
  for (int i = 0; i < 5; ++i) hung.push_back(hang(kHung));
  const auto good = start(
      kGood, [](const MayGoOn&) {}, false);
  run_until([&] { return good->is_done; });
  EXPECT_TRUE(good->status);
  run_until([&] { return std::all_of(hung.begin(), hung.end(), [](const auto& one) { return one->is_done; }); });
  for (const auto& one : hung) {
    EXPECT_EQ(one->status.error().message, "The file system at '/proc' does not answer; try again when it does.");
    EXPECT_EQ(one->status.error().kind, ErrorKind::Failed);
  }
  EXPECT_EQ(problem_of(hung[0]), "The file system at '/proc' does not answer.");
  EXPECT_EQ(problem_of(good), "");
  gate_->open();
  run_until([&] { return std::all_of(hung.begin(), hung.end(), [](const auto& one) { return one->is_late; }); });
  EXPECT_EQ(problem_of(hung[0]), "");
}

TEST_F(FileWorkTest, WorkThatThrowsHasFailedAndEndsNothingElse) {
  const auto told = start(kGood, [](const MayGoOn&) { throw std::length_error("too long"); });
  run_until([&] { return told->is_late; });
  EXPECT_TRUE(told->is_done);
  EXPECT_THAT(told->status.error().message, HasSubstr("'/tmp/good' failed: too long"));
}

class FileWorkWhereMuchHangs : public FileWorkTest {
 protected:
  FileWorkWhereMuchHangs() : FileWorkTest(2) {}
  // As many as may: two, and one that was started when the first of them hung.
  std::vector<std::shared_ptr<Told>> hang_as_many_as_may() {
    std::vector<std::shared_ptr<Told>> hung;
    for (int i = 0; i < 3; ++i) hung.push_back(hang(kHung, false));
    run_until([&] {
      return std::none_of(hung.begin(), hung.end(), [&](const auto& one) { return problem_of(one).empty(); });
    });
    for (const auto& one : hung) EXPECT_EQ(problem_of(one), "The file system at '/proc' does not answer.");
    return hung;
  }
};

TEST_F(FileWorkWhereMuchHangs, MountsThatAnswerHaveThreadsAllTheSame) {
  hang_as_many_as_may();
  const auto good = start(
      kGood, [](const MayGoOn&) {}, false);
  run_until([&] { return good->is_done; });
  EXPECT_TRUE(good->status);
}

TEST_F(FileWorkWhereMuchHangs, WhatWaitsForThatIsNotSaidToHang) {
  hang_as_many_as_may();
  const auto patient = hang(kHung, false);
  const auto refused = hang(kHung);
  const std::string why =
      "Too many threads of the master hang, and it does not start another for the file system at '/proc'";
  run_until([&] { return refused->is_done; });
  EXPECT_EQ(refused->status.error().message, why + "; try again when it does.");
  EXPECT_EQ(problem_of(patient), why + ".");
  gate_->open();
  run_until([&] { return patient->is_done; });
  EXPECT_TRUE(patient->status);
}

TEST_F(FileWorkTest, ThreadsThatHangAreReplaced) {
  const auto first = hang(kHung, false);
  const auto second = hang(kHung, false);
  const auto third = start(
      kHung, [](const MayGoOn&) {}, false);
  run_until([&] { return third->is_done; });
  EXPECT_FALSE(first->is_done);
  gate_->open();
  run_until([&] { return first->is_done && second->is_done; });
  EXPECT_TRUE(first->status);  // however long it took
}

TEST_F(FileWorkTest, ThreadsThatHangAreNotReplacedForEver) {
  for (int i = 0; i < 20; ++i) hang(kHung, false);
  const auto refused = hang(kHung);
  run_until([&] { return refused->is_done; });
  EXPECT_FALSE(refused->status);
  std::size_t threads = 0;
  for ([[maybe_unused]] const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) ++threads;
  EXPECT_LE(threads, 10u);
}

TEST_F(FileWorkTest, WorkThatWasGivenUpIsToldToEnd) {
  auto may_go_on_later = std::make_shared<bool>(true);
  const auto told = start(kHung, [gate = gate_, may_go_on_later](const MayGoOn& may_go_on) {
    gate->pass();
    *may_go_on_later = may_go_on();
  });
  run_until([&] { return told->is_done; });
  gate_->open();
  run_until([&] { return told->is_late; });
  EXPECT_FALSE(*may_go_on_later);
}

TEST_F(FileWorkTest, ALinkIsFollowedToTheMountThatItLeadsTo) {
  const test::TemporaryDirectory directory;
  std::filesystem::create_symlink("/proc", directory / "link");
  const auto hung = hang((directory / "link") + "/hung", false);
  const auto good = start(
      directory / "good", [](const MayGoOn&) {}, false);
  run_until([&] { return good->is_done && !problem_of(hung).empty(); });
  EXPECT_EQ(problem_of(hung), "The file system at '/proc' does not answer.");
}

TEST_F(FileWorkTest, TheEndLeavesBehindWhatHangs) {
  auto hangs = std::make_shared<std::atomic<bool>>(false);
  const auto told = start(kHung, [gate = gate_, hangs](const MayGoOn&) {
    *hangs = true;
    gate->pass();
  });
  run_until([&] { return hangs->load(); });
  EXPECT_FALSE(work_->stop());
  gate_->open();
  io_.run_for(50ms);
  EXPECT_FALSE(told->is_done);
}

TEST_F(FileWorkTest, TheEndWaitsForWhatDoesNotHang) {
  start(kGood, [](const MayGoOn& may_go_on) {
    while (may_go_on()) std::this_thread::sleep_for(1ms);
  });
  EXPECT_TRUE(work_->stop());
}

TEST(Mounts, TheLongestMountPointOnThePathCounts) {
  const Mounts mounts({"/", "/mnt", "/mnt/a b", "/mnt/a"});
  EXPECT_EQ(mounts.of("/mnt/a/x"), "/mnt/a");
  EXPECT_EQ(mounts.of("/mnt/a b/x"), "/mnt/a b");
  EXPECT_EQ(mounts.of("/mnt/ab/x"), "/mnt");
  EXPECT_EQ(mounts.of("/mnt"), "/mnt");
  EXPECT_EQ(mounts.of("/mntx"), "/");
  EXPECT_EQ(Mounts({}).of("/x"), "/");
  EXPECT_EQ(mounts.of("s3://bucket/mnt/a"), "s3://bucket");
  EXPECT_EQ(mounts.of("https://host:1/mnt/a"), "https://host:1");
  EXPECT_EQ(Mounts::of_this_process().of("/proc/self/x"), "/proc");
}

TEST(Mounts, LinksAreFollowedAsFarAsTheMountGoes) {
  const test::TemporaryDirectory directory;
  const std::string root = std::filesystem::canonical(directory / "");
  namespace fs = std::filesystem;
  const fs::path top = fs::path(root).parent_path() / fs::path(root).filename();
  fs::create_directories(top / "real");
  fs::create_symlink("real", top / "here");
  fs::create_symlink(top / "other/inside", top / "there");
  fs::create_symlink("loop", top / "loop");
  const Mounts mounts({"/", (top / "other").string()});
  EXPECT_EQ(mounts.follow((top / "here/file").string()), (top / "real/file").string());
  EXPECT_EQ(mounts.follow((top / "there/file").string()), (top / "other/inside/file").string());
  EXPECT_EQ(mounts.follow((top / "none/file").string()), (top / "none/file").string());
  EXPECT_EQ(mounts.of(mounts.follow((top / "loop/file").string())), "/");
}

}  // namespace
}  // namespace ontime::master
