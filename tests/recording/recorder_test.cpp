#include "master/recording/recorder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>

#include "master/journal/record_codec.h"
#include "master/recording/block.h"
#include "master/recording/entry.h"
#include "tests/recording/recorded_history.h"
#include "tests/support/temporary_directory.h"

namespace ontime::recording::test {
namespace {

using ontime::test::read_file;
using ontime::test::TemporaryDirectory;
using ontime::test::write_file;

// What the recorder said when it stopped, if it did.
class Complaint {
 public:
  Recorder::Options options(const std::string& directory, std::uint64_t bytes_max = 1u << 30) {
    return {directory, bytes_max, [this](const std::string& why) {
              const std::lock_guard lock(mutex_);
              why_ = why;
            }};
  }
  std::string why() const {
    const std::lock_guard lock(mutex_);
    return why_;
  }

 private:
  mutable std::mutex mutex_;
  std::string why_;
};

std::size_t count_steps(const Contents& contents) {
  std::size_t steps = 0;
  for (const Entry& entry : contents.entries) steps += std::holds_alternative<RecordedStep>(entry) ? 1 : 0;
  return steps;
}

TEST(Recorder, WritesAHeaderEveryStepAndTheEnd) {
  const TemporaryDirectory directory;
  Complaint complaint;
  RecordedHistory history(complaint.options(directory / "recordings"), 1);
  history.run_job(20);
  history.end();
  const Contents contents = read_all(path_of(directory / "recordings", 1));
  EXPECT_EQ(contents.error, "");
  EXPECT_EQ(contents.torn_bytes, 0u);
  EXPECT_EQ(count_steps(contents), history.steps());
  EXPECT_EQ(std::filesystem::status(path_of(directory / "recordings", 1)).permissions(), std::filesystem::perms(0600));
  EXPECT_EQ(std::get<Header>(contents.entries.front()).cluster, "a cluster");
  EXPECT_EQ(std::get<End>(contents.entries.back()).reason, "the master has ended");
  EXPECT_EQ(complaint.why(), "");
}

TEST(Recorder, RecordsAMessageOfTheJournalAsTheRecordThatItHolds) {
  const TemporaryDirectory directory;
  Complaint complaint;
  RecordedHistory history(complaint.options(directory / "recordings"), 1);
  history.run_job(20);
  EntryEncoder encoder;
  for (const scheduler::JournalRecord& record : history.records()) {
    std::string from_record, from_message;
    ASSERT_TRUE(encoder.append(record, from_record));
    ASSERT_TRUE(append_known(journal::message_of(journal::encode_record(record)), from_message));
    EXPECT_EQ(from_message, from_record);
  }
}

TEST(Recorder, TakesMoreThanOneBlock) {
  const TemporaryDirectory directory;
  Complaint complaint;
  RecordedHistory history(complaint.options(directory / "recordings"), 1);
  history.run_job(12'000);
  history.end();
  const Contents contents = read_all(path_of(directory / "recordings", 1));
  EXPECT_EQ(contents.error, "");
  EXPECT_EQ(count_steps(contents), history.steps());
}

TEST(Recorder, RemovesTheOldestEpochsToStayWithinItsLimit) {
  const TemporaryDirectory directory;
  Complaint complaint;
  std::uint64_t bytes = 0;
  for (std::uint64_t epoch = 1; epoch <= 6; ++epoch) {
    RecordedHistory history(complaint.options(directory / "recordings", bytes == 0 ? 1u << 30 : 3 * bytes), epoch);
    history.run_job(200);
    history.end();
    if (bytes == 0) bytes = std::filesystem::file_size(path_of(directory / "recordings", 1));
  }
  std::vector<std::uint64_t> left;
  std::uint64_t total = 0;
  for (const EpochFile& file : list_epochs(directory / "recordings")) {
    left.push_back(file.epoch);
    total += file.bytes;
  }
  EXPECT_LE(total, 3 * bytes);
  ASSERT_FALSE(left.empty());
  EXPECT_EQ(left.back(), 6u);
  EXPECT_EQ(left.back() - left.front() + 1, left.size()) << "an epoch between two others is missing";
  EXPECT_LT(left.size(), 4u);
  EXPECT_EQ(complaint.why(), "");
}

TEST(Recorder, KeepsOneHundredEpochsHoweverSmallTheyAre) {
  const TemporaryDirectory directory;
  Complaint complaint;
  for (std::uint64_t epoch = 1; epoch <= 120; ++epoch) {
    RecordedHistory history(complaint.options(directory / "recordings"), epoch);
    history.run_job(1);
    history.end();
  }
  const std::vector<EpochFile> left = list_epochs(directory / "recordings");
  EXPECT_EQ(left.size(), 100u);
  EXPECT_EQ(left.front().epoch, 21u);
}

TEST(Recorder, StopsAndSaysSoWhenOneEpochIsLargerThanItsLimit) {
  const TemporaryDirectory directory;
  Complaint complaint;
  RecordedHistory history(complaint.options(directory / "recordings", 2000), 1);
  history.run_job(5000);
  history.end();
  EXPECT_NE(complaint.why().find("--recording-limit"), std::string::npos) << complaint.why();
  EXPECT_LE(std::filesystem::file_size(path_of(directory / "recordings", 1)), 2000u);
}

TEST(Recorder, StopsAndSaysSoWhenItCannotWrite) {
  const TemporaryDirectory directory;
  Complaint complaint;
  RecordedHistory history(complaint.options("/proc/nowhere"), 1);
  history.run_job(3);
  history.end();
  EXPECT_NE(complaint.why().find("/proc/nowhere"), std::string::npos) << complaint.why();
}

// The journal was taken away in the moment before the first write: nothing may stand in its place.
TEST(Recorder, NeverMakesTheDirectoryOfTheJournal) {
  const TemporaryDirectory directory;
  Complaint complaint;
  RecordedHistory history(complaint.options(directory / "journal/recordings"), 1);
  history.end();
  EXPECT_NE(complaint.why().find("cannot be written"), std::string::npos) << complaint.why();
  EXPECT_FALSE(std::filesystem::exists(directory / "journal"));
}

// A power cut may bring the old file's blocks back, among those of the new one if they were one file.
TEST(Recorder, NeverWritesOverWhatAnEarlierMasterOfItsEpochHasLeft) {
  const TemporaryDirectory directory;
  const std::string recordings = directory / "recordings";
  std::filesystem::create_directory(recordings);
  write_file(path_of(recordings, 1), "left");
  std::filesystem::create_hard_link(path_of(recordings, 1), directory / "the same file");
  Complaint complaint;
  RecordedHistory history(complaint.options(recordings), 1);
  history.end();
  EXPECT_EQ(complaint.why(), "");
  EXPECT_EQ(read_file(directory / "the same file"), "left");
  EXPECT_TRUE(read_file(path_of(recordings, 1)).starts_with(kMagic));
}

TEST(EpochFiles, JoinsEpochsWithoutTornTails) {
  const TemporaryDirectory directory;
  const std::string recordings = directory / "recordings";
  Complaint complaint;
  std::size_t steps = 0;
  for (std::uint64_t epoch : {1, 2}) {
    RecordedHistory history(complaint.options(recordings), epoch);
    history.run_job(5);
    history.end();
    steps += history.steps();
  }
  std::filesystem::resize_file(path_of(recordings, 2), std::filesystem::file_size(path_of(recordings, 2)) - 1);
  const std::size_t torn = count_steps(read_all(path_of(recordings, 2)));
  ASSERT_TRUE(join_epochs(recordings, directory / "joined.otr"));
  const Contents joined = read_all(directory / "joined.otr");
  EXPECT_EQ(joined.error, "");
  EXPECT_EQ(joined.torn_bytes, 0u);
  EXPECT_EQ(count_steps(joined), count_steps(read_all(path_of(recordings, 1))) + torn);
  EXPECT_LT(count_steps(joined), steps);
  EXPECT_FALSE(join_epochs(directory / "nowhere", directory / "more.otr"));
}

}  // namespace
}  // namespace ontime::recording::test
