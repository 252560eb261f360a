// Disks that fill up, break or lie below a journal, with the real programs; and processes that stop for a long time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Disk : public PacedJobs {
 protected:
  // The master's journal is on a disk that fails as `fault` says, see disk_faults.h.
  void start_master(const std::string& fault, const Arguments& extra = {}) {
    cluster_.set_master_program(ONTIME_TEST_FAULTY_BIN "/ontime-master");
    ::setenv("ONTIME_DISK", (cluster_ / "journal").c_str(), 1);
    ::setenv("ONTIME_DISK_FAULT", fault.c_str(), 1);
    cluster_.start_master(extra);
    for (const char* const name : {"ONTIME_DISK", "ONTIME_DISK_FAULT"}) ::unsetenv(name);
  }
  // A job that has begun, on two workers of the cluster.
  std::string begin_job() {
    cluster_.add_worker(2);
    std::string job = submit_paced("out", "4");
    EXPECT_TRUE(eventually([&] { return is_under_way(job); }));
    return job;
  }
  std::string log_file() const { return cluster_ / "journal/" + newest_log(); }
  std::string newest_log() const {
    std::string newest;
    for (const auto& entry : fs::directory_iterator(cluster_ / "journal")) {
      if (entry.path().extension() == ".log" && entry.file_size() > 0) newest = entry.path().filename();
    }
    return newest;
  }
  Finished check_journal() {
    return run({kBin + "/ontime-master", "--check-journal", "--journal", cluster_ / "journal"});
  }
};

// With and without --journal-sync: a journal that is not synced is written on the control thread.
class FullDisk : public Disk, public testing::WithParamInterface<const char*> {
 protected:
  void start_master_that_is_full_while(const std::string& there) {
    start_master("any:enospc:while:" + there, {"--journal-sync", GetParam()});
  }
};

INSTANTIATE_TEST_SUITE_P(Synced, FullDisk, testing::Values("on", "off"));

TEST_P(FullDisk, StopsNewJobsAndNotThoseThatRunUntilThereIsRoom) {
  const std::string full = cluster_ / "full";
  start_master_that_is_full_while(full);
  const std::string job = begin_job();
  write_file(full, "");
  Finished refused;
  ASSERT_TRUE(eventually([&] {  // from the next record on
    refused = cluster_.client({"jobs"});
    return refused.status != 0;
  }));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("takes no orders for now"));
  EXPECT_THAT(refused.err, HasSubstr(cluster_ / "journal"));
  EXPECT_THAT(refused.err, HasSubstr("the disk is full"));
  const Finished submitted = cluster_.client({"submit", "wordcount", novel_, "--output", cluster_ / "other"});
  EXPECT_EQ(submitted.status, 1);
  EXPECT_THAT(submitted.err, HasSubstr("takes no orders for now"));
  EXPECT_FALSE(fs::exists(cluster_ / "other"));
  EXPECT_THAT(cluster_.master().output().err, HasSubstr("journal_full"));
  fs::remove(full);
  expect_right_answer(job, "out");
  EXPECT_TRUE(cluster_.master().is_running());
  EXPECT_THAT(cluster_.master().output().err, HasSubstr("journal_has_room"));
  cluster_.restart_master();
  EXPECT_EQ(cluster_.wait(job), "succeeded");
}

TEST_P(FullDisk, DoesNotKeepAMasterThatIsToldToEnd) {
  const std::string full = cluster_ / "full";
  start_master_that_is_full_while(full);
  write_file(full, "");
  cluster_.add_worker();  // something to write down
  ASSERT_TRUE(eventually([&] { return cluster_.client({"nodes"}).status != 0; }));
  cluster_.master().signal(SIGTERM);
  EXPECT_EQ(cluster_.master().wait().status, 0);
}

TEST_F(Disk, ABrokenJournalEndsTheMasterWithOneSentenceAndNothingIsLost) {
  const std::string broken = cluster_ / "broken";
  start_master("sync:eio:while:" + broken);
  const std::string job = begin_job();
  write_file(broken, "");
  const Finished end = cluster_.master().wait();
  EXPECT_EQ(end.status, 1);
  EXPECT_THAT(end.err, HasSubstr("ontime-master: Cannot write the journal in '" + (cluster_ / "journal") + "'"));
  EXPECT_THAT(end.err, HasSubstr("The master ends now; start it again once that is put right."));
  fs::remove(broken);
  cluster_.start_master();
  expect_right_answer(job, "out");
}

TEST_F(Disk, ADamagedJournalIsRefusedWithTheNameOfItsFileAndAWholeOneIsDescribed) {
  cluster_.start_master();
  cluster_.add_worker();
  const std::string job = cluster_.submit({"wordcount", novel_, "--output", cluster_ / "out"});
  EXPECT_EQ(cluster_.wait(job), "succeeded");
  cluster_.master().kill();
  const Finished whole = check_journal();
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("is whole"));
  EXPECT_THAT(whole.out, HasSubstr("jobs      1: 1 succeeded"));
  const std::string path = log_file();
  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x41);
  write_file(path, bytes);
  const Finished damaged = check_journal();
  EXPECT_EQ(damaged.status, 1);
  EXPECT_THAT(damaged.err, HasSubstr(newest_log()));
  EXPECT_THAT(damaged.err, HasSubstr("it is damaged"));
  const Finished refused = run({kBin + "/ontime-master", "--journal", cluster_ / "journal", "--listen", "127.0.0.1:0"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.err, damaged.err);
  EXPECT_EQ(read_file(path), bytes);
  EXPECT_EQ(run({kBin + "/ontime-master", "--check-journal", "--journal", cluster_ / "none"}).status, 1);
  EXPECT_FALSE(fs::exists(cluster_ / "none"));
}

// RocksDB takes the rest of the log for a tail that a crash has cut.
TEST_F(Disk, AFlippedBitInALengthOfTheLogIsRefusedAndNotTakenForACrash) {
  cluster_.start_master();
  cluster_.add_worker();
  EXPECT_EQ(cluster_.wait(cluster_.submit({"wordcount", novel_, "--output", cluster_ / "out"})), "succeeded");
  cluster_.master().kill();
  const std::string path = log_file();
  std::string bytes = read_file(path);
  bytes[5] = static_cast<char>(bytes[5] ^ 0x40);  // behind the four bytes of the first record's checksum
  write_file(path, bytes);
  const Finished damaged = check_journal();
  EXPECT_EQ(damaged.status, 1) << damaged.out;
  EXPECT_THAT(damaged.err, HasSubstr("batches that were written are gone"));
  const Finished refused = run({kBin + "/ontime-master", "--journal", cluster_ / "journal", "--listen", "127.0.0.1:0"});
  EXPECT_EQ(refused.status, 1);
}

TEST_F(Disk, AMasterWhoseJournalIsTakenAwayEndsAndAnotherMayBeginThere) {
  cluster_.start_master();
  fs::rename(cluster_ / "journal", cluster_ / "elsewhere");
  cluster_.client({"submit", "wordcount", novel_, "--output", cluster_ / "out"});
  const Finished end = cluster_.master().wait();
  EXPECT_EQ(end.status, 1);
  EXPECT_THAT(end.err, HasSubstr("the directory was removed or another one is in its place"));
  cluster_.start_master();
  cluster_.add_worker();
  EXPECT_EQ(cluster_.wait(cluster_.submit({"wordcount", novel_, "--output", cluster_ / "out2"})), "succeeded");
}

TEST_F(Disk, AZombieThatWakesWithItsAttemptsAfterTheCommitChangesNothing) {
  cluster_.start_master();
  const std::size_t zombie = cluster_.add_worker(2);
  const std::string job = submit_paced("out", "4");
  ASSERT_TRUE(eventually([&] { return is_under_way(job) && cluster_.runners().size() == 2; }));
  const std::vector<pid_t> stopped = cluster_.runners();
  cluster_.worker(zombie).signal(SIGSTOP);
  for (const pid_t runner : stopped) ::kill(runner, SIGSTOP);
  cluster_.add_worker(2);
  expect_right_answer(job, "out");
  for (const pid_t runner : stopped) ::kill(runner, SIGCONT);
  cluster_.worker(zombie).signal(SIGCONT);
  EXPECT_TRUE(eventually([&] {  // it is let in again, and its attempts are ended
    return cluster_.runners().empty() && cluster_.client({"nodes", "--json"}).out.find("\"lost\"") == std::string::npos;
  })) << cluster_.client({"nodes", "--json"}).out;
  EXPECT_FALSE(fs::exists(cluster_ / "out/_attempts"));
  expect_right_answer(job, "out");
}

TEST_F(Disk, AMasterStoppedForLongerThanEveryTimeOutGoesOnWithTheSameAttempts) {
  cluster_.start_master();
  const std::string job = begin_job();
  cluster_.master().signal(SIGSTOP);
  ::usleep(1'500'000);  // the node time-out is 1 s
  cluster_.master().signal(SIGCONT);
  expect_right_answer(job, "out");
}

}  // namespace
}  // namespace ontime::test
