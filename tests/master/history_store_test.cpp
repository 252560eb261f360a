#include "master/history/history_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "tests/support/small_files.h"
#include "tests/support/temporary_directory.h"

namespace ontime::history {
namespace {

using test::read_file;
using test::TemporaryDirectory;
using test::write_file;
using testing::HasSubstr;

namespace fs = std::filesystem;

// Bytes that zstd cannot make shorter.
std::string noise(std::size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

class HistoryStoreTest : public testing::Test {
 protected:
  std::size_t files() const {
    std::error_code none;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(place_, none), fs::directory_iterator()));
  }

  const TemporaryDirectory directory_;
  const std::string place_ = directory_ / "history";
  const JobId first_{1}, second_{2}, third_{3};
};

TEST_F(HistoryStoreTest, WhatIsWrittenIsReadByTheNextMasterWhateverItsSize) {
  const std::string large = noise((3u << 20) + 17);
  HistoryStore store(place_, 1u << 30);
  EXPECT_TRUE(store.write(first_, "earlier"));
  EXPECT_TRUE(store.write(first_, large));
  EXPECT_TRUE(store.write(second_, ""));
  HistoryStore next(place_, 1u << 30);
  next.open({first_, second_, third_});
  EXPECT_EQ(next.read(first_).value(), large);
  EXPECT_EQ(next.read(second_).value(), "");
  EXPECT_FALSE(next.has(third_));
  next.forget(first_);
  EXPECT_EQ(files(), 1u);
}

TEST_F(HistoryStoreTest, TheFilesWrittenLongestAgoGoFirst) {
  HistoryStore store(place_, 250'000);
  EXPECT_TRUE(store.write(first_, noise(100'000)));
  EXPECT_TRUE(store.write(second_, noise(100'000)));
  EXPECT_TRUE(store.write(first_, noise(100'000)));
  EXPECT_TRUE(store.write(third_, noise(100'000)));
  EXPECT_FALSE(store.has(second_));
  EXPECT_TRUE(store.has(first_) && store.has(third_));
  EXPECT_EQ(files(), 2u);

  const Status status = store.write(second_, noise(300'000));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("--history-limit"));
  EXPECT_TRUE(store.has(first_) && store.has(third_));

  fs::last_write_time(place_ + "/job-3", fs::last_write_time(place_ + "/job-1") - std::chrono::hours(1));
  HistoryStore smaller(place_, 150'000);
  smaller.open({first_, third_});
  EXPECT_TRUE(smaller.has(first_));
  EXPECT_FALSE(smaller.has(third_));
  EXPECT_EQ(files(), 1u);
}

TEST_F(HistoryStoreTest, WhatNobodyRemembersAndWhatACrashHasLeftIsRemoved) {
  HistoryStore store(place_, 1u << 20);
  EXPECT_TRUE(store.write(first_, "kept"));
  EXPECT_TRUE(store.write(second_, "forgotten"));
  write_file(place_ + "/job-3.new", "half");
  HistoryStore next(place_, 1u << 20);
  next.open({first_});
  EXPECT_EQ(next.read(first_).value(), "kept");
  EXPECT_EQ(files(), 1u);
}

TEST_F(HistoryStoreTest, ATornOrDamagedFileCostsItsJobsHistoryAndNothingElse) {
  HistoryStore store(place_, 1u << 20);
  EXPECT_TRUE(store.write(first_, "the first"));
  EXPECT_TRUE(store.write(second_, "the second"));
  const std::string path = place_ + "/job-2";
  const std::string whole = read_file(path);
  const auto expect_damaged = [&](const std::string& bytes, std::size_t at) {
    write_file(path, bytes);
    HistoryStore next(place_, 1u << 20);
    next.open({first_, second_});
    const Result<std::string> content = next.read(second_);
    ASSERT_FALSE(content) << at;
    EXPECT_EQ(content.error().message, "'" + path + "' is damaged.") << at;
    EXPECT_EQ(next.read(first_).value(), "the first");
    EXPECT_EQ(files(), 1u) << at;
  };
  for (std::size_t size = 0; size < whole.size(); ++size) expect_damaged(whole.substr(0, size), size);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    expect_damaged(bytes, at);
  }
  expect_damaged(whole + "more", whole.size());
}

TEST_F(HistoryStoreTest, AFullDiskCostsTheFileThatDoesNotFit) {
  HistoryStore store(place_, 1u << 20);
  EXPECT_TRUE(store.write(first_, "small"));
  {
    const test::SmallFiles full;
    const Status status = store.write(second_, noise(100'000));
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr(place_ + "/job-2"));
  }
  EXPECT_FALSE(store.has(second_));
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(store.read(first_).value(), "small");
  EXPECT_TRUE(store.write(second_, noise(100'000)));
}

TEST_F(HistoryStoreTest, AFileThatIsGoneIsASentence) {
  HistoryStore store(place_, 1u << 20);
  EXPECT_TRUE(store.write(first_, "content"));
  fs::remove(place_ + "/job-1");
  EXPECT_THAT(store.read(first_).error().message, HasSubstr("Cannot read '" + place_ + "/job-1'"));
  EXPECT_FALSE(store.has(first_));
}

}  // namespace
}  // namespace ontime::history
