// File systems that do not answer, with the real programs: they hold up what lies on them, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class HungMountOfMaster : public PacedJobs {
 protected:
  // Two of them, that hang as long as `hung_` exists.
  void start_master(const std::string& more = "") {
    std::ifstream mounts("/proc/self/mountinfo");
    std::string table((std::istreambuf_iterator<char>(mounts)), std::istreambuf_iterator<char>());
    for (const std::string& mount : mounts_) {
      fs::create_directories(mount);
      fs::copy_file(novel_, mount + "/novel.txt", fs::copy_options::skip_existing);
      table += "900 30 0:99 / " + mount + " rw - nfs4 server:/export rw\n";
    }
    write_file(cluster_ / "mountinfo", table);
    ::setenv("LD_PRELOAD", ONTIME_TEST_HUNG_MOUNT, 1);
    ::setenv("ONTIME_HUNG", (mounts_[0] + ":" + mounts_[1] + more).c_str(), 1);
    ::setenv("ONTIME_HUNG_WHILE", hung_.c_str(), 1);
    ::setenv("ONTIME_HUNG_MOUNTINFO", (cluster_ / "mountinfo").c_str(), 1);
    cluster_.start_master();
    for (const char* const name : {"LD_PRELOAD", "ONTIME_HUNG", "ONTIME_HUNG_WHILE", "ONTIME_HUNG_MOUNTINFO"})
      ::unsetenv(name);
  }
  void hang() { write_file(hung_, ""); }
  void heal() { fs::remove(hung_); }

  // A client that submits, while the test goes on.
  Process begin_submission(const std::string& input, const std::string& output) {
    return Process({kBin + "/ontime", "submit", "wordcount", input, "--output", output, "--master", cluster_.address()},
                   cluster_ / ("client-" + std::to_string(++clients_)));
  }
  bool master_has_logged(const std::string& text) {
    return cluster_.master().output().err.find(text) != std::string::npos;
  }
  std::string run_elsewhere(const std::string& output) {
    const std::string job = cluster_.submit({"wordcount", novel_, "--output", cluster_ / output});
    expect_right_answer(job, output);
    return job;
  }

  const std::vector<std::string> mounts_{cluster_ / "mount-a", cluster_ / "mount-b"};
  const std::string hung_ = cluster_ / "hung";
  int clients_ = 0;
};

TEST_F(HungMountOfMaster, StopsNoOtherSubmissionAndIsNamedAndTheMasterEndsAllTheSame) {
  start_master();
  cluster_.add_worker();
  hang();
  std::vector<Process> clients;
  for (int i = 0; i < 2; ++i) {
    for (const std::string& mount : mounts_) {
      clients.push_back(begin_submission(mount + "/novel.txt", cluster_ / ("never-" + std::to_string(clients.size()))));
    }
  }
  clients.push_back(begin_submission(novel_, mounts_[0] + "/out"));
  run_elsewhere("out");
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const Finished finished = clients[i].wait();
    EXPECT_EQ(finished.status, 1) << finished.out;
    const std::string& mount = mounts_[i < 4 ? i % 2 : 0];
    EXPECT_THAT(finished.err, HasSubstr("The file system at '" + mount + "' does not answer"));
  }
  EXPECT_TRUE(master_has_logged("file_system_hangs"));
  cluster_.master().signal(SIGTERM);
  EXPECT_EQ(cluster_.master().wait().status, 0);
  EXPECT_TRUE(master_has_logged("threads_left_behind"));
  cluster_.start_master();  // on the same journal: nothing holds it
  run_elsewhere("again");
}

TEST_F(HungMountOfMaster, ASubmissionThatItsClientGaveUpOnIsNotAcceptedWhenTheMountAnswersAgain) {
  start_master();
  cluster_.add_worker();
  hang();
  const std::string out = cluster_ / "out";
  Process client = begin_submission(mounts_[0] + "/novel.txt", out);
  ASSERT_TRUE(eventually([&] { return master_has_logged("file_system_hangs"); }));
  Process another = begin_submission(mounts_[0] + "/novel.txt", cluster_ / "other");
  EXPECT_EQ(client.wait().status, 1);
  ASSERT_TRUE(eventually([&] {  // the second is on its way; what asks could never be accepted, and takes no name itself
    return cluster_.client({"submit", "wordcount", novel_, "--output", cluster_ / "other", "--max-record", "2GiB"})
               .err.find("is being used by another job") != std::string::npos;
  }));
  another.kill();
  heal();
  ASSERT_TRUE(eventually([&] { return master_has_logged("file_system_answers"); }));
  ASSERT_TRUE(eventually([&] {  // its name is free again, as nobody has it
    return cluster_.client({"submit", "wordcount", novel_, "--output", cluster_ / "other"}).status == 0;
  }));
  EXPECT_FALSE(fs::exists(out));
  EXPECT_EQ(run_elsewhere("out"), "job-2");  // neither of the two has become a job
}

TEST_F(HungMountOfMaster, UnderTheJournalDoesNotKeepTheMasterFromEnding) {
  start_master(":" + (cluster_ / "journal"));
  hang();
  cluster_.add_worker();  // something to write down
  ASSERT_TRUE(eventually([&] { return fs::exists(hung_ + ".reached"); }));
  cluster_.master().signal(SIGTERM);
  const Finished end = cluster_.master().wait();
  EXPECT_EQ(end.status, 1);
  EXPECT_THAT(end.err, HasSubstr("ontime-master: did not end in order within 10 s, and ends at once."));
  heal();
  cluster_.start_master();
  run_elsewhere("out");
}

TEST_F(HungMountOfMaster, HoldsUpTheCommitsOfItsOwnJobsOnlyAndTheyGoOnWhenItAnswers) {
  start_master();
  std::vector<std::string> jobs;
  for (int i = 0; i < 3; ++i) {
    jobs.push_back(cluster_.submit({"wordcount", novel_, "--output", mounts_[0] + "/out-" + std::to_string(i)}));
  }
  hang();
  cluster_.add_worker();
  ASSERT_TRUE(eventually([&] {
    return std::all_of(jobs.begin(), jobs.end(), [&](const auto& job) { return cluster_.job(job)["state"] == "committing"; });
  }));
  run_elsewhere("out");
  ASSERT_TRUE(eventually([&] {
    return cluster_.job(jobs[0])["message"] == "The file system at '" + mounts_[0] + "' does not answer.";
  }));
  heal();
  for (const std::string& job : jobs) EXPECT_EQ(cluster_.wait(job), "succeeded");
  EXPECT_EQ(verified_answer(mounts_[0] + "/out-2"), counted_by_coreutils(novel_));
}

}  // namespace
}  // namespace ontime::test
