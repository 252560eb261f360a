#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "common/files/disk.h"
#include "tests/support/temporary_directory.h"
#include "worker/agent/runners/job_resources.h"

namespace ontime::worker {
namespace {

namespace fs = std::filesystem;

JobFiles::Setup setup_with(std::uint32_t job, const std::string& name, const std::string& content,
                           bool executable = false) {
  auto setup = std::make_shared<wire::JobSetup>();
  setup->set_job(job);
  auto& file = *setup->mutable_spec()->add_files();
  file.set_name(name);
  file.set_content(content);
  file.set_executable(executable);
  return setup;
}

// Whose threads have done what they were asked for when a call returns.
class JobFilesTest : public testing::Test {
 protected:
  Result<std::string> make(std::uint64_t runner, const JobFiles::Setup& setup, uid_t user = ::geteuid()) {
    std::optional<Status> made;
    auto directory = files_->make_directory(runner, setup, user, [&](const Status& status) { made = status; });
    if (!directory || directory->empty()) return directory;
    wait_for([&] { return made.has_value(); });
    return *made ? directory : Result<std::string>(made->error());
  }
  void wait_for(const std::function<bool()>& is_so) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!is_so() && std::chrono::steady_clock::now() < limit) {
      io_.restart();
      io_.run_one_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(is_so());
  }
  void expect_gone(const fs::path& path) {
    wait_for([&] { return !fs::exists(fs::symlink_status(path)); });
  }

  asio::io_context io_{1};
  std::optional<JobFiles> files_{std::in_place, io_.get_executor()};
};

TEST_F(JobFilesTest, AJobThatBringsNothingAndStartsNothingHasNoDirectory) {
  EXPECT_EQ(*make(1, std::make_shared<wire::JobSetup>()), "");
}

TEST_F(JobFilesTest, AJobThatStartsPrograms) {
  auto setup = std::make_shared<wire::JobSetup>();
  setup->mutable_spec()->add_parameters()->set_key("command");
  const auto directory = make(1, setup);
  ASSERT_TRUE(directory);
  EXPECT_TRUE(fs::is_empty(*directory));
}

// Root may write whatever the mode says.
TEST_F(JobFilesTest, OfOneRunnerAreNotThoseOfAnother) {
  const auto first = make(1, setup_with(1, "data", "as sent"));
  const auto second = make(2, setup_with(1, "data", "as sent"));
  ASSERT_TRUE(first && second);
  fs::permissions(*first + "/data", fs::perms::owner_write, fs::perm_options::add);
  test::write_file(*first + "/data", "mine");
  EXPECT_EQ(test::read_file(*second + "/data"), "as sent");
  files_->remove_directory(1);
  expect_gone(*first);
}

TEST_F(JobFilesTest, KeepWhetherTheyMayBeRun) {
  const auto plain = make(1, setup_with(1, "a", "#!/bin/sh\n"));
  const auto executable = make(2, setup_with(1, "a", "#!/bin/sh\n", true));
  struct stat status {};
  ASSERT_EQ(::stat((*plain + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0444u);
  ASSERT_EQ(::stat((*executable + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0555u);
}

TEST_F(JobFilesTest, OfAJobWithAUserOfItsOwnAreThatUsersAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can hand files over";
  constexpr uid_t kUser = 65533;
  const auto directory = make(1, setup_with(1, "secret.key", "x"), kUser);
  ASSERT_TRUE(directory) << directory.error().message;
  struct stat status {};
  ASSERT_EQ(::stat(directory->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_EQ(status.st_uid, kUser);
}

// Somebody has cleaned up below /tmp.
TEST_F(JobFilesTest, AreMadeAgainWhereTheyWereRemoved) {
  const auto first = make(1, setup_with(1, "a", "x"));
  fs::remove_all(fs::path(*first).parent_path());
  const auto again = make(2, setup_with(1, "a", "x"));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(test::read_file(*again + "/a"), "x");
}

TEST_F(JobFilesTest, AreGoneWithTheWorker) {
  const auto directory = make(1, setup_with(1, "a", "x"));
  const fs::path root = fs::path(*directory).parent_path();
  files_.reset();
  EXPECT_FALSE(fs::exists(root));
}

TEST_F(JobFilesTest, GoWithWhatProgramsHaveLeftBesideThemHoweverMuchAndDeepThatIs) {
  const auto directory = make(1, setup_with(1, "a", "x"));
  ASSERT_TRUE(directory);
  for (int i = 0; i < 500; ++i) test::write_file(*directory + "/wide/t" + std::to_string(i), "");
  Descriptor at = files::open(*directory, files::kDirectory);
  for (int i = 0; i < 400; ++i) {
    ASSERT_EQ(files::make_directory({at.get(), "d"}), 0);
    at = files::open({at.get(), "d"}, files::kDirectory);
  }
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit small{std::min<rlim_t>(limit.rlim_cur, 256), limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &small), 0);
  files_->remove_directory(1);
  expect_gone(*directory);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Of a slow disk the worker waits for a few calls at most, which take as long for many files as for one: so it hears
// and speaks, however many there are.
TEST_F(JobFilesTest, AreNotWrittenOrRemovedOneByOneOnTheThreadThatAsks) {
  const std::thread::id worker = std::this_thread::get_id();
  std::mutex gate;  // held: the disk does not answer
  std::atomic<int> calls = 0;
  files_.emplace(io_.get_executor(), [&] {
    EXPECT_NE(std::this_thread::get_id(), worker);
    ++calls;
    const std::lock_guard wait(gate);
  });
  auto many = std::make_shared<wire::JobSetup>();
  many->set_job(1);
  for (int i = 0; i < 100; ++i) {
    many->mutable_spec()->add_files()->set_name("f" + std::to_string(i));
    many->mutable_spec()->mutable_files()->rbegin()->set_content(std::to_string(i));
  }
  bool is_made = false;
  std::unique_lock slow(gate);
  const auto directory =
      files_->make_directory(1, many, ::geteuid(), [&](const Status& made) { is_made = made.has_value(); });
  ASSERT_TRUE(directory);
  files_->remove_directory(7);
  EXPECT_FALSE(is_made);
  slow.unlock();
  wait_for([&] { return is_made; });
  EXPECT_GE(calls, 100);
  test::write_file(*directory + "/left/behind", "");
  slow.lock();
  files_->remove_directory(1);
  EXPECT_TRUE(fs::exists(*directory + "/f0"));
  slow.unlock();
  expect_gone(*directory);
}

}  // namespace
}  // namespace ontime::worker
