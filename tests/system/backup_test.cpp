// A backup of a journal that is in use, and a master that is started on it after the journal was lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

class Backup : public PacedJobs {
 protected:
  Finished back_up(const std::string& copy) {
    return run({kBin + "/ontime-master", "--journal", cluster_ / "journal", "--backup-journal", copy});
  }
};

TEST_F(Backup, AMasterGoesOnFromACopyThatWasMadeWhileAJobRan) {
  cluster_.start_master();
  cluster_.add_worker(2);
  const std::string ended = cluster_.submit({"wordcount", novel_, "--output", cluster_ / "ended"});
  EXPECT_EQ(cluster_.wait(ended), "succeeded");
  const std::string running = submit_paced("running");
  ASSERT_TRUE(eventually([&] { return is_under_way(running); }));
  const Finished backup = back_up(cluster_ / "copy");
  EXPECT_EQ(backup.status, 0) << backup.err;
  EXPECT_THAT(backup.out, HasSubstr("holds 2 jobs, 1 of which had not ended and are killed in it"));
  EXPECT_EQ(back_up(cluster_ / "copy").status, 2) << "a backup is never replaced";

  cluster_.master().kill();
  std::filesystem::remove_all(cluster_ / "journal");
  std::filesystem::rename(cluster_ / "copy", cluster_ / "journal");
  cluster_.start_master();
  EXPECT_EQ(cluster_.job(ended)["state"], "succeeded");
  EXPECT_EQ(cluster_.job(running)["state"], "killed");
  EXPECT_THAT(std::string(cluster_.job(running)["message"]), HasSubstr("when this backup was made"));
  cluster_.replace_worker(0);  // what the old one runs is of a cluster that is gone
  const std::string again = cluster_.submit({"wordcount", novel_, "--output", cluster_ / "again"});
  EXPECT_NE(again, running);
  expect_right_answer(again, "again");
  EXPECT_EQ(verified_answer(cluster_ / "ended"), counted_by_coreutils(novel_));
  EXPECT_FALSE(std::filesystem::exists(cluster_ / "running/_SUCCESS"));
}

TEST_F(Backup, WhatIsNoJournalIsNotCopied) {
  const Finished backup = back_up(cluster_ / "copy");
  EXPECT_EQ(backup.status, 1);
  EXPECT_THAT(backup.err, HasSubstr("There is no journal"));
  EXPECT_FALSE(std::filesystem::exists(cluster_ / "copy"));
  EXPECT_FALSE(std::filesystem::exists(cluster_ / "copy.unfinished"));
}

}  // namespace
}  // namespace ontime::test
